/**
 * What an analysis run computed over a recording, beside the results in use: pairs of lanes over one axis, and in how many minutes they differ.
 * Nothing is shown while the study has no runs with results.
 */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AnalysisRun, IntradayChannel, Recording } from '../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { analysisRunsQuery } from '../../shared/api/analysis-queries.ts';
import { channelsOfTypesQuery, channelsQuery, type DeskSubject } from '../../shared/api/queries.ts';
import { Timeline } from '../../shared/charts/timeline/timeline.tsx';
import type { Lane } from '../../shared/charts/timeline/types.ts';
import type { TimelineView } from '../../shared/charts/timeline/view.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Select } from '../../shared/kit/forms.tsx';
import { panelClass } from '../../shared/kit/page.tsx';
import { QueryView } from '../../shared/kit/state.tsx';
import { createStore } from '../../shared/store.ts';
import { type DayData, dayData } from '../days/lanes/day-data.ts';
import { dayLanes } from '../days/lanes/lanes.ts';
import { useTimelineWords } from '../days/use-day.ts';
import { differingMinutes, STATES, stateMinutes } from './data/differing-minutes.ts';
import styles from './viewer.module.css';

const NONE = '';
const NO_CHANNELS: readonly IntradayChannel[] = [];
const PAIRED = ['activity', 'posture', 'heartRate', 'variability', 'steps', 'respiration'];
const CURSOR_STEP_MS = 5 * MINUTE_MS;

const statesQuery = (studyId: string, subjectId: string, startMs: number, stopMs: number, run?: string) =>
  channelsOfTypesQuery(studyId, subjectId, { startMs, stopMs, interval: MINUTE_MS, types: STATES, run });

/** Adopted results are those in use. */
const hasResults = ({ state, counts }: AnalysisRun): boolean =>
  state !== 'ADOPTED' && counts.done + counts.outdated > 0;

export function RunResults({
  recording,
  subject,
  extent,
}: {
  recording: Recording;
  subject: DeskSubject;
  /** Of the recording. */
  extent: TimelineView;
}) {
  const { t } = useWords();
  const [runId, setRunId] = useState(NONE);
  const runs = useQuery(analysisRunsQuery(recording.studyId)).data?.filter(hasResults) ?? [];
  const run = runs.find(({ id }) => id === runId);
  if (runs.length === 0) return null;
  return (
    <section className={`${panelClass} ${styles.runs}`} aria-label={t('viewer.runs.title')}>
      <Select
        label={t('viewer.runs.title')}
        isCompact
        value={run ? run.id : NONE}
        options={[
          { id: NONE, label: t('viewer.runs.none') },
          ...runs.map(({ id, name, version }) => ({ id, label: t('viewer.runs.option', { name, version }) })),
        ]}
        onChange={setRunId}
      />
      {run && <Beside key={run.id} {...{ recording, subject, extent, run }} />}
    </section>
  );
}

function Beside({
  recording: { studyId, subjectId },
  subject,
  extent,
  run,
}: {
  recording: Recording;
  subject: DeskSubject;
  extent: TimelineView;
  run: AnalysisRun;
}) {
  const { t } = useWords();
  const { startMs, stopMs } = extent;
  const inUse = useQuery(channelsQuery(studyId, subjectId, startMs, stopMs, MINUTE_MS));
  const ofRun = useQuery(channelsQuery(studyId, subjectId, startMs, stopMs, MINUTE_MS, run.id));
  const differences = (first: typeof NO_CHANNELS, second: typeof NO_CHANNELS): string[] => {
    const found = differingMinutes(first, second);
    if (found.length === 0) return [t('viewer.runs.same')];
    return found.map(({ type, count }) => t(`viewer.runs.differing.${type}`, { count }));
  };
  return (
    <QueryView query={ofRun}>
      {(found) => (
        <QueryView query={inUse}>
          {(used) => {
            const dataOf = (channels: typeof used.channels) =>
              dayData(extent, channels, undefined, [extent], Date.now());
            const pair: Pair = { inUse: dataOf(used.channels), ofRun: dataOf(found.channels) };
            return pair.ofRun.isAnalysed ? (
              <>
                <ul className={styles.hint}>
                  {differences(used.channels, found.channels).map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                  <li>{t('viewer.runs.beats')}</li>
                </ul>
                <States {...{ studyId, subjectId, extent, run }} />
                <Lanes {...{ subject, extent, run, pair }} />
              </>
            ) : (
              <p className={styles.hint}>{t('viewer.runs.nothing')}</p>
            );
          }}
        </QueryView>
      )}
    </QueryView>
  );
}

/** Minutes in the states that parameters decide: intensity, slow and fast rate. */
function States({
  studyId,
  subjectId,
  extent: { startMs, stopMs },
  run,
}: {
  studyId: string;
  subjectId: string;
  extent: TimelineView;
  run: AnalysisRun;
}) {
  const { t, format } = useWords();
  const inUse = useQuery(statesQuery(studyId, subjectId, startMs, stopMs));
  const ofRun = useQuery(statesQuery(studyId, subjectId, startMs, stopMs, run.id));
  const rows = stateMinutes(inUse.data ?? NO_CHANNELS, ofRun.data ?? NO_CHANNELS);
  if (!inUse.data || !ofRun.data || rows.length === 0) return null;
  return (
    <table className={styles.states}>
      <caption>{t('viewer.runs.minutes')}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{t('viewer.runs.columnInUse')}</th>
          <th scope="col">{t('viewer.runs.columnRun')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.state}>
            <th scope="row">{t(`viewer.runs.states.${row.state}`)}</th>
            <td>{format.number(row.inUse)}</td>
            <td>{format.number(row.ofRun)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Pair {
  inUse: DayData;
  ofRun: DayData;
}

function Lanes({
  subject,
  extent,
  run,
  pair,
}: {
  subject: DeskSubject;
  extent: TimelineView;
  run: AnalysisRun;
  pair: Pair;
}) {
  const { t, format } = useWords();
  const [view, setView] = useState(extent);
  const cursor = useMemo(() => createStore<number | null>(null), []);
  const words = useTimelineWords(subject, extent);
  const lanes = useMemo(() => {
    const lanesOf = (data: DayData, source: 'inUse' | 'ofRun'): Lane[] =>
      dayLanes(data, [], view, t, format).map((lane) => ({
        ...lane,
        id: `${lane.id} ${source}`,
        label: t(`viewer.runs.${source}`, { lane: lane.label }),
      }));
    const all = [...lanesOf(pair.inUse, 'inUse'), ...lanesOf(pair.ofRun, 'ofRun')];
    return PAIRED.flatMap((id) => all.filter((lane) => lane.id.startsWith(`${id} `)));
  }, [pair, view, t, format]);
  return (
    <Timeline
      label={t('viewer.runs.beside', { name: run.name })}
      lanes={lanes}
      brackets={[]}
      untilMs={extent.stopMs}
      cursor={cursor}
      controls={{
        ...{ whole: extent, view, clock: subject.timezones, words, stepMs: CURSOR_STEP_MS },
        onView: (next) => setView(next ?? extent),
        onDay: () => undefined,
      }}
    />
  );
}
