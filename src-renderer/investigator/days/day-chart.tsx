/** The panel of a day: its timeline with the legend, or the same values as a table. */

import { memo } from 'react';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { Timeline } from '../../shared/charts/timeline/timeline.tsx';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import { Legend } from './day-parts.tsx';
import { DayTable } from './day-table.tsx';
import styles from './days.module.css';
import type { DayData, DayTotals } from './lanes/day-data.ts';
import type { DayMark } from './lanes/day-marks.ts';
import type { PersonEdit } from './lanes/edits.ts';
import type { SensorPath } from './lanes/path-lanes.ts';
import { spanWords } from './span-words.ts';
import { useBrackets, useLanes, useTimelineWords, type Windows } from './use-day.ts';
import type { DayNavigation } from './use-day-navigation.ts';
import type { SignalsAtCursor } from './use-open-signals.ts';

const CURSOR_STEP_MS = 5 * 60_000;

export const DayChart = memo(function DayChart({
  subject,
  windows,
  data,
  totals,
  marks,
  paths,
  edits,
  view,
  onView,
  shownView,
  onDay,
  cursor,
  onOpen,
}: {
  subject: DeskSubject;
  windows: Windows;
  data: DayData | undefined;
  totals: DayTotals | undefined;
  marks: readonly DayMark[];
  paths: readonly SensorPath[];
  edits: readonly PersonEdit[];
  view: TimelineView;
  onView: (view: TimelineView | null) => void;
  shownView: DayNavigation['shownView'];
  onDay: DayNavigation['step'];
  cursor: SignalsAtCursor['cursor'];
  onOpen: SignalsAtCursor['open'];
}) {
  const { t, format } = useWords();
  const span = spanWords(view, subject.timezones, t, format);
  const lanes = useLanes(data, marks, paths, view, edits);
  const brackets = useBrackets(windows);
  const words = useTimelineWords(subject, windows.window);
  return (
    <div className={panelClass}>
      <h2 className={styles.span}>{span}</h2>
      {data && shownView === 'timeline' && (
        <Timeline
          label={`${subject.displayName}, ${span}`}
          lanes={lanes}
          brackets={brackets}
          untilMs={data.untilMs}
          cursor={cursor}
          controls={{
            ...{ whole: windows.whole, view, clock: subject.timezones, words, stepMs: CURSOR_STEP_MS },
            ...{ onView, onDay, onOpen },
          }}
        />
      )}
      {totals && shownView === 'timeline' && (
        <Legend totals={totals} hasPosture={lanes.some((lane) => lane.id === 'posture')} />
      )}
      {data && shownView === 'table' && <DayTable data={data} view={view} clock={subject.timezones} />}
    </div>
  );
});
