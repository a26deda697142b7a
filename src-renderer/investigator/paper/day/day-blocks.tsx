/** Blocks of a day on paper: the legend, notes on the clock, totals from midnight to midnight, and why data is missing. */
import { MINUTE_MS } from '../../../../src-server/durations.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { clockChanges, clockReading } from '../../../shared/time/local-day.ts';
import { useEvidenceWords } from '../../coverage/words.ts';
import { heartSummary } from '../../days/day-below.tsx';
import { ACTIVITY_STYLES, POSTURE_LEGEND } from '../../days/lanes/lane-styles.ts';
import { usePlacement } from '../../recordings/sensor-words.ts';
import { PaperSwatch } from '../drawing/picture.tsx';
import paper from '../paper.module.css';
import { recordedMsOf } from './day-state.ts';
import type { DayReport } from './load-day.ts';

type Activity = keyof typeof ACTIVITY_STYLES;

export function DayLegend({ report: { data } }: { report: { data: Pick<DayReport['data'], 'activity' | 'posture'> } }) {
  const { t } = useWords();
  const present = new Set<Activity>(data.activity.map(({ value }) => value));
  return (
    <div className={paper.legend}>
      {(Object.keys(ACTIVITY_STYLES) as Activity[])
        .filter((value) => present.has(value))
        .map((value) => (
          <span key={value} className={paper.swatch}>
            <PaperSwatch category={ACTIVITY_STYLES[value].category} />
            {t(`activity.${value}`)}
          </span>
        ))}
      <span className={paper.swatch}>
        <PaperSwatch category="gap" />
        {t('wear.gap')}
      </span>
      {data.posture.length > 0 && (
        <>
          <span>{t('lanes.postureLegend')}</span>
          {POSTURE_LEGEND.map(({ category, label }) => (
            <span key={category} className={paper.swatch}>
              <PaperSwatch category={category} />
              {t(label)}
            </span>
          ))}
        </>
      )}
    </div>
  );
}

export function ClockNotes({ report: { day, subject } }: { report: DayReport }) {
  const { t, format } = useWords();
  const length = format.duration((day.nextMidnightMs - day.midnightMs) / 1000);
  const notes = clockChanges(day.midnightMs, day.nextMidnightMs, subject.timezones).map(
    ({ shiftMs, before, after, zones }) =>
      zones
        ? t('days.lengthZone', { length, before, after, zoneBefore: zones.before, zoneAfter: zones.after })
        : t(shiftMs > 0 ? 'days.lengthForward' : 'days.lengthBack', { length }),
  );
  return <p className={paper.muted}>{[t('lanes.heartRateHelp'), t('days.bracketHelp'), ...notes].join(' ')}</p>;
}

export function DayTotalsList({ report: { totals, data } }: { report: DayReport }) {
  const { t, format } = useWords();
  const hasRecording = recordedMsOf(totals) > 0;
  return (
    <section>
      <h3>{t('paper.day.totals')}</h3>
      <p>
        {t('lanes.heartRate')}: {heartSummary(totals.heartRate, t, format)}
        <br />
        {t('lanes.steps')}: {totals.steps === undefined ? t('days.summaryNoHeart') : format.number(totals.steps)}
      </p>
      <table className={paper.table}>
        <thead>
          <tr>
            <th scope="col">{t('lanes.activity')}</th>
            <th scope="col" className={paper.number}>
              {t('days.duration')}
            </th>
            <th scope="col" className={paper.number}>
              {t('days.share')}
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.activity.map(({ value, seconds, share }) => (
            <tr key={value}>
              <th scope="row">
                <span className={paper.swatch}>
                  <PaperSwatch category={ACTIVITY_STYLES[value].category} />
                  {t(`activity.${value}`)}
                </span>
              </th>
              <td className={paper.number}>{format.duration(seconds)}</td>
              <td className={paper.number}>{t('days.percent', { value: format.number(share * 100) })}</td>
            </tr>
          ))}
          {totals.activity.length === 0 && hasRecording && (
            <tr>
              <td colSpan={3}>{data.isAnalysed ? t('lanes.nothingHere') : t('paper.day.notAnalysed')}</td>
            </tr>
          )}
          <tr>
            <th scope="row">
              <span className={paper.swatch}>
                <PaperSwatch category="gap" />
                {t('wear.gap')}
              </span>
            </th>
            <td className={paper.number}>{format.duration(totals.gapSeconds)}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </section>
  );
}

/** The same reasons as on the screen, without their actions. */
export function Causes({ report: { why, subject } }: { report: DayReport }) {
  const { t, format } = useWords();
  const placement = usePlacement();
  const evidence = useEvidenceWords(subject.timezone);
  const clock = (ms: number) => clockReading(Math.round(ms / MINUTE_MS) * MINUTE_MS, subject.timezones).clock;
  return (
    <section>
      <h3>{t('paper.day.missing')}</h3>
      {why.causes.length === 0 && (
        <p>
          {t(
            why.holes.length > 0
              ? 'paper.day.noCause'
              : why.untilTs < why.stopTs
                ? 'noData.wholeSoFar'
                : 'noData.whole',
          )}
        </p>
      )}
      {why.holes.length > 0 && (
        <ul>
          {why.holes.map(({ startTs, stopTs, location }) => (
            <li key={`${startTs} ${location ?? ''}`}>
              {t('noData.from', {
                start: clock(startTs),
                stop: stopTs === why.stopTs ? '24:00' : clock(stopTs),
                duration: format.duration((stopTs - startTs) / 1000),
              })}
              {location !== undefined &&
                ` ${t('noData.onlyPlacement', { location: placement({ location, side: 'NONE', signal: '' }) })}`}
            </li>
          ))}
        </ul>
      )}
      {why.causes.length > 0 && (
        <ol>
          {why.causes.map((cause) => (
            <li
              key={`${cause.code} ${cause.action.target.id} ${cause.evidence.recordingId ?? ''} ${cause.evidence.atTs ?? ''}`}
            >
              {t(`causes.${cause.code}`, evidence(cause.evidence))}
            </li>
          ))}
        </ol>
      )}
      {why.untilTs < why.stopTs && why.untilTs > why.startTs && (
        <p>{t('noData.toCome', { time: clock(why.untilTs) })}</p>
      )}
    </section>
  );
}
