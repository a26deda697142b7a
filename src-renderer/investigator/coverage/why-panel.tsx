/** Explains missing data of a day: the gaps, and their causes, each with its evidence and one action. */

import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { Cause } from '../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { whyQuery } from '../../shared/api/attention-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Pill } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { Delayed, QueryView, Skeleton } from '../../shared/kit/state.tsx';
import { clockReading } from '../../shared/time/local-day.ts';
import { usePlacement } from '../recordings/sensor-words.ts';
import { ActionLink } from './action-link.tsx';
import styles from './causes.module.css';
import { RetryJob } from './retry-job.tsx';
import { useEvidenceWords } from './words.ts';

function CauseItem({ cause, subject }: { cause: Cause; subject: DeskSubject }) {
  const { t } = useWords();
  const can = usePermissions();
  const evidence = useEvidenceWords(subject.timezone);
  const text = t(`causes.${cause.code}`, evidence(cause.evidence));
  return (
    <li className={styles.cause}>
      <Pill tone={cause.topic === 'transport' ? 'info' : cause.topic === 'study' ? 'neutral' : 'warn'}>
        {t(`topics.${cause.topic}`)}
      </Pill>
      <span>{text}</span>
      {cause.action.kind === 'RETRY_JOB' && can('job.retry', subject.studyId) ? (
        <RetryJob jobId={cause.action.target.id} about={text} />
      ) : cause.action.kind === 'SHOW_SUBJECT' ? (
        // The action would lead to the day that is already open.
        <span className={styles.wait}>{t('actions.nothing')}</span>
      ) : (
        <ActionLink action={cause.action} place={{ studyId: subject.studyId, subjectId: subject.id }} about={text} />
      )}
    </li>
  );
}

export const WhyPanel = memo(function WhyPanel({
  subject,
  date,
  isMain,
}: {
  subject: DeskSubject;
  date: string;
  isMain: boolean;
}) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const why = useQuery(whyQuery(subject.studyId, subject.id, date));
  // Round to the minute: a recording that ends a second off the full hour reads as ending at the hour.
  const clock = (ms: number) => clockReading(Math.round(ms / MINUTE_MS) * MINUTE_MS, subject.timezones).clock;
  return (
    <QueryView
      query={why}
      skeleton={
        <Delayed>
          <div className={`${panelClass} ${styles.why}`} role="status" aria-label={t('noData.loading')}>
            <Skeleton height="1.25rem" width="40%" />
            <Skeleton height="3rem" />
          </div>
        </Delayed>
      }
    >
      {(data) =>
        data.causes.length === 0 && !isMain ? null : (
          <section className={`${panelClass} ${styles.why}`} aria-label={t('noData.title')}>
            <h2>{isMain ? t('noData.dayTitle', { date: format.date(data.date) }) : t('noData.title')}</h2>
            {data.holes.length > 0 && (
              <ul className={styles.holes}>
                {data.holes.map((hole) => (
                  <li key={`${hole.startTs} ${hole.location ?? ''}`}>
                    {t('noData.from', {
                      start: clock(hole.startTs),
                      stop: hole.stopTs === data.stopTs ? '24:00' : clock(hole.stopTs),
                      duration: format.duration((hole.stopTs - hole.startTs) / 1000),
                    })}
                    {hole.location !== undefined && (
                      <small>
                        {t('noData.onlyPlacement', {
                          location: placement({ location: hole.location, side: 'NONE', signal: '' }),
                        })}
                      </small>
                    )}
                  </li>
                ))}
              </ul>
            )}
            {data.untilTs < data.stopTs && data.untilTs > data.startTs && (
              <p className={styles.wait}>{t('noData.toCome', { time: clock(data.untilTs) })}</p>
            )}
            {data.causes.length === 0 ? (
              <p>{t(data.untilTs < data.stopTs ? 'noData.wholeSoFar' : 'noData.whole')}</p>
            ) : (
              <ol className={styles.causes} aria-label={t('noData.causes')}>
                {data.causes.map((cause) => (
                  <CauseItem
                    key={`${cause.code} ${cause.action.target.id} ${cause.evidence.recordingId ?? ''} ${cause.evidence.sensorId ?? ''} ${cause.evidence.atTs ?? ''}`}
                    cause={cause}
                    subject={subject}
                  />
                ))}
              </ol>
            )}
          </section>
        )
      }
    </QueryView>
  );
});
