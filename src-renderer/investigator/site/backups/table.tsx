import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Backup } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useDiagnosticTexts } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, IconButton, Pill, type Tone } from '../../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../../shared/kit/data-table.tsx';
import { errorSentence } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { useRefreshBackups } from './dialogs.tsx';

const TONES: Record<Backup['state'], Tone> = {
  complete: 'good',
  incomplete: 'warn',
  damaged: 'bad',
  unreadable: 'bad',
};

type OnOpen = (kind: 'remove' | 'restore', backup: Backup) => void;

function Actions({ backup, onOpen }: { backup: Backup; onOpen: OnOpen }) {
  const { t, format, language } = useWords();
  const refresh = useRefreshBackups();
  const time = format.moment(backup.createdTs);
  const verify = useMutation({
    mutationFn: () =>
      client.call('verifyBackup', { params: { backupId: backup.id }, query: { directory: backup.directory } }),
    onSuccess: refresh,
  });
  return (
    <div className={styles.actions}>
      {backup.state !== 'unreadable' && (
        <Button
          small
          icon="retry"
          aria-label={t('backups.restoreOf', { time })}
          onPress={() => onOpen('restore', backup)}
        >
          {t('backups.restore')}
        </Button>
      )}
      <Button
        small
        icon="shield"
        aria-label={t('backups.verifyOf', { time })}
        isDisabled={verify.isPending}
        onPress={() => verify.mutate()}
      >
        {t('backups.verify')}
      </Button>
      <IconButton
        small
        kind="quiet"
        icon="trash"
        label={t('backups.deleteOf', { time })}
        onPress={() => onOpen('remove', backup)}
      />
      <span role="status" className="visually-hidden">
        {verify.isSuccess ? t('backups.verifyStarted') : ''}
      </span>
      {verify.error && <small className={styles.bad}>{errorSentence(verify.error, t, language)}</small>}
    </div>
  );
}

/** The existing backups with their state and actions. */
export function BackupTable({ items, onOpen }: { items: Backup[]; onOpen: OnOpen }) {
  const { t, format } = useWords();
  const textsOf = useDiagnosticTexts();
  const columns = useMemo(
    (): Column<Backup>[] => [
      {
        id: 'created',
        header: t('backups.created'),
        value: (row) => row.createdTs,
        cell: (row) => <span title={row.id}>{format.moment(row.createdTs)}</span>,
      },
      {
        id: 'state',
        header: t('exports.stateTitle'),
        value: (row) => row.state,
        cell: (row) => (
          <div className={styles.wrap}>
            <Pill tone={TONES[row.state]}>{t(`backups.state.${row.state}`)}</Pill>{' '}
            {row.isEncrypted && <Pill>{t('backups.encrypted')}</Pill>}{' '}
            {!row.isOwn && <Pill tone="warn">{t('backups.otherSite')}</Pill>}
            {textsOf([...row.diagnostics, ...(row.check?.diagnostics ?? [])]).map((problem) => (
              <small key={problem} className={styles.bad}>
                {' '}
                {problem}
              </small>
            ))}
          </div>
        ),
      },
      {
        id: 'why',
        header: t('backups.why'),
        value: (row) => row.reason ?? '',
        cell: (row) => (row.reason ? t(`backups.reason.${row.reason}`) : <Faint>{t('exports.byNobody')}</Faint>),
      },
      {
        id: 'kept',
        header: t('backups.keptFor'),
        isSecondary: true,
        value: (row) => row.keptFor?.join(' ') ?? '',
        cell: (row) => {
          if (!row.keptFor) return <Faint>{t('exports.byNobody')}</Faint>;
          if (row.keptFor.length === 0) return <Faint>{t('backups.keep.none')}</Faint>;
          return row.keptFor.map((reason) => t(`backups.keep.${reason}`)).join(', ');
        },
      },
      {
        id: 'recordings',
        header: t('studies.recordings'),
        isNumber: true,
        isSecondary: true,
        value: (row) => row.countRecordings,
        cell: (row) =>
          row.countRecordings === undefined ? (
            <Faint>{t('exports.byNobody')}</Faint>
          ) : (
            format.number(row.countRecordings)
          ),
      },
      {
        id: 'size',
        header: t('exports.size'),
        isNumber: true,
        value: (row) => row.sizeBytes,
        cell: (row) =>
          row.sizeBytes === undefined ? <Faint>{t('exports.byNobody')}</Faint> : format.bytes(row.sizeBytes),
      },
      {
        id: 'check',
        header: t('backups.checkedAt'),
        value: (row) => row.check?.checkedTs,
        cell: (row) => (row.check ? format.moment(row.check.checkedTs) : <Faint>{t('backups.checkedWhenMade')}</Faint>),
      },
      { id: 'actions', header: t('exports.actions'), cell: (row) => <Actions backup={row} onOpen={onOpen} /> },
    ],
    [t, format, textsOf, onOpen],
  );
  return (
    <DataTable
      caption={t('site.backups')}
      rows={items}
      columns={columns}
      rowId={(row) => `${row.directory} ${row.id}`}
      initialSort={{ id: 'created', desc: true }}
    />
  );
}
