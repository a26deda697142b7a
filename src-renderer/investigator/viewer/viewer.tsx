/** The raw viewer of one recording: overview, context and detail over one cursor, calipers, and labels. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { useMay } from '../../shared/api/permissions.ts';
import {
  annotationsQuery,
  channelsQuery,
  recordingOverviewQuery,
  recordingsQuery,
  subjectQuery,
} from '../../shared/api/queries.ts';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Delayed, Empty, ErrorNotice, QueryView, Skeleton } from '../../shared/kit/state.tsx';
import { preferences } from '../../shared/preferences.ts';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { useCommands } from '../commands/commands.ts';
import { useFaultName } from '../coverage/words.ts';
import { activityBands } from '../days/lanes/day-data.ts';
import { usePlacement } from '../recordings/placement.ts';
import { LabelHistory } from './data/label-history.ts';
import { labelsOf, neighbour } from './data/labels.ts';
import { rateAround } from './data/measure.ts';
import { ViewerModel } from './data/model.ts';
import { Detail } from './detail.tsx';
import { elapsedText, remembered } from './drawing/axis.ts';
import { CSS_PX_PER_MM, GAINS_MM_PER_MV, lengthAtSpeed } from './drawing/grid.ts';
import { LabelForm, LabelList, Measurement } from './side-panel.tsx';
import { Strip } from './strip.tsx';
import { Toolbar } from './toolbar.tsx';
import styles from './viewer.module.css';
import { zoomCommands } from './zoom.ts';

const ACTIVITY_INTERVAL_MS = 60_000;

/** Local time, elapsed time, value and rate at the cursor. */
function Readout({ model, timeZone }: { model: ViewerModel; timeZone: string }) {
  const { t, format } = useWords();
  const cursorMs = useSelected(model.state, (state) => state.cursorMs);
  useStore(model.arrivals);
  if (cursorMs === null) return <p className={styles.readout}>{t('viewer.cursorHelp')}</p>;
  const { clock, offset } = preciseClock(cursorMs, timeZone);
  const value = model.isRaw() ? model.leadMvAt(cursorMs) : undefined;
  const near = { startMs: cursorMs - 3000, stopMs: cursorMs + 3000 };
  const rate = model.isRaw() ? rateAround(model.beats(near).beats, cursorMs) : undefined;
  return (
    <p className={styles.readout}>
      <strong>
        {clock} {offset}
      </strong>
      <span>{elapsedText(cursorMs - model.extent.startMs, 100)}</span>
      {value !== undefined && <span>{t('viewer.mv', { value: format.number(value, 2) })}</span>}
      {rate !== undefined && <span>{t('viewer.perMinute', { value: format.number(rate, 0) })}</span>}
    </p>
  );
}

function LoadError({ model }: { model: ViewerModel }) {
  useStore(model.arrivals);
  return model.error && <ErrorNotice error={model.error} onRetry={() => model.retry()} />;
}

function RecordingViewer({
  recording,
  overview,
  timeZone,
  atMs,
}: {
  recording: Recording;
  overview: RecordingOverview;
  timeZone: string;
  atMs: number | undefined;
}) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const { studyId, subjectId } = recording;
  const mayEdit = useMay()('annotation.write', studyId);
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
  const channels = useQuery(
    channelsQuery(studyId, subjectId, model.extent.startMs, model.extent.stopMs, ACTIVITY_INTERVAL_MS),
  );
  const activity = useMemo(() => activityBands(channels.data?.channels ?? [], ACTIVITY_INTERVAL_MS), [channels.data]);
  const [isGoingTo, setGoingTo] = useState(false);
  const isLabelling = useSelected(model.state, (state) => state.isLabelling);
  const counts = useStore(history.counts);
  const [frame, plotsPx] = useWidth();
  // The detail has a border of a pixel on each side.
  const widthPx = Math.max(0, plotsPx - 2);
  const { pxPerMm } = useStore(preferences);
  const undo = useMutation({ mutationFn: () => history.undo() });
  const redo = useMutation({ mutationFn: () => history.redo() });
  const clock = useMemo(() => remembered((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)), [timeZone]);
  const zoom = zoomCommands(model);

  // The paper runs at 25 mm/s at first; that takes the width, which is known once the page is laid out.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first known width sets the speed
  useEffect(() => {
    if (widthPx <= 0 || !model.lead) return;
    const { view } = model.state.get();
    model.setView({ startMs: view.startMs, lengthMs: lengthAtSpeed(widthPx, 25, pxPerMm ?? CSS_PX_PER_MM) });
  }, [model, widthPx > 0]);

  const faultName = useFaultName();
  const gapWords = useMemo(() => {
    return (startMs: number, stopMs: number) => {
      const fault = recording.faults.find(({ faultTs }) => faultTs >= startMs - 1000 && faultTs <= stopMs);
      const length = format.duration((stopMs - startMs) / 1000);
      return fault ? t('viewer.gapFault', { length, fault: faultName(fault.faultFlag) }) : t('viewer.gap', { length });
    };
  }, [recording.faults, t, format, faultName]);

  const onLabelStep = (direction: -1 | 1) => {
    const { view } = model.state.get();
    const next = neighbour(labels, view.startMs + view.lengthMs / 2, direction);
    if (next) zoom.show(next.startMs);
  };
  const gainStep = (direction: -1 | 1) => {
    const { gain } = model.state.get();
    const at = (GAINS_MM_PER_MV as readonly (number | 'auto')[]).indexOf(gain);
    const next = GAINS_MM_PER_MV[Math.min(Math.max(at + direction, 0), GAINS_MM_PER_MV.length - 1)];
    model.set({ gain: at < 0 ? 10 : next });
  };
  useCommands([
    { id: 'viewer.goTo', label: t('viewer.goTo'), keys: ['g'], scope: 'page', run: () => setGoingTo(true) },
    { id: 'viewer.zoomIn', label: t('viewer.zoomIn'), keys: ['+'], scope: 'page', run: zoom.zoomIn },
    { id: 'viewer.zoomOut', label: t('viewer.zoomOut'), keys: ['-'], scope: 'page', run: zoom.zoomOut },
    { id: 'viewer.reset', label: t('viewer.zoomReset'), keys: ['0'], scope: 'page', run: zoom.reset },
    { id: 'viewer.gainUp', label: t('viewer.gainUp'), scope: 'page', run: () => gainStep(1) },
    { id: 'viewer.gainDown', label: t('viewer.gainDown'), scope: 'page', run: () => gainStep(-1) },
    {
      id: 'viewer.caliperStart',
      label: t('viewer.caliperStart'),
      keys: ['['],
      scope: 'page',
      run: () => model.setCaliper('startMs', zoom.around()),
    },
    {
      id: 'viewer.caliperStop',
      label: t('viewer.caliperStop'),
      keys: [']'],
      scope: 'page',
      run: () => model.setCaliper('stopMs', zoom.around()),
    },
    {
      id: 'viewer.snap',
      label: t('viewer.snap'),
      keys: ['s'],
      scope: 'page',
      run: () => {
        const { calipers } = model.state.get();
        if (calipers.startMs !== null) model.setCaliper('startMs', calipers.startMs, true);
        if (calipers.stopMs !== null) model.setCaliper('stopMs', calipers.stopMs, true);
      },
    },
    {
      id: 'viewer.march',
      label: t('viewer.march'),
      keys: ['m'],
      scope: 'page',
      run: () => model.set({ isMarching: !model.state.get().isMarching }),
    },
    {
      id: 'viewer.label',
      label: t('viewer.label'),
      keys: ['v'],
      scope: 'page',
      isEnabled: mayEdit,
      run: () => model.set({ isLabelling: !model.state.get().isLabelling }),
    },
    {
      id: 'viewer.undo',
      label: t('viewer.undo'),
      keys: ['Mod+Z'],
      scope: 'page',
      isEnabled: counts.undo > 0,
      run: () => undo.mutate(),
    },
    {
      id: 'viewer.redo',
      label: t('viewer.redo'),
      keys: ['Mod+Shift+Z'],
      scope: 'page',
      isEnabled: counts.redo > 0,
      run: () => redo.mutate(),
    },
    { id: 'viewer.nextLabel', label: t('viewer.nextLabel'), scope: 'page', run: () => onLabelStep(1) },
    { id: 'viewer.previousLabel', label: t('viewer.previousLabel'), scope: 'page', run: () => onLabelStep(-1) },
  ]);

  return (
    <div className={styles.viewer}>
      <div className={styles.plots} ref={frame}>
        <Toolbar
          model={model}
          widthPx={widthPx}
          timeZone={timeZone}
          mayEdit={mayEdit}
          isGoingTo={isGoingTo}
          onGoTo={setGoingTo}
        />
        <LoadError model={model} />
        {(undo.error ?? redo.error) && (
          <ErrorNotice
            error={(undo.error ?? redo.error) as Error}
            onRetry={() => (undo.error ? undo.mutate() : redo.mutate())}
          />
        )}
        <Strip model={model} kind="whole" labels={labels} activity={activity} clock={clock} />
        <Strip model={model} kind="context" labels={labels} clock={clock} />
        <Readout model={model} timeZone={timeZone} />
        <Detail
          model={model}
          labels={labels}
          timeZone={timeZone}
          gapWords={gapWords}
          onLabelStep={onLabelStep}
          onGain={gainStep}
        />
        <p className={styles.hint}>{t('viewer.legend')}</p>
      </div>
      <aside className={styles.side} aria-label={t('viewer.side')}>
        <Measurement model={model} timeZone={timeZone} history={history} />
        {isLabelling && <LabelForm model={model} history={history} />}
        <QueryView query={annotations}>
          {() => <LabelList model={model} items={labels} timeZone={timeZone} history={history} />}
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
  if (recordings.data && !recording)
    return <Empty icon="page" title={t('viewer.missing')} help={t('viewer.missingHelp')} />;
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
                {format.duration((recording.recordingStopTs - recording.recordingStartTs) / 1000)}
              </small>
              <Link to="/studies/$studyId/subjects/$subjectId/recordings" params={{ studyId, subjectId }}>
                {t('viewer.allRecordings')}
              </Link>
            </h2>
            <RecordingViewer recording={recording} overview={data} timeZone={timeZone} atMs={at} key={recording.id} />
          </>
        )
      }
    </QueryView>
  );
}
