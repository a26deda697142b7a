/** The audit trail of the whole site, filtered by study, user, record type and date. */

import { useQuery } from '@tanstack/react-query';
import { personName } from '../../../src-server/study/person-name.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { FilterGone } from '../filters/filter-gone.tsx';
import { DAY, oneOf, RECORD } from '../filters/filter-search.ts';
import { SavedFilters } from '../filters/saved-filters.tsx';
import { useTableFilter } from '../filters/use-table-filter.ts';
import { AnchorState } from '../history/anchor-state.tsx';
import { History } from '../history/history.tsx';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';

const ENTITIES = [
  'user',
  'membership',
  'study',
  'subject',
  'recording',
  'annotation',
  'message',
  'equipment',
  'device',
  'pairing',
  'refusal',
  'export',
  'job',
  'setting',
  'webhook',
] as const;

const FILTER_FIELDS = { study: RECORD, user: RECORD, type: oneOf(['', ...ENTITIES], ''), from: DAY, to: DAY };

/** Returns midnight of a date in this computer's time zone; undefined for an empty date. */
function midnight(date: string, addDays: number): number | undefined {
  if (date === '') return undefined;
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + addDays).getTime();
}

function Content() {
  const { t } = useWords();
  const { user } = useSession();
  const tableFilter = useTableFilter(FILTER_FIELDS);
  const { set, clear, isFiltered } = tableFilter;
  const { type: entityType, from, to, ...records } = tableFilter.values;
  const studies = useQuery(studiesQuery(user.accountId)).data;
  const users = useQuery(usersQuery(user.accountId)).data?.items;
  const isStudyGone = records.study !== '' && studies !== undefined && !studies.some(({ id }) => id === records.study);
  const isUserGone = records.user !== '' && users !== undefined && !users.some(({ id }) => id === records.user);
  const studyId = isStudyGone ? '' : records.study;
  const userId = isUserGone ? '' : records.user;
  const endTs = midnight(to, 1);
  const scope = studyId ? { studyId } : { accountId: user.accountId };
  const filter = {
    userId: userId || undefined,
    entityType: entityType || undefined,
    from: midnight(from, 0),
    to: endTs === undefined ? undefined : endTs - 1,
  };
  return (
    <>
      <div className={styles.filters}>
        <Select
          label={t('studies.name')}
          value={studyId}
          options={[
            { id: '', label: t('audit.everywhere') },
            ...(studies ?? []).map((study) => ({ id: study.id, label: study.displayName })),
          ]}
          onChange={(study) => set({ study })}
        />
        <Select
          label={t('audit.who')}
          value={userId}
          options={[
            { id: '', label: t('audit.everyone') },
            ...(users ?? []).map((one) => ({ id: one.id, label: personName(one) })),
          ]}
          onChange={(next) => set({ user: next })}
        />
        <Select
          label={t('audit.what')}
          value={entityType}
          options={[
            { id: '' as const, label: t('audit.everything') },
            ...ENTITIES.map((id) => ({ id, label: t(`audit.entities.${id}`) })),
          ]}
          onChange={(type) => set({ type })}
        />
        <Field label={t('audit.from')} type="date" value={from} onChange={(next) => set({ from: next })} />
        <Field label={t('audit.to')} type="date" value={to} onChange={(next) => set({ to: next })} />
        <SavedFilters table="audit" filter={tableFilter} />
        {isFiltered && <Button onPress={clear}>{t('audit.clear')}</Button>}
      </div>
      {isStudyGone && <FilterGone what="study" onRemove={() => set({ study: '' })} />}
      {isUserGone && <FilterGone what="user" onRemove={() => set({ user: '' })} />}
      <AnchorState />
      <History scope={scope} filter={filter} caption={t('site.audit')}>
        <Empty icon="search" title={t('state.noResult')} help={t('audit.noneHelp')}>
          <Button onPress={clear}>{t('audit.clear')}</Button>
        </Empty>
      </History>
    </>
  );
}

export function Audit() {
  const { t } = useWords();
  return (
    <SitePage title={t('site.audit')} summary={t('audit.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}
