import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Study } from '../../../src-server/api/contract/index.ts';
import { arrivalsQuery } from '../../shared/api/attention-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { arrivalCounts } from './arrival-counts.ts';
import styles from './today.module.css';

/** Counts of what arrived per study in the last 24 hours. */
export function Arrivals({ studies }: { studies: readonly Study[] }) {
  const { t, format } = useWords();
  const events = useQueries({ queries: studies.map((study) => arrivalsQuery(study.id)) });
  const rows = studies.flatMap((study, index) => {
    const { items = [], links } = events[index]?.data ?? {};
    const found = { study, isLeast: links !== undefined, ...arrivalCounts(items) };
    return found.recordings + found.tasks + found.messages + found.analyses > 0 ? [found] : [];
  });
  if (events.some(({ isPending }) => isPending)) return null;
  return (
    <section className={`${panelClass} ${styles.arrivals}`} aria-label={t('today.arrived')}>
      <h2>{t('today.arrived')}</h2>
      {rows.length === 0 ? (
        <p>{t('today.nothingArrived')}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{t('today.study')}</th>
              <th scope="col">{t('today.recordings')}</th>
              <th scope="col">{t('today.tasks')}</th>
              <th scope="col">{t('today.messages')}</th>
              <th scope="col">{t('today.analyses')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ study, isLeast, ...counts }) => (
              <tr key={study.id}>
                <th scope="row">
                  <Link to="/studies/$studyId" params={{ studyId: study.id }}>
                    {study.displayName}
                  </Link>
                </th>
                {([counts.recordings, counts.tasks, counts.messages, counts.analyses] as const).map((count, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
                  <td key={column}>
                    {isLeast && count > 0 ? t('today.atLeast', { number: format.number(count) }) : format.number(count)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
