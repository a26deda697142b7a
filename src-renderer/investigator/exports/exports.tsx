/** Exports of studies: made, watched, downloaded, deleted; and recordings brought in from files. */
import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Study, StudyExport } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { openSigned } from '../../shared/api/download.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useRole, useSession } from '../../shared/api/session.ts';
import { exportsQuery } from '../../shared/api/work-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FormDialog } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Empty, ErrorNotice, errorSentence, QueryView, SkeletonRows } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { useStep } from '../jobs/step.ts';
import styles from './exports.module.css';
import { isIncremental, STATE_TONES } from './formats.ts';
import { ImportFiles } from './import-files.tsx';
import { NewExport } from './new-export.tsx';

type Open =
  | { what: 'new'; studyId: string; since?: StudyExport }
  | { what: 'import' }
  | { what: 'delete'; item: StudyExport };

const isMaking = ({ state }: StudyExport) => state === 'WAITING' || state === 'RUNNING';

function State({ item }: { item: StudyExport }) {
  const { t, language } = useWords();
  const step = useStep();
  const { progress } = item;
  return (
    <div className={styles.state}>
      <Pill tone={STATE_TONES[item.state]}>{t(`exports.state.${item.state}`)}</Pill>
      {item.removedBecause && <Faint>{t(`exports.removed.${item.removedBecause}`)}</Faint>}
      {item.state === 'RUNNING' && progress && progress.total > 0 && (
        <>
          <ProgressBar label={t(`exports.formats.${item.format}`)} done={progress.done} total={progress.total} />
          <small>{step(progress)}</small>
        </>
      )}
      {item.error && (
        <small className={styles.error}>{language === 'en' ? item.error.message : t('exports.failedHelp')}</small>
      )}
    </div>
  );
}

function Actions({ item, name, onOpen }: { item: StudyExport; name: string; onOpen: (open: Open) => void }) {
  const { t, language } = useWords();
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
  const problem = download.error ?? cancel.error;
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
      {item.finishedTs !== undefined && isIncremental(item.format) && (
        <Button
          small
          aria-label={t('exports.changesOf', { name })}
          onPress={() => onOpen({ what: 'new', studyId: item.studyId, since: item })}
        >
          {t('exports.changesSince')}
        </Button>
      )}
      {isMaking(item) ? (
        <Button
          small
          icon="close"
          aria-label={t('exports.cancelOf', { name })}
          isDisabled={cancel.isPending}
          onPress={() => cancel.mutate()}
        >
          {t('form.cancel')}
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

function DeleteExport({ item, onClose }: { item: StudyExport; onClose: () => void }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.call('deleteStudyExport', { params: { studyId: item.studyId, exportId: item.id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['export', item.studyId] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t('exports.deleteTitle')}
      submitLabel={t('exports.delete')}
      isPending={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        {t('exports.deleteEffect', {
          format: t(`exports.formats.${item.format}`),
          time: format.moment(item.requestedTs),
        })}
      </p>
    </FormDialog>
  );
}

function ExportTable({
  items,
  studyNames,
  onOpen,
}: {
  items: StudyExport[];
  studyNames: ReadonlyMap<string, string>;
  onOpen: (open: Open) => void;
}) {
  const { t, format } = useWords();
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
          item.sizeBytes === undefined ? <Faint>{t('exports.noSize')}</Faint> : format.bytes(item.sizeBytes),
      },
      {
        id: 'actions',
        header: t('exports.actions'),
        cell: (item) => <Actions item={item} name={nameOf(item)} onOpen={onOpen} />,
      },
    ];
  }, [t, format, studyNames, onOpen]);
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

const ALL = 'all';

function ExportsOf({ studies, onOpen }: { studies: readonly Study[]; onOpen: (open: Open) => void }) {
  const { t } = useWords();
  const [wanted, setWanted] = useState(ALL);
  const results = useQueries({ queries: studies.map((study) => exportsQuery(study.id)) });
  const studyNames = useMemo(() => new Map(studies.map((study) => [study.id, study.displayName])), [studies]);
  const error = results.find((result) => result.error)?.error;
  const items = results.flatMap((result) => result.data?.items ?? []);
  const shown = items.filter((item) => wanted === ALL || item.studyId === wanted);
  if (error && items.length === 0) {
    return <ErrorNotice error={error} onRetry={() => results.forEach((result) => void result.refetch())} />;
  }
  if (results.some((result) => result.isPending)) return <SkeletonRows />;
  if (items.length === 0) {
    return (
      <Empty icon="exports" title={t('exports.emptyTitle')} help={t('exports.emptyHelp')}>
        <Button kind="primary" icon="plus" onPress={() => onOpen({ what: 'new', studyId: studies[0].id })}>
          {t('exports.new')}
        </Button>
      </Empty>
    );
  }
  return (
    <>
      {studies.length > 1 && (
        <div>
          <Select
            isCompact
            label={t('studies.name')}
            value={wanted}
            options={[
              { id: ALL, label: t('exports.allStudies') },
              ...studies.map((study) => ({ id: study.id, label: study.displayName })),
            ]}
            onChange={setWanted}
          />
        </div>
      )}
      {shown.length === 0 ? (
        <Empty icon="search" title={t('state.noResult')} help={t('exports.noneOfStudy')}>
          <Button onPress={() => setWanted(ALL)}>{t('exports.allStudies')}</Button>
        </Empty>
      ) : (
        <ExportTable items={shown} studyNames={studyNames} onOpen={onOpen} />
      )}
      <p className={styles.hint}>{t('exports.keptHelp')}</p>
    </>
  );
}

export function Exports() {
  const { t } = useWords();
  const { user } = useSession();
  const role = useRole();
  const studies = useQuery(studiesQuery(user.accountId));
  const [open, setOpen] = useState<Open | null>(null);
  const mayExport = role !== 'MONITOR';
  const mayImport = role === 'ADMIN' || role === 'COORDINATOR';
  const list = studies.data ?? [];
  const begin = () => list.length > 0 && setOpen({ what: 'new', studyId: list[0].id });
  useCommands([
    { id: 'exports.new', label: t('exports.new'), keys: ['N'], scope: 'page', isEnabled: mayExport, run: begin },
    {
      id: 'exports.import',
      label: t('imports.open'),
      keys: ['I'],
      scope: 'page',
      isEnabled: mayImport,
      run: () => setOpen({ what: 'import' }),
    },
  ]);
  const close = () => setOpen(null);
  return (
    <Page
      title={t('exports.title')}
      summary={t('exports.summary')}
      actions={
        list.length > 0 && (
          <>
            {mayImport && (
              <Button icon="upload" onPress={() => setOpen({ what: 'import' })}>
                {t('imports.open')}
              </Button>
            )}
            {mayExport && (
              <Button kind="primary" icon="plus" onPress={begin}>
                {t('exports.new')}
              </Button>
            )}
          </>
        )
      }
    >
      {mayExport ? (
        <QueryView query={studies}>
          {(known) =>
            known.length === 0 ? (
              <Empty icon="exports" title={t('exports.noStudyTitle')} help={t('exports.noStudyHelp')} />
            ) : (
              <ExportsOf studies={known} onOpen={setOpen} />
            )
          }
        </QueryView>
      ) : (
        <Empty icon="shield" title={t('exports.forbiddenTitle')} help={t('exports.forbiddenHelp')} />
      )}
      {open?.what === 'new' && <NewExport studies={list} studyId={open.studyId} since={open.since} onClose={close} />}
      {open?.what === 'import' && <ImportFiles studies={list} onClose={close} />}
      {open?.what === 'delete' && <DeleteExport item={open.item} onClose={close} />}
    </Page>
  );
}
