/** The tool row of a day or week: date, range, zoom, lanes, view, CSV. */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { type TimelineView, zoomed } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { IconButton, Segments } from '../../shared/kit/controls.tsx';
import type { DayOption } from './day-options.ts';
import { DayCsv } from './day-parts.tsx';
import styles from './days.module.css';
import { LaneMenu } from './lanes/lane-menu.tsx';
import { DayPicker } from './picker/day-picker.tsx';

export function Zoom({
  view,
  whole,
  onView,
}: {
  view: TimelineView;
  whole: TimelineView;
  onView: (view: TimelineView | null) => void;
}) {
  const { t } = useWords();
  const middle = (view.startMs + view.stopMs) / 2;
  const isWhole = view === whole;
  return (
    <>
      <IconButton
        kind="quiet"
        icon="plus"
        label={t('days.zoomIn')}
        onPress={() => onView(zoomed(view, whole, middle, 0.5))}
      />
      <IconButton
        kind="quiet"
        icon="minus"
        label={t('days.zoomOut')}
        isDisabled={isWhole}
        onPress={() => onView(zoomed(view, whole, middle, 2))}
      />
      <IconButton
        kind="quiet"
        icon="fit"
        label={t('days.zoomReset')}
        isDisabled={isWhole}
        onPress={() => onView(null)}
      />
    </>
  );
}

export const DayTools = memo(function DayTools({
  subject,
  days,
  date,
  onDate,
  onStep,
  zoom,
  hasRecording,
  children,
}: {
  subject: DeskSubject;
  days: DayOption[];
  date: string;
  onDate: (date: string) => void;
  onStep: (step: -1 | 1) => void;
  /** Undefined where the view has no axis to zoom. */
  zoom?: Parameters<typeof Zoom>[0];
  hasRecording: boolean;
  /** Further tools of the view, at the end of the row. */
  children?: ReactNode;
}) {
  const { t } = useWords();
  const { range = 'both', view: shows = 'timeline' } = useSearch({
    from: '/desk/studies/$studyId/subjects/$subjectId/days',
  });
  const navigate = useNavigate({ from: '/studies/$studyId/subjects/$subjectId/days' });
  const { studyId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const mayExport = usePermissions()('analytics.export', studyId);
  const isWeek = shows === 'week' || shows === 'week-table';
  const show = (next: typeof shows) => void navigate({ search: (old) => ({ ...old, view: next }), replace: true });
  return (
    <div className={styles.tools}>
      <DayPicker date={date} days={days} onDate={onDate} onStep={onStep} isWeek={isWeek} />
      {isWeek && (
        <Segments
          label={t('week.shown')}
          value={shows}
          options={[
            { id: 'week', label: t('week.strips') },
            { id: 'week-table', label: t('days.table') },
          ]}
          onChange={show}
        />
      )}
      {zoom && (
        <Segments
          label={t('days.range')}
          value={range}
          options={[
            { id: 'both', label: t('days.rangeBoth') },
            { id: 'night', label: t('days.rangeNight') },
            { id: 'day', label: t('days.rangeDay') },
          ]}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, range: next }), replace: true })}
        />
      )}
      <span className={styles.spacer} />
      {zoom && <Zoom {...zoom} />}
      {shows === 'timeline' && zoom && <LaneMenu />}
      <Segments
        label={t('days.view')}
        value={isWeek ? 'week' : shows}
        options={[
          { id: 'timeline', label: t('days.timeline') },
          { id: 'table', label: t('days.table') },
          { id: 'week', label: t('days.week') },
        ]}
        onChange={show}
      />
      {mayExport && hasRecording && (
        <DayCsv studyId={subject.studyId} subjectId={subject.id} subjectName={subject.displayName} date={date} />
      )}
      {children}
    </div>
  );
});
