/** Exports of studies: requested, followed, downloaded and deleted here; recordings are imported from files here too. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { exportsQuery } from '../../shared/api/study-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { Refused, ToStudies } from '../../shared/kit/refused.tsx';
import { Empty, QueryView, ReadError, SkeletonRows } from '../../shared/kit/state.tsx';
import { useCommands } from '../commands/commands.ts';
import { NewButton } from '../commands/new-button.tsx';
import { FilterGone } from '../filters/filter-gone.tsx';
import { RECORD } from '../filters/filter-search.ts';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { DeleteExport } from './delete-export.tsx';
import { ExportTable, type Open } from './export-table.tsx';
import styles from './exports.module.css';
import { ImportFiles } from './import-files.tsx';
import { NewExport } from './new-export.tsx';

export { OfferImport } from './offer-import.tsx';

const FILTER_FIELDS = { study: RECORD };

function ExportsOf({ studies, onOpen }: { studies: readonly Study[]; onOpen: (open: Open) => void }) {
  const { t } = useWords();
  const [first] = studies;
  const { values, set, clear } = useTableFilter(FILTER_FIELDS);
  const isGone = values.study !== '' && !studies.some(({ id }) => id === values.study);
  const wanted = isGone ? '' : values.study;
  const results = useQueries({ queries: studies.map((study) => exportsQuery(study.id)) });
  const studyNames = useMemo(() => new Map(studies.map((study) => [study.id, study.displayName])), [studies]);
  const error = results.find((result) => result.error)?.error;
  const items = results.flatMap((result) => result.data?.items ?? []);
  const shown = items.filter((item) => wanted === '' || item.studyId === wanted);
  if (error && items.length === 0) {
    return <ReadError error={error} onRetry={() => results.forEach((result) => void result.refetch())} />;
  }
  if (results.some((result) => result.isPending)) return <SkeletonRows />;
  if (items.length === 0) {
    return (
      <Empty icon="exports" title={t('exports.emptyTitle')} help={t('exports.emptyHelp')}>
        {first && (
          <Button kind="primary" icon="plus" onPress={() => onOpen({ what: 'new', studyId: first.id })}>
            {t('exports.new')}
          </Button>
        )}
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
              { id: '', label: t('exports.allStudies') },
              ...studies.map((study) => ({ id: study.id, label: study.displayName })),
            ]}
            onChange={(study) => set({ study })}
          />
        </div>
      )}
      {isGone && <FilterGone what="study" onRemove={clear} />}
      {shown.length === 0 ? (
        <Empty icon="search" title={t('state.noResult')} help={t('exports.noneOfStudy')}>
          <Button onPress={clear}>{t('exports.allStudies')}</Button>
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
  const can = usePermissions();
  const studies = useQuery(studiesQuery(user.accountId));
  const [open, setOpen] = useState<Open | null>(null);
  const readable = studies.data ?? [];
  const list = readable.filter(({ id }) => can('study.export', id));
  const importing = readable.filter(({ id }) => can('recording.import', id));
  const mayExport = can('study.export');
  const mayImport = importing.length > 0;
  const [first] = list;
  useCommands([
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
        readable.length > 0 && (
          <>
            {mayImport && (
              <Button icon="upload" onPress={() => setOpen({ what: 'import' })}>
                {t('imports.open')}
              </Button>
            )}
            {first && (
              <NewButton
                id="exports.new"
                label={t('exports.new')}
                onPress={() => setOpen({ what: 'new', studyId: first.id })}
              />
            )}
          </>
        )
      }
    >
      {mayExport || readable.length === 0 ? (
        <QueryView query={studies}>
          {(known) =>
            known.length === 0 ? (
              <Empty icon="exports" title={t('exports.noStudyTitle')} help={t('exports.noStudyHelp')}>
                <ToStudies />
              </Empty>
            ) : (
              <ExportsOf studies={known.filter(({ id }) => can('study.export', id))} onOpen={setOpen} />
            )
          }
        </QueryView>
      ) : (
        <Refused title={t('exports.forbiddenTitle')} help={t('exports.forbiddenHelp')} />
      )}
      {open?.what === 'new' && <NewExport studies={list} studyId={open.studyId} since={open.since} onClose={close} />}
      {open?.what === 'import' && <ImportFiles studies={importing} onClose={close} />}
      {open?.what === 'delete' && <DeleteExport item={open.item} onClose={close} />}
    </Page>
  );
}
