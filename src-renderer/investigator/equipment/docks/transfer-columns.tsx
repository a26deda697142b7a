/** Columns of a table of recordings on docks and in folders. */
import { useMemo } from 'react';
import type { Transfer } from '../../../../src-server/api/contract/index.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords, type Words } from '../../../shared/i18n/i18n.ts';
import { Button, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../../shared/kit/data-table.tsx';
import { ProgressTrack } from '../../../shared/kit/progress.tsx';
import styles from '../equipment.module.css';
import { SubjectLink } from '../links.tsx';
import { useSubjectName } from './subject-name.ts';

export interface TransferAction {
  kind: Transfer['actions'][number];
  transfer: Transfer;
}

const TONES: Readonly<Record<Transfer['state'], Tone>> = {
  OFFERED: 'info',
  QUESTION: 'warn',
  COPYING: 'info',
  IMPORTING: 'info',
  STORED: 'good',
  CONFIRMED: 'good',
  FAILED: 'bad',
  DISMISSED: 'neutral',
};

export type UnreadableFile = NonNullable<Transfer['unreadableFiles']>[number];

/** When it was recorded, by the clock of the device. */
export function periodOf({ startTs, stopTs }: Transfer, { format }: Words): string | undefined {
  if (startTs === undefined || stopTs === undefined) return undefined;
  return `${format.moment(startTs)} – ${format.moment(stopTs)}`;
}

/** Half-hour files of a week would fill the page. */
const SHOWN_FILES = 5;

export function namesOf(files: readonly string[], { t, format }: Words): string {
  const names = files.slice(0, SHOWN_FILES).join(', ');
  const more = files.length - SHOWN_FILES;
  return more > 0 ? t('docks.moreFiles', { names, more: format.number(more) }) : names;
}

/** One text per reason: which files, why, and what to do. */
export function unreadableTexts(files: readonly UnreadableFile[], words: Words): string[] {
  return [...Map.groupBy(files, ({ why }) => why)].map(([why, group]) =>
    words.t('docks.unreadableFiles', {
      names: namesOf(
        group.map(({ name }) => name),
        words,
      ),
      remedy: words.t(`docks.remedies.${why}`),
    }),
  );
}

function Subject({ transfer }: { transfer: Transfer }) {
  const { t, format } = useWords();
  const { studyId, subjectId, heldFromTs, heldUntilTs, subjectCode, state } = transfer;
  const name = useSubjectName(transfer);
  const handed = heldFromTs !== undefined && {
    from: format.moment(heldFromTs),
    to: heldUntilTs === undefined ? '' : format.moment(heldUntilTs),
  };
  return (
    <div className={styles.step}>
      {studyId && subjectId && name && (
        <span>
          <SubjectLink studyId={studyId} subjectId={subjectId} name={name} />{' '}
          {state === 'QUESTION' && <Faint>{t('docks.presumed')}</Faint>}
        </span>
      )}
      {handed && <Faint>{t(heldUntilTs === undefined ? 'docks.heldSince' : 'docks.held', handed)}</Faint>}
      {subjectCode !== undefined && <Faint>{t('docks.code', { code: subjectCode })}</Faint>}
    </div>
  );
}

function State({ transfer }: { transfer: Transfer }) {
  const { t, format } = useWords();
  const diagnosticText = useDiagnosticText();
  const { state, question, code, message = '', problem, sizeBytes, receivedBytes } = transfer;
  const copied = t('docks.copied', { done: format.bytes(receivedBytes), total: format.bytes(sizeBytes) });
  return (
    <div className={styles.step}>
      <Pill tone={TONES[state]}>{t(`docks.states.${state}`)}</Pill>
      {question !== undefined && <span className={styles.wrapped}>{t(`docks.question.${question}`)}</span>}
      {state === 'FAILED' && code !== undefined && (
        <span className={styles.wrapped}>{diagnosticText({ code, message })}</span>
      )}
      {problem && <span className={styles.wrapped}>{diagnosticText(problem)}</span>}
      {state === 'COPYING' && (
        <>
          <span>{copied}</span>
          <ProgressTrack
            className={styles.bar}
            label={copied}
            percent={sizeBytes > 0 ? Math.floor((100 * receivedBytes) / sizeBytes) : 0}
          />
          <Faint>
            {[
              transfer.bytesPerSecond !== undefined && t('docks.rate', { rate: format.bytes(transfer.bytesPerSecond) }),
              transfer.remainingMs !== undefined &&
                t('docks.rest', { duration: format.duration(transfer.remainingMs / 1000) }),
            ]
              .filter(Boolean)
              .join(', ')}
          </Faint>
        </>
      )}
      {(state === 'STORED' || state === 'CONFIRMED') && (
        <Faint>{transfer.isAnalysed ? t('docks.analysed') : t('docks.notAnalysed')}</Faint>
      )}
    </div>
  );
}

export function useTransferColumns(onAction: (action: TransferAction) => void): Column<Transfer>[] {
  const words = useWords();
  return useMemo(() => {
    const { t, format } = words;
    return [
      {
        id: 'found',
        header: t('docks.found'),
        value: ({ displayName }) => displayName,
        cell: ({ displayName, isPresent, source, files, lateFiles, missingFiles, unreadableFiles }) => (
          <span className={styles.step}>
            {displayName}
            {files.length > 1 && <Faint>{t('docks.files', { names: namesOf(files, words) })}</Faint>}
            {lateFiles && <Faint>{t('docks.lateFiles', { names: namesOf(lateFiles, words) })}</Faint>}
            {missingFiles && <Faint>{t('docks.missingFiles', { names: namesOf(missingFiles, words) })}</Faint>}
            {unreadableTexts(unreadableFiles ?? [], words).map((text) => (
              <span key={text} className={styles.wrapped}>
                <Faint>{text}</Faint>
              </span>
            ))}
            {!isPresent && <Faint>{source === 'DOCK' ? t('docks.notPresent') : t('docks.fileGone')}</Faint>}
          </span>
        ),
      },
      {
        id: 'period',
        header: t('docks.period'),
        value: ({ startTs }) => startTs,
        cell: (transfer) => (
          <div className={styles.step}>
            <span>{periodOf(transfer, words)}</span>
            <Faint>{format.bytes(transfer.sizeBytes)}</Faint>
          </div>
        ),
      },
      { id: 'subject', header: t('docks.forSubject'), cell: (transfer) => <Subject transfer={transfer} /> },
      {
        id: 'state',
        header: t('docks.state'),
        value: ({ state }) => state,
        cell: (transfer) => <State transfer={transfer} />,
      },
      {
        id: 'action',
        header: t('equipment.action'),
        cell: (transfer) => (
          <span className={styles.actions}>
            {transfer.actions.map((kind) => (
              <Button
                key={kind}
                small
                kind={kind === 'dismiss' ? 'plain' : 'primary'}
                onPress={() => onAction({ kind, transfer })}
              >
                {t(`docks.${kind}`)}
              </Button>
            ))}
          </span>
        ),
      },
    ];
  }, [words, onAction]);
}
