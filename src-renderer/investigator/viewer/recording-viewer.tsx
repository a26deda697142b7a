/** The viewer of one recording: overview, context and detail strips with one cursor, calipers, and labels. */
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
import { useWidth } from '../../shared/charts/use-width.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { ErrorNotice, Notice, QueryView, ReadError } from '../../shared/kit/state.tsx';
import { useSelected, useStore } from '../../shared/store.ts';
import { preciseClock } from '../../shared/time/local-day.ts';
import { useIsLowWindow } from '../../shared/window-size.ts';
import { QueryButton } from '../queries/query-button.tsx';
import { usePlacement } from '../recordings/sensor-words.ts';
import { SignedBy } from '../signatures/signed-by.tsx';
import { useCorrectionCommands } from './corrections/commands.ts';
import { CorrectionsPanel } from './corrections/panel.tsx';
import { useEditing } from './corrections/use-editing.ts';
import type { LabelKind } from './data/labels.ts';
import type { ViewerModel } from './data/model.ts';
import { memoizedText } from './drawing/axis.ts';
import type { LaneWords } from './drawing/lanes.ts';
import { usePxPerMm } from './drawing/screen-size.ts';
import { useTrueSpeed } from './drawing/use-true-speed.ts';
import { LabelForm } from './panel/label-form.tsx';
import { LabelList } from './panel/label-list.tsx';
import { Measurement } from './panel/measurement.tsx';
import { SignalTable } from './panel/signal-table.tsx';
import { useAuthor } from './panel/use-author.ts';
import { Readout, WindowFields, WindowSummary } from './readout.tsx';
import { RunResults } from './run-results.tsx';
import { ScaleCaption } from './scale-caption.tsx';
import { Detail } from './strips/detail.tsx';
import { Strip } from './strips/strip.tsx';
import { Toolbar } from './toolbar.tsx';
import { type GapWords, useGapWords } from './use-gap-words.ts';
import { type Lanes, useLanes, useOtherSensors } from './use-lanes.ts';
import { usePrintStrip } from './use-print-strip.ts';
import { useViewerCommands } from './use-viewer-commands.ts';
import { useViewerData } from './use-viewer-data.ts';
import styles from './viewer.module.css';
import { stepGain, stepToLabel } from './viewer-actions.ts';

const SUMMARY_ID = 'viewer-in-view';

function LoadError({ model }: { model: ViewerModel }) {
  useStore(model.arrivals);
  return model.error && <ReadError error={model.error} onRetry={() => model.retry()} />;
}

/** Loads the other sensors. A component of its own, so that their arrival renders nothing else. */
function OtherSensors({ model, recordings }: { model: ViewerModel; recordings: readonly Recording[] }) {
  useOtherSensors(model, recordings);
  return null;
}

/** Scrolls to the toolbar in a low window, where the detail would lie below the edge. */
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
      outOfRange: t('viewer.outOfRange'),
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

/** Below the detail strip: the summary of the window, and the table of its signals on request. */
function BelowDetail({
  model,
  lanes,
  timeZone,
  gapWords,
  showsTable,
  onToggle,
}: {
  model: ViewerModel;
  lanes: Lanes;
  timeZone: string;
  gapWords: GapWords;
  showsTable: boolean;
  onToggle: () => void;
}) {
  const { t } = useWords();
  return (
    <>
      <div className={styles.below}>
        <div className={styles.belowText}>
          <WindowSummary model={model} timeZone={timeZone} gapWords={gapWords} id={SUMMARY_ID} />
          {model.lead && <p className={styles.hint}>{t('viewer.legend')}</p>}
        </div>
        <Button small aria-expanded={showsTable} onPress={onToggle}>
          {t(showsTable ? 'viewer.tableClose' : 'viewer.table')}
        </Button>
      </div>
      {showsTable && <SignalTable model={model} lanes={lanes.shown} timeZone={timeZone} gapWords={gapWords} />}
    </>
  );
}

export function RecordingViewer({
  recording,
  recordings,
  overview,
  subject,
  atMs,
}: {
  recording: Recording;
  /** The recording and those of the subject that overlap it. */
  recordings: readonly Recording[];
  overview: RecordingOverview;
  subject: DeskSubject;
  atMs: number | undefined;
}) {
  const { t, format } = useWords();
  const { timezone: timeZone } = subject;
  const placement = usePlacement();
  const permissions = usePermissions();
  const mayEdit = permissions('annotation.write', recording.studyId);
  const mayCorrect = permissions('correction.write', recording.studyId);
  const { model, history, annotations, labels, activity, hasShown } = useViewerData(recording, overview, atMs);
  const { editing, stored } = useEditing(model, recording);
  const [kind, setKind] = useState<LabelKind | 'all'>('all');
  const [isGoingTo, setGoingTo] = useState(false);
  const [showsTable, setShowsTable] = useState(false);
  const mode = useSelected(model.state, (state) => state.mode);
  const [frame, plotsPx] = useWidth();
  // The detail strip has a border of a pixel on each side.
  const widthPx = Math.max(0, plotsPx - 2);
  useTrueSpeed(model, widthPx, usePxPerMm().pxPerMm);
  useOpenAtPlots(frame, widthPx);
  const clock = useMemo(() => memoizedText((ms) => preciseClock(ms, timeZone).clock.slice(0, 8)), [timeZone]);
  const lanes = useLanes(model);
  const gapWords = useGapWords(model, timeZone, hasShown);
  const words = useLaneWords(gapWords);
  const authorOf = useAuthor(recording);
  const toggleTable = () => setShowsTable((shown) => !shown);
  const onLabelStep = (direction: -1 | 1) => stepToLabel(model, labels, kind, direction);
  const onGain = (direction: -1 | 1) => stepGain(model, direction);
  const onPrint = usePrintStrip(model);
  const undoing = useViewerCommands({
    ...{ model, history, mayEdit, onGain, onLabelStep },
    onGoTo: () => setGoingTo(true),
    onTable: toggleTable,
    onPrint,
  });
  useCorrectionCommands(editing);
  const onBegin = () => {
    frame.current?.scrollIntoView({ block: 'start' });
    frame.current?.querySelector<HTMLElement>('[data-mode] [role=slider]')?.focus({ preventScroll: true });
  };
  return (
    <div className={styles.viewer}>
      <OtherSensors model={model} recordings={recordings} />
      <div className={styles.plots} ref={frame}>
        <Toolbar {...{ model, lanes, widthPx, timeZone, mayEdit, mayCorrect, isGoingTo, onPrint }} onGoTo={setGoingTo}>
          <QueryButton
            about={{
              studyId: recording.studyId,
              subjectId: recording.subjectId,
              target: 'RECORDING',
              targetId: recording.id,
            }}
            name={t('recordings.nameOf', {
              start: format.dateTime(recording.recordingStartTs, timeZone),
              placement: placement(recording.physicalConfig),
            })}
            isCommand
          />
        </Toolbar>
        <LoadError model={model} />
        {overview.readableFromTs === null && atMs === undefined && (
          <Notice tone="info">{t('viewer.nothingReadable')}</Notice>
        )}
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
          {...{ model, timeZone, words, onLabelStep, onGain }}
          editing={mayCorrect ? editing : undefined}
          lanes={lanes.shown}
          labels={lanes.showsLabels ? labels : undefined}
          showsMagnitude={lanes.showsMagnitude}
          summaryId={SUMMARY_ID}
        />
        <BelowDetail {...{ model, lanes, timeZone, gapWords, showsTable }} onToggle={toggleTable} />
        {hasShown && <RunResults {...{ recording, subject }} extent={model.extent} />}
      </div>
      <aside className={styles.side} aria-label={t('viewer.side')}>
        <CorrectionsPanel
          {...{ editing, timeZone, mayCorrect, onBegin }}
          items={stored.data ?? []}
          studyId={recording.studyId}
        />
        <Measurement model={model} timeZone={timeZone} history={history} />
        {mode === 'label' && <LabelForm model={model} history={history} />}
        <QueryView query={annotations}>
          {() => (
            <LabelList
              {...{ model, kind, authorOf, timeZone, history }}
              items={labels}
              onKind={setKind}
              onStep={onLabelStep}
            />
          )}
        </QueryView>
        <SignedBy
          studyId={recording.studyId}
          target={{ kind: 'recording', targetId: recording.id }}
          name={t('recordings.nameOf', {
            start: format.dateTime(recording.recordingStartTs, timeZone),
            placement: placement(recording.physicalConfig),
          })}
        />
      </aside>
    </div>
  );
}
