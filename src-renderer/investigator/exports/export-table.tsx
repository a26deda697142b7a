import { useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Signature, StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { openSigned } from '../../shared/api/download.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { signaturesOfKindQuery } from '../../shared/api/signature-queries.ts';
import { useDiagnosticText } from '../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { errorSentence } from '../../shared/kit/state.tsx';
import { useStep } from '../jobs/job-state.ts';
import { RetryButton } from '../jobs/retry-button.tsx';
import { RecordSignatures } from '../signatures/record-signatures.tsx';
import styles from './exports.module.css';
import { CopyHash, Hash } from './file-hash.tsx';
import { isContinuable, STATE_TONES } from './formats.ts';

export type Open =
  | { what: 'new'; studyId: string; since?: StudyExport }
  | { what: 'import' }
  | { what: 'delete'; item: StudyExport };

const isMaking = ({ state }: StudyExport) => state === 'WAITING' || state === 'RUNNING';

function State({ item }: { item: StudyExport }) {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  const step = useStep();
  const { progress } = item;
  return (
    <div className={styles.state}>
      <Pill tone={STATE_TONES[item.state]}>{t(`exports.state.${item.state}`)}</Pill>
      {item.removedBecause && <Faint>{t(`exports.removed.${item.removedBecause}`)}</Faint>}
      {item.state === 'RUNNING' && (
        <>
          <ProgressBar
            label={t(`exports.formats.${item.format}`)}
            done={progress?.done ?? 0}
            total={progress?.total ?? 0}
          />
          {progress && <small>{step(progress)}</small>}
        </>
      )}
      {item.error && (
        <small className={isMaking(item) ? undefined : styles.error}>
          {isMaking(item) ? t('jobs.triedBefore', { problem: diagnosticText(item.error) }) : diagnosticText(item.error)}
        </small>
      )}
    </div>
  );
}

function Actions({ item, name, onOpen }: { item: StudyExport; name: string; onOpen: (open: Open) => void }) {
  const { t, language } = useWords();
  const can = usePermissions();
  const queries = useQueryClient();
  const params = { studyId: item.studyId, exportId: item.id };
  const download = useMutation({
    mutationFn: () => client.call('getStudyExportFile', { params }),
    onSuccess: ({ href }) => openSigned(href),
  });
  const cancel = useMutation({
    mutationFn: () => client.call('cancelJob', { params: { jobId: item.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['export', item.studyId] }),
  });
  const retry = useMutation({
    mutationFn: () => client.call('retryJob', { params: { jobId: item.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['export', item.studyId] }),
  });
  const problem = download.error ?? cancel.error ?? retry.error;
  return (
    <div className={styles.actions}>
      {item.state === 'READY' && (
        <Button
          small
          icon="download"
          aria-label={t('exports.downloadOf', { name })}
          isDisabled={download.isPending}
          onPress={() => download.mutate()}
        >
          {t('exports.download')}
        </Button>
      )}
      {item.state === 'READY' && item.sha256 !== undefined && <CopyHash sha256={item.sha256} name={name} />}
      {isContinuable(item) && (
        <Button
          small
          aria-label={t('exports.changesOf', { name })}
          onPress={() => onOpen({ what: 'new', studyId: item.studyId, since: item })}
        >
          {t('exports.changesSince')}
        </Button>
      )}
      {(item.state === 'FAILED' || item.state === 'CANCELLED') && can('job.retry', item.studyId) && (
        <RetryButton label={t('jobs.retry')} name={t('jobs.retryOf', { name })} retry={retry} />
      )}
      {isMaking(item) ? (
        <Button
          small
          icon="close"
          aria-label={t('exports.cancelOf', { name })}
          isDisabled={cancel.isPending}
          onPress={() => cancel.mutate()}
        >
          {t('exports.cancel')}
        </Button>
      ) : (
        <IconButton
          small
          kind="quiet"
          icon="trash"
          label={t('exports.deleteOf', { name })}
          onPress={() => onOpen({ what: 'delete', item })}
        />
      )}
      <span role="status" className="visually-hidden">
        {download.isSuccess ? t('exports.started') : ''}
      </span>
      {problem && <small className={styles.error}>{errorSentence(problem, t, language)}</small>}
    </div>
  );
}

/** Of each export of the studies, once those of its study are read. */
function useExportSignatures(items: readonly StudyExport[]): (item: StudyExport) => readonly Signature[] | undefined {
  const studyIds = [
    ...new Set(items.filter(({ sha256 }) => sha256 !== undefined).map(({ studyId }) => studyId)),
  ].sort();
  const key = studyIds.join();
  const queries = studyIds.map((studyId) => signaturesOfKindQuery(studyId, { kind: 'export' }));
  const known = useQueries({ queries, combine: dataOf });
  return useMemo(() => {
    const byStudy = new Map(key.split(',').map((studyId, i) => [studyId, known[i]]));
    return ({ id, studyId }) => byStudy.get(studyId)?.get(id) ?? (byStudy.get(studyId) && []);
  }, [key, known]);
}

const dataOf = <T,>(results: readonly { data: T }[]): T[] => results.map(({ data }) => data);

/** The exports of the studies with their state and actions. */
export function ExportTable({
  items,
  studyNames,
  onOpen,
}: {
  items: StudyExport[];
  studyNames: ReadonlyMap<string, string>;
  onOpen: (open: Open) => void;
}) {
  const { t, format } = useWords();
  const signaturesOf = useExportSignatures(items);
  const columns = useMemo((): Column<StudyExport>[] => {
    const nameOf = (item: StudyExport) => `${t(`exports.formats.${item.format}`)}, ${format.moment(item.requestedTs)}`;
    return [
      {
        id: 'requested',
        header: t('exports.requested'),
        value: (item) => item.requestedTs,
        cell: (item) => <span title={format.dateTime(item.requestedTs)}>{format.moment(item.requestedTs)}</span>,
      },
      {
        id: 'study',
        header: t('studies.name'),
        value: (item) => studyNames.get(item.studyId) ?? '',
        cell: (item) => studyNames.get(item.studyId),
      },
      {
        id: 'format',
        header: t('exports.format'),
        value: (item) => item.format,
        cell: (item) => (
          <div className={styles.format}>
            <strong>{t(`exports.formats.${item.format}`)}</strong>
            {item.deidentified && <Pill tone="info">{t('exports.deidentifiedShort')}</Pill>}
            {(item.sinceExportId ?? item.sinceTs) !== undefined && <Pill>{t('exports.changesOnly')}</Pill>}
            {item.subjectIds && <Pill>{t('exports.someSubjects', { count: item.subjectIds.length })}</Pill>}
          </div>
        ),
      },
      {
        id: 'by',
        header: t('exports.by'),
        isSecondary: true,
        value: (item) => item.requestedBy?.displayName ?? '',
        cell: (item) => item.requestedBy?.displayName ?? <Faint>{t('exports.byNobody')}</Faint>,
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (item) => item.state,
        cell: (item) => <State item={item} />,
      },
      {
        id: 'size',
        header: t('exports.size'),
        isNumber: true,
        value: (item) => item.sizeBytes,
        cell: (item) =>
          item.sizeBytes === undefined ? (
            <Faint>{t('exports.noSize')}</Faint>
          ) : (
            <>
              {format.bytes(item.sizeBytes)}
              {item.sha256 !== undefined && <Hash sha256={item.sha256} />}
            </>
          ),
      },
      {
        id: 'signatures',
        header: t('signatures.title'),
        cell: (item) =>
          item.sha256 !== undefined && (
            <RecordSignatures
              studyId={item.studyId}
              target={{ kind: 'export', targetId: item.id }}
              name={nameOf(item)}
              signatures={signaturesOf(item)}
            />
          ),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (item) => <Actions item={item} name={nameOf(item)} onOpen={onOpen} />,
      },
    ];
  }, [t, format, studyNames, signaturesOf, onOpen]);
  return (
    <DataTable
      caption={t('exports.title')}
      rows={items}
      columns={columns}
      rowId={(item) => item.id}
      initialSort={{ id: 'requested', desc: true }}
    />
  );
}
