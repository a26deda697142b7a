/** Parts of a day's page: totals, legends, the loading state, the note on clock changes, and the CSV download. */
import { useMutation } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import { client } from '../../shared/api/client.ts';
import { fileName, saveResponse } from '../../shared/api/download.ts';
import { Swatch } from '../../shared/charts/canvas.tsx';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { ErrorNotice, SkeletonBlocks } from '../../shared/kit/state.tsx';
import { clockChanges, type DayClock } from '../../shared/time/local-day.ts';
import styles from './days.module.css';
import type { Activity, DayTotals } from './lanes/day-data.ts';
import { ACTIVITY_STYLES, POSTURE_LEGEND } from './lanes/lane-styles.ts';
import type { Windows } from './use-day.ts';

export const Totals = memo(function Totals({ totals }: { totals: DayTotals }) {
  const { t, format } = useWords();
  return (
    <table className={styles.totals}>
      <thead>
        <tr>
          <td>
            <span className="visually-hidden">{t('lanes.activity')}</span>
          </td>
          <td>{t('days.duration')}</td>
          <td>{t('days.share')}</td>
        </tr>
      </thead>
      <tbody>
        {totals.activity.map(({ value, seconds, share }) => (
          <tr key={value}>
            <th scope="row">
              <Swatch category={ACTIVITY_STYLES[value].category} />
              {t(`activity.${value}`)}
            </th>
            <td>{format.duration(seconds)}</td>
            <td>{t('days.percent', { value: format.number(share * 100) })}</td>
          </tr>
        ))}
        {totals.gapSeconds > 0 && (
          <tr>
            <th scope="row">
              <Swatch category="gap" />
              {t('wear.gap')}
            </th>
            <td>{format.duration(totals.gapSeconds)}</td>
            <td />
          </tr>
        )}
      </tbody>
    </table>
  );
});

/** Legend of the activity band: the activities that show, from sleeping to moving, and the gap. */
export function ActivityLegend({
  present,
  note,
  children,
}: {
  present: ReadonlySet<Activity | 'unknown'>;
  note?: string;
  children?: ReactNode;
}) {
  const { t } = useWords();
  const shown = Object.entries(ACTIVITY_STYLES).filter(([value]) => (present as ReadonlySet<string>).has(value));
  return (
    <div className={styles.legend}>
      <ul aria-label={`${t('lanes.legend')}: ${t('lanes.activity')}`}>
        {shown.map(([value, { category }]) => (
          <li key={value} data-category={category}>
            <Swatch category={category} />
            {t(`activity.${value as Activity}`)}
          </li>
        ))}
        <li data-category="gap">
          <Swatch category="gap" />
          {t('wear.gap')}
        </li>
      </ul>
      {children}
      {note && <p>{note}</p>}
    </div>
  );
}

export function Legend({ totals, hasPosture }: { totals: DayTotals; hasPosture: boolean }) {
  const { t } = useWords();
  return (
    <ActivityLegend present={new Set(totals.activity.map(({ value }) => value))}>
      {hasPosture && (
        <ul aria-label={`${t('lanes.legend')}: ${t('lanes.posture')}`}>
          <li>{t('lanes.postureLegend')}</li>
          {POSTURE_LEGEND.map(({ category, label }) => (
            <li key={category} data-category={category}>
              <Swatch category={category} />
              {t(label)}
            </li>
          ))}
        </ul>
      )}
    </ActivityLegend>
  );
}

export function DayLoading() {
  return (
    <SkeletonBlocks
      heights={['3rem', '4rem', '6rem', '3.5rem', '3rem']}
      className={`${panelClass} ${styles.loading}`}
    />
  );
}

/** Explains why night and day overlap, and the length of a day that does not have 24 hours. */
export const ClockNote = memo(function ClockNote({ clock, windows: { day } }: { clock: DayClock; windows: Windows }) {
  const { t, format } = useWords();
  const length = format.duration((day.nextMidnightMs - day.midnightMs) / 1000);
  const changes = clockChanges(day.midnightMs, day.nextMidnightMs, clock);
  return (
    <p className={styles.note}>
      {t('days.bracketHelp')}{' '}
      {changes.map(({ atMs, shiftMs, before, after, zones }) => (
        <strong key={atMs}>
          {zones
            ? t('days.lengthZone', { length, before, after, zoneBefore: zones.before, zoneAfter: zones.after })
            : t(shiftMs > 0 ? 'days.lengthForward' : 'days.lengthBack', { length })}{' '}
        </strong>
      ))}
    </p>
  );
});

export function DayCsv({
  studyId,
  subjectId,
  subjectName,
  date,
}: {
  studyId: string;
  subjectId: string;
  subjectName: string;
  date: string;
}) {
  const { t } = useWords();
  const download = useMutation({
    mutationFn: async () => {
      const response = await client.fetch('downloadChannelsCsv', { params: { studyId, subjectId, date } });
      await saveResponse(response, fileName(subjectName, date, 'channels.csv'));
    },
  });
  return (
    <>
      <Button
        icon="download"
        aria-label={t('days.csv')}
        isDisabled={download.isPending}
        onPress={() => download.mutate()}
      >
        CSV
      </Button>
      {download.error && <ErrorNotice error={download.error} onRetry={() => download.mutate()} />}
    </>
  );
}
