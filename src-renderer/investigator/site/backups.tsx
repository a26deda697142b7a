/** Backups of the site: when they are made, which there are, whether they hold. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import type { Backup, SiteSettings } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { jobsQuery } from '../../shared/api/queries.ts';
import { useRole } from '../../shared/api/session.ts';
import { backupStatusQuery, backupsQuery, settingsQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field, IconButton, Pill, type Tone } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FormDialog, FormProblem, submitOnCtrlEnter, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Checkbox } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Empty, errorSentence, Notice, QueryView } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { useStep } from '../jobs/step.ts';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';

const card = `${panelClass} ${styles.card}`;
const TONES: Record<Backup['state'], Tone> = { complete: 'good', damaged: 'bad', unreadable: 'bad' };

function useRefresh(): () => void {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['job'] });
}

function Status() {
  const { t, format } = useWords();
  const step = useStep();
  const status = useQuery(backupStatusQuery());
  const running = useQuery(jobsQuery()).data?.items.find(
    (job) => job.kind === 'backup' && (job.state === 'running' || job.state === 'queued'),
  );
  return (
    <section className={card} aria-label={t('backups.statusTitle')}>
      <h2>{t('backups.statusTitle')}</h2>
      <QueryView query={status}>
        {(data) => (
          <>
            {data.isOverdue && <Notice tone="warn">{t('backups.overdue')}</Notice>}
            {data.problem && <Notice tone="bad">{t('backups.problem', { problem: data.problem })}</Notice>}
            <dl className={styles.facts}>
              <dt>{t('backups.last')}</dt>
              <dd>
                {data.lastTs === undefined ? (
                  <Faint>{t('backups.none')}</Faint>
                ) : (
                  `${format.moment(data.lastTs)} (${format.ago(data.lastTs, Date.now())})`
                )}
              </dd>
              <dt>{t('backups.next')}</dt>
              <dd>
                {data.isEnabled && data.nextTs !== undefined ? format.moment(data.nextTs) : t('backups.notPlanned')}
              </dd>
              <dt>{t('backups.folder')}</dt>
              <dd className={styles.mono}>{data.directory}</dd>
              <dt>{t('site.disk')}</dt>
              <dd>
                {data.disk
                  ? t('site.diskFree', {
                      free: format.bytes(data.disk.freeBytes),
                      total: format.bytes(data.disk.totalBytes),
                    })
                  : t('backups.unreachable')}
              </dd>
            </dl>
          </>
        )}
      </QueryView>
      {running && (
        <div role="status">
          <p>{t('backups.running')}</p>
          {running.progress && (
            <>
              <ProgressBar label={t('jobs.kind.backup')} done={running.progress.done} total={running.progress.total} />
              <small>{step(running.progress)}</small>
            </>
          )}
        </div>
      )}
    </section>
  );
}

function Schedule({ schedule }: { schedule: SiteSettings['backup']['schedule'] }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const refresh = useRefresh();
  const [isEnabled, setEnabled] = useState(schedule.isEnabled);
  const [timeOfDay, setTimeOfDay] = useState(schedule.timeOfDay);
  const [keepDaily, setKeepDaily] = useState(String(schedule.keepDaily));
  const [keepWeekly, setKeepWeekly] = useState(String(schedule.keepWeekly));
  const [folder, setFolder] = useState(schedule.folder ?? '');
  const save = useMutation({
    mutationFn: () =>
      client.call('updateSiteSettings', {
        body: {
          backup: {
            schedule: {
              isEnabled,
              timeOfDay,
              keepDaily: Number(keepDaily),
              keepWeekly: Number(keepWeekly),
              folder: folder.trim() === '' ? null : folder.trim(),
            },
          },
        },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['setting'] });
      refresh();
    },
  });
  const fieldError = useFieldErrors(save.error);
  const of = (name: string) => fieldError(`backup.schedule.${name}`);
  return (
    <form
      noValidate
      className={card}
      aria-label={t('backups.scheduleTitle')}
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h2>{t('backups.scheduleTitle')}</h2>
      <Checkbox label={t('backups.daily')} isSelected={isEnabled} onChange={setEnabled} />
      <div className={styles.pair}>
        <Field
          label={t('backups.time')}
          type="time"
          value={timeOfDay}
          onChange={setTimeOfDay}
          error={of('timeOfDay')}
        />
        <Field
          label={t('backups.keepDaily')}
          type="number"
          value={keepDaily}
          onChange={setKeepDaily}
          error={of('keepDaily')}
        />
        <Field
          label={t('backups.keepWeekly')}
          type="number"
          value={keepWeekly}
          onChange={setKeepWeekly}
          error={of('keepWeekly')}
        />
      </div>
      <Field
        label={t('backups.folder')}
        value={folder}
        onChange={setFolder}
        help={t('backups.folderHelp')}
        error={of('folder')}
      />
      <FormProblem error={save.error} />
      <div className={styles.actions}>
        <Button type="submit" isDisabled={save.isPending}>
          {t('form.save')}
        </Button>
        <span role="status">{save.isSuccess ? t('form.saved') : ''}</span>
      </div>
    </form>
  );
}

function MakeBackup({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const refresh = useRefresh();
  const [directory, setDirectory] = useState('');
  const make = useMutation({
    mutationFn: () =>
      client.call('createBackup', { body: directory.trim() === '' ? {} : { directory: directory.trim() } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  const fieldError = useFieldErrors(make.error);
  return (
    <FormDialog
      title={t('backups.makeTitle')}
      intro={t('backups.makeIntro')}
      submitLabel={t('backups.make')}
      isPending={make.isPending}
      error={make.error}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Field
        label={t('backups.otherFolder')}
        value={directory}
        onChange={setDirectory}
        help={t('backups.otherFolderHelp')}
        error={fieldError('directory')}
      />
    </FormDialog>
  );
}

function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { t, format } = useWords();
  const refresh = useRefresh();
  const remove = useMutation({
    mutationFn: () =>
      client.call('deleteBackup', { params: { backupId: backup.id }, query: { directory: backup.directory } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('backups.deleteTitle')}
      submitLabel={t('backups.delete')}
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{t('backups.deleteEffect', { time: format.moment(backup.createdTs) })}</p>
    </FormDialog>
  );
}

function Actions({ backup, onDelete }: { backup: Backup; onDelete: (backup: Backup) => void }) {
  const { t, format, language } = useWords();
  const refresh = useRefresh();
  const time = format.moment(backup.createdTs);
  const verify = useMutation({
    mutationFn: () =>
      client.call('verifyBackup', { params: { backupId: backup.id }, query: { directory: backup.directory } }),
    onSuccess: refresh,
  });
  return (
    <div className={styles.actions}>
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
        onPress={() => onDelete(backup)}
      />
      <span role="status" className="visually-hidden">
        {verify.isSuccess ? t('backups.verifyStarted') : ''}
      </span>
      {verify.error && <small className={styles.bad}>{errorSentence(verify.error, t, language)}</small>}
    </div>
  );
}

function BackupTable({ items, onDelete }: { items: Backup[]; onDelete: (backup: Backup) => void }) {
  const { t, format } = useWords();
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
            {!row.isOwn && <Pill tone="warn">{t('backups.foreign')}</Pill>}
            {[...row.problems, ...(row.check?.problems ?? [])].map((problem) => (
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
        isNumber: true,
        value: (row) => row.check?.checkedTs,
        cell: (row) => (row.check ? format.moment(row.check.checkedTs) : <Faint>{t('backups.checkedWhenMade')}</Faint>),
      },
      { id: 'actions', header: t('exports.actions'), cell: (row) => <Actions backup={row} onDelete={onDelete} /> },
    ],
    [t, format, onDelete],
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

function Content({ onMake }: { onMake: () => void }) {
  const { t } = useWords();
  const backups = useQuery(backupsQuery());
  const settings = useQuery(settingsQuery());
  const [deleting, setDeleting] = useState<Backup | null>(null);
  return (
    <>
      <QueryView query={backups}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="shield" title={t('backups.emptyTitle')} help={t('backups.emptyHelp')}>
              <Button kind="primary" onPress={onMake}>
                {t('backups.make')}
              </Button>
            </Empty>
          ) : (
            <BackupTable items={items} onDelete={setDeleting} />
          )
        }
      </QueryView>
      <div className={styles.cards}>
        <Status />
        <QueryView query={settings}>
          {(data) => <Schedule key={JSON.stringify(data.backup.schedule)} schedule={data.backup.schedule} />}
        </QueryView>
      </div>
      <p className={styles.hint}>{t('backups.restoreHelp')}</p>
      {deleting && <DeleteBackup backup={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

export function Backups() {
  const { t } = useWords();
  const isAdministrator = useRole() === 'ADMIN';
  const [isMaking, setMaking] = useState(false);
  const begin = () => setMaking(true);
  useCommands([
    {
      id: 'backups.make',
      label: t('backups.make'),
      keys: ['N'],
      scope: 'page',
      isEnabled: isAdministrator,
      run: begin,
    },
  ]);
  return (
    <SitePage
      title={t('site.backups')}
      summary={t('backups.summary')}
      isForAdministrators
      actions={
        <Button kind="primary" icon="plus" onPress={begin}>
          {t('backups.make')}
        </Button>
      }
    >
      <Content onMake={begin} />
      {isMaking && <MakeBackup onClose={() => setMaking(false)} />}
    </SitePage>
  );
}
