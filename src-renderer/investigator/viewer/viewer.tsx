/** The raw viewer of one recording: overview, context and detail over one cursor, calipers, and labels. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import {
  annotationsQuery,
  channelsQuery,
  recordingOverviewQuery,
  recordingsQuery,
  subjectQuery,
} from '../../shared/api/queries.ts';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../shared/kit/controls.tsx';
import { Delayed, Empty, ErrorNotice, QueryView, ReadError, Skeleton } from '../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { useIsLowWindow } from '../../shared/window-size.ts';
import { activityBands } from '../days/lanes/day-data.ts';
import { usePlacement } from '../recordings/sensor-words.ts';
import { LabelHistory } from './data/label-history.ts';
import { type LabelKind, labelsOf, neighbour } from './data/labels.ts';
import { MOTION_RANGES_G, ViewerModel } from './data/model.ts';
import { isElectric } from './data/samples.ts';
import { remembered } from './drawing/axis.ts';
import { GAINS_MM_PER_MV } from './drawing/grid.ts';
import type { LaneWords } from './drawing/lanes.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { useTrueSpeed } from './drawing/use-true-speed.ts';
import { LabelForm } from './panel/label-form.tsx';
import { LabelList } from './panel/label-list.tsx';
import { Measurement } from './panel/measurement.tsx';
import { SignalTable } from './panel/signal-table.tsx';
import { useAuthor } from './panel/use-author.ts';
import { InView, Readout, WindowFields } from './readout.tsx';
import { ScaleCaption } from './scale-caption.tsx';
import { Detail } from './strips/detail.tsx';
import { Strip } from './strips/strip.tsx';
import { Toolbar } from './toolbar.tsx';
import { type GapWords, useGapWords } from './use-gap-words.ts';
import { useHasShown, useLanes, useOthers } from './use-lanes.ts';
import { useViewerCommands } from './use-viewer-commands.ts';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

const ACTIVITY_INTERVAL_MS = 60_000;

function LoadError({ model }: { model: ViewerModel }) {
  useStore(model.arrivals);
  return model.error && <ReadError error={model.error} onRetry={() => model.retry()} />;
}

/** Brings in the other sensors; apart, so that what arrives renders nothing else. */
function Others({ model, recordings }: { model: ViewerModel; recordings: readonly Recording[] }) {
  useOthers(model, recordings);
  return null;
}

/** A low window opens at the tools: the detail would lie below its edge. */
function useOpenAtPlots(frame: RefObject<HTMLDivElement | null>, widthPx: number): void {
  const isLow = useIsLowWindow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as soon as the page is laid out
  useEffect(() => {
    if (isLow && widthPx > 0) frame.current?.scrollIntoView({ block: 'start' });
  }, [widthPx > 0]);
}

function useLaneWords(gapWords: GapWords): LaneWords {
  const { t, format } = useWords();
  return useMemo(
    () => ({
      loading: t('app.loading'),
      failed: t('viewer.tableNone'),
      magnitude: t('viewer.magnitude'),
      scale: (mmPerS, mmPerMv, isAuto) =>
        [
          mmPerS !== undefined && t('viewer.speed', { value: mmPerS }),
          t('viewer.gain', { value: format.number(mmPerMv, Number.isInteger(mmPerMv) ? 0 : 1) }),
          isAuto && t('viewer.auto'),
        ]
          .filter(Boolean)
          .join('  '),
      gap: gapWords.gap,
      lost: gapWords.lost,
    }),
    [t, format, gapWords],
  );
}

function RecordingViewer({
  recording,
  recordings,
  overview,
  timeZone,
  atMs,
}: {
  recording: Recording;
  /** All of the subject's. */
  recordings: readonly Recording[];
  overview: RecordingOverview;
  timeZone: string;
  atMs: number | undefined;
}) {
  const { t } = useWords();
  const queries = useQueryClient();
  const { studyId, subjectId } = recording;
  const mayEdit = usePermissions()('annotation.write', studyId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a model is of one recording; what it was opened at counts once
  const model = useMemo(() => new ViewerModel(recording, overview, atMs), [recording.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the model
  const history = useMemo(
    () =>
      new LabelHistory(recording, () => queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] })),
    [recording.id],
  );
  const annotations = useQuery(annotationsQuery(studyId, subjectId));
  const labels = useMemo(() => labelsOf(annotations.data?.items ?? [], model.extent), [annotations.data, model]);
  const [kind, setKind] = useState<LabelKind | 'all'>('all');
  const hasShown = useHasShown(model);
  const channels = useQuery({
    ...channelsQuery(studyId, subjectId, model.extent.startMs, model.extent.stopMs, ACTIVITY_INTERVAL_MS),
    // The signals come first; the band of activities is a day of data.
    enabled: hasShown,
  });
  const activity = useMemo(() => activityBands(channels.data?.channels ?? [], ACTIVITY_INTERVAL_MS), [channels.data]);
  const [isGoingTo, setGoingTo] = useState(false);
  const [showsTable, setShowsTable] = useState(false);
  const mode = useSelected(model.state, (state) => state.mode);
  const [frame, plotsPx] = useWidth();
  // The detail has a border of a pixel on each side.
  const widthPx = Math.max(0, plotsPx - 2);
  const { pxPerMm } = usePxPerMm();
  useTrueSpeed(model, widthPx, pxPerMm);
  useOpenAtPlots(frame, widthPx);
  const clock = useMemo(() => remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)), [timeZone]);
  const lanes = useLanes(model);
  const gapWords = useGapWords(model, timeZone, hasShown);
  const words = useLaneWords(gapWords);
  const authorOf = useAuthor(recording);

  const onLabelStep = (direction: -1 | 1) => {
    const { view } = model.state.get();
    const searched = labels.filter((item) => kind === 'all' || item.kind === kind);
    const next = neighbour(searched, view.startMs + view.lengthMs / 2, direction);
    if (next) zoomCommands(model).show(next.startMs);
  };
  const onGain = (direction: -1 | 1) => {
    const { gain, rangeG } = model.state.get();
    if (!model.lead) {
      // A higher gain is a smaller range.
      const range = MOTION_RANGES_G[(MOTION_RANGES_G as readonly number[]).indexOf(rangeG) - direction];
      if (range !== undefined) model.set({ rangeG: range });
      return;
    }
    const at = (GAINS_MM_PER_MV as readonly (number | 'auto')[]).indexOf(gain);
    const next = GAINS_MM_PER_MV[Math.min(Math.max(at + direction, 0), GAINS_MM_PER_MV.length - 1)];
    model.set({ gain: at < 0 ? 10 : next });
  };
  const undoing = useViewerCommands({
    model,
    history,
    mayEdit,
    onGoTo: () => setGoingTo(true),
    onGain,
    onLabelStep,
    onTable: () => setShowsTable((shown) => !shown),
  });

  return (
    <div className={styles.viewer}>
      <Others model={model} recordings={recordings} />
      <div className={styles.plots} ref={frame}>
        <Toolbar
          model={model}
          lanes={lanes}
          widthPx={widthPx}
          timeZone={timeZone}
          mayEdit={mayEdit}
          isGoingTo={isGoingTo}
          onGoTo={setGoingTo}
        />
        <LoadError model={model} />
        {undoing.error && <ErrorNotice error={undoing.error} onRetry={undoing.retry} />}
        <Strip model={model} kind="whole" labels={labels} activity={activity} clock={clock} gapWords={gapWords} />
        <Strip model={model} kind="context" labels={labels} clock={clock} gapWords={gapWords} />
        <div className={styles.readoutRow}>
          <WindowFields model={model} timeZone={timeZone} />
          <Readout model={model} timeZone={timeZone} />
          <span className={styles.spacer} />
          <ScaleCaption model={model} widthPx={widthPx} />
        </div>
        <Detail
          model={model}
          lanes={lanes.shown}
          labels={lanes.showsLabels ? labels : undefined}
          showsMagnitude={lanes.showsMagnitude}
          timeZone={timeZone}
          words={words}
          summaryId="viewer-in-view"
          onLabelStep={onLabelStep}
          onGain={onGain}
        />
        <div className={styles.below}>
          <div className={styles.belowText}>
            <InView model={model} timeZone={timeZone} gapWords={gapWords} id="viewer-in-view" />
            {model.lead && <p className={styles.hint}>{t('viewer.legend')}</p>}
          </div>
          <Button small aria-expanded={showsTable} onPress={() => setShowsTable(!showsTable)}>
            {t(showsTable ? 'viewer.tableClose' : 'viewer.table')}
          </Button>
        </div>
        {showsTable && <SignalTable model={model} lanes={lanes.shown} timeZone={timeZone} gapWords={gapWords} />}
      </div>
      <aside className={styles.side} aria-label={t('viewer.side')}>
        <Measurement model={model} timeZone={timeZone} history={history} />
        {mode === 'label' && <LabelForm model={model} history={history} />}
        <QueryView query={annotations}>
          {() => (
            <LabelList
              model={model}
              items={labels}
              kind={kind}
              onKind={setKind}
              onStep={onLabelStep}
              authorOf={authorOf}
              timeZone={timeZone}
              history={history}
            />
          )}
        </QueryView>
      </aside>
    </div>
  );
}

export function Viewer() {
  const { t, format } = useWords();
  const from = '/desk/studies/$studyId/subjects/$subjectId/recordings/$recordingId' as const;
  const { studyId, subjectId, recordingId } = useParams({ from });
  const { at } = useSearch({ from });
  const recordings = useQuery(recordingsQuery(studyId, subjectId));
  const subject = useQuery(subjectQuery(studyId, subjectId));
  const overview = useQuery(recordingOverviewQuery(studyId, recordingId));
  const placement = usePlacement();
  const recording = recordings.data?.items.find(({ id }) => id === recordingId);
  const timeZone = subject.data?.timezone;
  const gapsOf = ({ channels }: RecordingOverview) => {
    const { gaps } = channels.find(({ type }) => isElectric(type)) ?? channels[0] ?? { gaps: [] };
    const lengthMs = gaps.reduce((sum, { startTs, stopTs }) => sum + stopTs - startTs, 0);
    return gaps.length === 0
      ? t('viewer.noGaps')
      : t('viewer.gaps', {
          count: gaps.length,
          number: format.number(gaps.length),
          length: format.duration(lengthMs / 1000),
        });
  };
  if (recordings.data && !recording)
    return (
      <Empty icon="page" title={t('viewer.missing')} help={t('viewer.missingHelp')}>
        <Link
          to="/studies/$studyId/subjects/$subjectId/recordings"
          params={{ studyId, subjectId }}
          className={buttonClass('primary')}
        >
          {t('viewer.allRecordings')}
        </Link>
      </Empty>
    );
  return (
    <QueryView
      query={overview}
      skeleton={
        <Delayed>
          <div role="status" aria-busy="true" aria-label={t('app.loading')}>
            <Skeleton height="4rem" />
            <Skeleton height="4rem" />
            <Skeleton height="20rem" />
          </div>
        </Delayed>
      }
    >
      {(data) =>
        recording &&
        timeZone && (
          <>
            <h2 className={styles.title}>
              {placement(recording.physicalConfig)}
              <small>
                {format.dateTime(recording.recordingStartTs, timeZone)} ·{' '}
                {format.duration((recording.recordingStopTs - recording.recordingStartTs) / 1000)} · {gapsOf(data)}
              </small>
              <Link to="/studies/$studyId/subjects/$subjectId/recordings" params={{ studyId, subjectId }}>
                {t('viewer.allRecordings')}
              </Link>
            </h2>
            <RecordingViewer
              recording={recording}
              recordings={recordings.data?.items ?? []}
              overview={data}
              timeZone={timeZone}
              atMs={at}
              key={recording.id}
            />
          </>
        )
      }
    </QueryView>
  );
}
