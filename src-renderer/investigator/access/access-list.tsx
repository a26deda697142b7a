/** The access log of the site or of a study, filtered, page by page, and as CSV. */
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AccessEntry } from '../../../src-server/api/contract/index.ts';
import { ACCESS_KINDS, type AccessKind } from '../../../src-server/vocabulary/access-log.ts';
import { client } from '../../shared/api/client.ts';
import { fileName, saveResponse } from '../../shared/api/download.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { type AccessFilter, accessPagesQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { DAY, oneOf, RECORD, TEXT } from '../filters/filter-search.ts';
import { useTableFilter } from '../filters/use-table-filter.ts';
import history from '../history/history.module.css';
import site from '../site/site.module.css';
import styles from './access.module.css';

const FIELDS = {
  user: RECORD,
  kind: oneOf(['', ...ACCESS_KINDS], ''),
  subject: RECORD,
  address: TEXT,
  from: DAY,
  to: DAY,
};

type Scope = { studyId: string } | { accountId: string };

export interface Choice {
  id: string;
  label: string;
}

/** Returns midnight of a date in this computer's time zone; undefined for an empty date. */
function midnight(date: string, addDays: number): number | undefined {
  if (date === '') return undefined;
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + addDays).getTime();
}

function useColumns(isWide: boolean): Column<AccessEntry>[] {
  const { t, format } = useWords();
  return useMemo(() => {
    const named = (record: { displayName?: string | undefined }) =>
      record.displayName ?? <Faint>{t('accessLog.gone')}</Faint>;
    return [
      {
        id: 'when',
        header: t('accessLog.when'),
        cell: ({ timeTs, lastTs, count }) => (
          <span className={styles.cell}>
            <time dateTime={new Date(timeTs).toISOString()} title={format.dateTime(timeTs)}>
              {format.moment(timeTs)}
            </time>
            {count > 1 && <small>{t('accessLog.counted', { count, time: format.moment(lastTs) })}</small>}
          </span>
        ),
      },
      {
        id: 'who',
        header: t('accessLog.who'),
        cell: ({ user, by, nameHash }) => (
          <span className={styles.cell}>
            {user ? (
              named(user)
            ) : (
              <Faint help={nameHash === undefined ? undefined : t('accessLog.nameHash')}>
                {t('accessLog.unknownName')}
                {nameHash !== undefined && ` #${nameHash.slice(0, 6)}`}
              </Faint>
            )}
            {by && <small>{t('accessLog.by', { name: by.displayName ?? '' })}</small>}
          </span>
        ),
      },
      {
        id: 'what',
        header: t('accessLog.what'),
        cell: ({ kind, detail }) => (
          <span className={styles.cell}>
            {t(`accessLog.kinds.${kind}`)}
            <small>{t(`accessLog.details.${detail}`)}</small>
          </span>
        ),
      },
      {
        id: 'where',
        header: isWide ? t('accessLog.where') : t('accessLog.subject'),
        cell: ({ study, subject }) => (
          <span className={styles.cell}>
            {subject && named(subject)}
            {isWide && study && (subject ? <small>{named(study)}</small> : named(study))}
          </span>
        ),
      },
      {
        id: 'address',
        header: t('accessLog.from'),
        cell: ({ address, kind }) => address ?? (kind === 'SIGN_IN_FAILED' ? <Faint>{t('accessLog.many')}</Faint> : ''),
      },
    ];
  }, [t, format, isWide]);
}

export function AccessList({
  scope,
  users,
  subjects,
  caption,
}: {
  scope: Scope;
  users: readonly Choice[];
  /** Of a study; without them, subjects are not filtered by. */
  subjects?: readonly Choice[];
  caption: string;
}) {
  const { t } = useWords();
  const tableFilter = useTableFilter(FIELDS);
  const { values, set, clear, isFiltered } = tableFilter;
  const studyId = 'studyId' in scope ? scope.studyId : undefined;
  const can = usePermissions();
  const mayExport = studyId === undefined ? can('site.manage') : can('audit.export', studyId);
  const endTs = midnight(values.to, 1);
  const startTs = midnight(values.from, 0);
  const address = values.address.trim();
  const filter: AccessFilter = {
    ...(values.user !== '' && { userId: values.user }),
    ...(values.kind !== '' && { kind: values.kind as AccessKind }),
    ...(values.subject !== '' && { subjectId: values.subject }),
    ...(address !== '' && { address: address.slice(0, 60) }),
    ...(startTs !== undefined && { from: String(startTs) }),
    ...(endTs !== undefined && { to: String(endTs - 1) }),
  };
  const { rest: _, ...list } = useLongList(accessPagesQuery(scope, filter));
  const columns = useColumns(studyId === undefined);
  const save = useMutation({
    mutationFn: async () =>
      await saveResponse(
        'studyId' in scope
          ? await client.fetch('exportStudyAccess', { params: scope, query: filter })
          : await client.fetch('exportAccountAccess', { params: scope, query: filter }),
        fileName(caption, 'access.csv'),
      ),
  });
  return (
    <div className={history.history}>
      <div className={site.filters}>
        <Select
          label={t('accessLog.user')}
          value={values.user}
          options={[{ id: '', label: t('audit.everyone') }, ...users]}
          onChange={(user) => set({ user })}
        />
        <Select
          label={t('accessLog.kind')}
          value={values.kind}
          options={[
            { id: '' as const, label: t('accessLog.allKinds') },
            ...ACCESS_KINDS.map((id) => ({ id, label: t(`accessLog.kinds.${id}`) })),
          ]}
          onChange={(kind) => set({ kind })}
        />
        {subjects && (
          <Select
            label={t('accessLog.subject')}
            value={values.subject}
            options={[{ id: '', label: t('accessLog.allSubjects') }, ...subjects]}
            onChange={(subject) => set({ subject })}
          />
        )}
        <Field label={t('audit.from')} type="date" value={values.from} onChange={(from) => set({ from })} />
        <Field label={t('audit.to')} type="date" value={values.to} onChange={(to) => set({ to })} />
        <Field label={t('accessLog.address')} value={values.address} onChange={(next) => set({ address: next })} />
        {isFiltered && <Button onPress={clear}>{t('audit.clear')}</Button>}
        {mayExport && (
          <Button icon="download" isDisabled={save.isPending} onPress={() => save.mutate()}>
            {t('accessLog.csv')}
          </Button>
        )}
      </div>
      <FormProblem error={save.error} />
      <QueryView query={list.query}>
        {() =>
          list.items.length === 0 ? (
            isFiltered ? (
              <Empty icon="search" title={t('state.noResult')} help={t('audit.noneHelp')}>
                <Button onPress={clear}>{t('audit.clear')}</Button>
              </Empty>
            ) : (
              <Empty icon="rows" title={t('accessLog.empty')} help={t('accessLog.emptyHelp')} />
            )
          ) : (
            <>
              <DataTable
                caption={caption}
                rows={list.items}
                columns={columns}
                rowId={({ sequence }) => String(sequence)}
                initialSort={{ id: 'when', desc: true }}
                list={list}
              />
              {!list.hasMore && <p className={history.foot}>{t('accessLog.shown', { count: list.items.length })}</p>}
            </>
          )
        }
      </QueryView>
    </div>
  );
}
