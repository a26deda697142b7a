/** The reading of everything that is stored: when it ended last, how far it is, what it found, and how often it runs. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Scrub as State } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { scrubQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Faint } from '../../shared/kit/data-table.tsx';
import { FormProblem } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Notice, QueryView } from '../../shared/kit/state.tsx';
import styles from './site.module.css';

const DAYS = [7, 14, 30, 60, 90];
const NEVER = 'never';
const SHOWN = 20;

function Findings({ findings, countOpen }: Pick<State, 'findings' | 'countOpen'>) {
  const { t, format } = useWords();
  if (findings.length === 0) return null;
  const sourceOf = ({ from, heldBy, isLocked, state }: State['findings'][number]) => {
    if (state !== 'HEALED') {
      if (isLocked) return t('scrub.locked');
      return heldBy === undefined ? t('scrub.noCopy') : t('scrub.held', { device: heldBy });
    }
    if (from?.kind !== 'BACKUP') return t('scrub.repaired');
    return from.createdTs === undefined
      ? t('scrub.repairedIn', { directory: from.directory ?? '' })
      : t('scrub.repairedFrom', { time: format.moment(from.createdTs) });
  };
  return (
    <Notice tone={countOpen > 0 ? 'bad' : 'info'}>
      <ul className={styles.problems}>
        {findings.slice(0, SHOWN).map((finding) => (
          <li key={`${finding.directory} ${finding.file}`}>
            <span className={styles.mono}>{[finding.directory, finding.file].filter(Boolean).join('/')}</span>{' '}
            {sourceOf(finding)}
          </li>
        ))}
      </ul>
      {findings.length > SHOWN && <small>{t('scrub.more', { count: findings.length - SHOWN })}</small>}
    </Notice>
  );
}

function Facts({ scrub: { current, last } }: { scrub: State }) {
  const { t, format } = useWords();
  const counts = ({ files, bytes, found, healed }: { files: number; bytes: number; found: number; healed: number }) =>
    t('scrub.counts', {
      files: format.number(files),
      size: format.bytes(bytes),
      found: format.number(found),
      healed: format.number(healed),
    });
  return (
    <>
      <dl className={styles.facts}>
        <dt>{t('scrub.last')}</dt>
        <dd>
          {last ? (
            <>
              {format.dateTime(last.finishedTs)}
              <br />
              <small>{counts(last)}</small>
            </>
          ) : (
            <Faint>{t('scrub.never')}</Faint>
          )}
        </dd>
        {current && (
          <>
            <dt>{t('scrub.current')}</dt>
            <dd>
              {t('scrub.part', { part: t(`scrub.parts.${current.part}`) })}
              <br />
              <small>{counts(current)}</small>
            </dd>
          </>
        )}
      </dl>
      {last && last.unreached.length > 0 && (
        <Notice tone="warn">{t('scrub.unreached', { places: last.unreached.join(', ') })}</Notice>
      )}
    </>
  );
}

export function Scrub() {
  const { t } = useWords();
  const queries = useQueryClient();
  const query = useQuery(scrubQuery());
  const refresh = () =>
    Promise.all([['scrub'], ['setting']].map((queryKey) => queries.invalidateQueries({ queryKey })));
  const start = useMutation({ mutationFn: () => client.call('startScrub'), onSettled: refresh });
  const save = useMutation({
    mutationFn: (everyDays: number | null) => client.call('updateSiteSettings', { body: { scrub: { everyDays } } }),
    onSettled: refresh,
  });
  return (
    <section className={`${panelClass} ${styles.card}`} aria-label={t('scrub.title')}>
      <div className={styles.cardHead}>
        <h2>{t('scrub.title')}</h2>
        <Button
          icon="shield"
          isDisabled={start.isPending || query.data?.isReading === true}
          onPress={() => start.mutate()}
        >
          {t('scrub.start')}
        </Button>
      </div>
      <p className={styles.hint}>{t('scrub.help')}</p>
      <QueryView query={query}>
        {(data) => (
          <>
            <Facts scrub={data} />
            <Findings findings={data.findings} countOpen={data.countOpen} />
            <Select
              label={t('scrub.every')}
              value={String(data.everyDays ?? NEVER)}
              options={[
                ...[...new Set([...DAYS, ...(data.everyDays === null ? [] : [data.everyDays])])]
                  .sort((a, b) => a - b)
                  .map((days) => ({ id: String(days), label: t('scrub.days', { count: days }) })),
                { id: NEVER, label: t('scrub.off') },
              ]}
              isDisabled={save.isPending}
              onChange={(chosen) => save.mutate(chosen === NEVER ? null : Number(chosen))}
            />
          </>
        )}
      </QueryView>
      <FormProblem error={start.error ?? save.error} />
    </section>
  );
}
