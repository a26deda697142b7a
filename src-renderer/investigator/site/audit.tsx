/** The audit: who changed what, when and why. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { auditQuery, usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { Faint } from '../../shared/kit/data-table.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty, ErrorNotice, SkeletonRows } from '../../shared/kit/state.tsx';
import table from '../../shared/kit/table.module.css';
import { actionText, fieldText, valueText } from '../history/history-words.ts';
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

/** Midnight of a date in the zone of this computer; undefined for no date. */
function midnight(date: string, addDays: number): number | undefined {
  if (date === '') return undefined;
  const [year, month, day] = date.split('-').map(Number);
  return new Date(year, month - 1, day + addDays).getTime();
}

function Changes({ entry }: { entry: AuditEntry }) {
  const { t, format } = useWords();
  if (entry.changes.length === 0) return <Faint>{t('audit.noValues')}</Faint>;
  return (
    <details>
      <summary>{format.list(entry.changes.map(({ field }) => fieldText(field, t)))}</summary>
      <dl className={styles.facts}>
        {entry.changes.map((change) => (
          <div key={change.field} style={{ display: 'contents' }}>
            <dt>{fieldText(change.field, t)}</dt>
            <dd className={styles.mono}>
              {change.old !== undefined && <del>{valueText(change.field, change.old, t, format)}</del>}{' '}
              {change.new !== undefined && valueText(change.field, change.new, t, format)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  const { t, format } = useWords();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={table.frame} aria-label={t('site.audit')} tabIndex={0}>
      <table className={table.table}>
        <caption className="visually-hidden">{t('site.audit')}</caption>
        <thead>
          <tr>
            <th scope="col" className={table.number}>
              {t('audit.sequence')}
            </th>
            <th scope="col">{t('audit.time')}</th>
            <th scope="col">{t('audit.who')}</th>
            <th scope="col">{t('audit.action')}</th>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.reason')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.sequence}>
              <td className={table.number}>{format.number(entry.sequence)}</td>
              <td title={format.dateTime(entry.timeTs)}>{format.moment(entry.timeTs)}</td>
              <td>{entry.actor.displayName ?? t(`audit.actors.${entry.actor.type}`)}</td>
              <td>
                <span title={`${entry.action} ${entry.entityId}`}>{actionText(entry.action, t)}</span>
              </td>
              <td>
                <div className={styles.wrap}>
                  <Changes entry={entry} />
                </div>
              </td>
              <td>
                <div className={styles.wrap}>{entry.reason ?? <Faint>{t('audit.noReason')}</Faint>}</div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Content() {
  const { t } = useWords();
  const { user } = useSession();
  const [studyId, setStudyId] = useState('');
  const [userId, setUserId] = useState('');
  const [entityType, setEntityType] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const users = useQuery(usersQuery(user.accountId)).data?.items ?? [];
  const endTs = midnight(to, 1);
  const query = useInfiniteQuery(
    auditQuery(user.accountId, {
      studyId: studyId || undefined,
      userId: userId || undefined,
      entityType: entityType || undefined,
      from: midnight(from, 0),
      to: endTs === undefined ? undefined : endTs - 1,
    }),
  );
  const entries = query.data?.pages.flatMap((page) => page.items);
  const isFiltered = [studyId, userId, entityType, from, to].some((value) => value !== '');
  const clear = () => {
    setStudyId('');
    setUserId('');
    setEntityType('');
    setFrom('');
    setTo('');
  };
  return (
    <>
      <div className={styles.filters}>
        <Select
          label={t('studies.name')}
          value={studyId}
          options={[
            { id: '', label: t('audit.everywhere') },
            ...studies.map((study) => ({ id: study.id, label: study.displayName })),
          ]}
          onChange={setStudyId}
        />
        <Select
          label={t('audit.who')}
          value={userId}
          options={[
            { id: '', label: t('audit.everyone') },
            ...users.map((one) => ({ id: one.id, label: `${one.firstName} ${one.lastName}` })),
          ]}
          onChange={setUserId}
        />
        <Select
          label={t('audit.what')}
          value={entityType}
          options={[
            { id: '', label: t('audit.everything') },
            ...ENTITIES.map((id) => ({ id: id as string, label: t(`audit.entities.${id}`) })),
          ]}
          onChange={setEntityType}
        />
        <Field label={t('audit.from')} type="date" value={from} onChange={setFrom} />
        <Field label={t('audit.to')} type="date" value={to} onChange={setTo} />
        {isFiltered && <Button onPress={clear}>{t('audit.clear')}</Button>}
      </div>
      {query.error && (
        <ErrorNotice
          error={query.error}
          onRetry={() => void query.refetch()}
          asOf={entries ? query.dataUpdatedAt : undefined}
        />
      )}
      {!entries && !query.error && <SkeletonRows />}
      {entries?.length === 0 && (
        <Empty icon="search" title={t('state.noResult')} help={t('audit.noneHelp')}>
          <Button onPress={clear}>{t('audit.clear')}</Button>
        </Empty>
      )}
      {entries && entries.length > 0 && <Entries entries={entries} />}
      <div className={styles.foot}>
        {query.hasNextPage && (
          <Button isDisabled={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {query.isFetchingNextPage ? t('form.busy') : t('audit.older')}
          </Button>
        )}
      </div>
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
