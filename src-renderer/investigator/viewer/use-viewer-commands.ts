/** What the keyboard and the palette can do with a recording. */
import { useMutation } from '@tanstack/react-query';
import { useWords } from '../../shared/i18n/i18n.ts';
import { useStore } from '../../shared/store.ts';
import { useCommands } from '../commands/commands.ts';
import type { LabelHistory } from './data/label-history.ts';
import type { Mode, ViewerModel } from './data/model.ts';
import { toggleSignal } from './lane-menu.tsx';
import { LABELS_LANE } from './use-lanes.ts';
import { movedBy } from './view.ts';
import { zoomCommands } from './zoom.ts';

/** One step of the cursor by keyboard, in parts of the window. */
const CURSOR_PART = 0.01;

/** Moves the cursor within the view, which follows it at its ends. */
function stepCursor(model: ViewerModel, parts: number): void {
  const { view, cursorMs } = model.state.get();
  const from = cursorMs ?? view.startMs + view.lengthMs / 2;
  const wanted = from + parts * view.lengthMs;
  const ms = Math.min(Math.max(wanted, model.extent.startMs), model.extent.stopMs);
  const over = Math.min(0, ms - view.startMs) + Math.max(0, ms - view.startMs - view.lengthMs);
  if (over !== 0) model.setView(movedBy(view, model.extent, over + Math.sign(over) * view.lengthMs * 0.5));
  model.set({ cursorMs: ms });
}

export function useViewerCommands({
  model,
  history,
  mayEdit,
  onGoTo,
  onGain,
  onLabelStep,
  onTable,
}: {
  model: ViewerModel;
  history: LabelHistory;
  mayEdit: boolean;
  onGoTo: () => void;
  onGain: (direction: -1 | 1) => void;
  onLabelStep: (direction: -1 | 1) => void;
  onTable: () => void;
}) {
  const { t } = useWords();
  const counts = useStore(history.counts);
  const undo = useMutation({ mutationFn: () => history.undo() });
  const redo = useMutation({ mutationFn: () => history.redo() });
  const zoom = zoomCommands(model);
  const toggleMode = (mode: Mode) => model.set({ mode: model.state.get().mode === mode ? 'view' : mode });
  const page = { scope: 'page' } as const;
  useCommands([
    { ...page, id: 'viewer.goTo', label: t('viewer.goTo'), keys: ['g'], run: onGoTo },
    { ...page, id: 'viewer.zoomIn', label: t('viewer.zoomIn'), keys: ['+'], run: zoom.zoomIn },
    { ...page, id: 'viewer.zoomOut', label: t('viewer.zoomOut'), keys: ['-'], run: zoom.zoomOut },
    { ...page, id: 'viewer.reset', label: t('viewer.zoomReset'), keys: ['0'], run: zoom.reset },
    { ...page, id: 'viewer.gainUp', label: t('viewer.gainUp'), run: () => onGain(1) },
    { ...page, id: 'viewer.gainDown', label: t('viewer.gainDown'), run: () => onGain(-1) },
    {
      ...page,
      id: 'viewer.cursorBack',
      label: t('viewer.cursorBack'),
      keys: [','],
      run: () => stepCursor(model, -CURSOR_PART),
    },
    {
      ...page,
      id: 'viewer.cursorOn',
      label: t('viewer.cursorForward'),
      keys: ['.'],
      run: () => stepCursor(model, CURSOR_PART),
    },
    {
      ...page,
      id: 'viewer.caliperStart',
      label: t('viewer.caliperStart'),
      keys: ['['],
      run: () => model.setCaliper('startMs', zoom.around()),
    },
    {
      ...page,
      id: 'viewer.caliperStop',
      label: t('viewer.caliperStop'),
      keys: [']'],
      run: () => model.setCaliper('stopMs', zoom.around()),
    },
    {
      ...page,
      id: 'viewer.levels',
      label: t('viewer.levels'),
      keys: ['h'],
      isEnabled: model.lead !== undefined,
      run: () => model.toggleLevels(),
    },
    {
      ...page,
      id: 'viewer.snap',
      label: t('viewer.snap'),
      keys: ['s'],
      run: () => {
        const { calipers } = model.state.get();
        if (calipers.startMs !== null) model.setCaliper('startMs', calipers.startMs, true);
        if (calipers.stopMs !== null) model.setCaliper('stopMs', calipers.stopMs, true);
      },
    },
    {
      ...page,
      id: 'viewer.march',
      label: t('viewer.repeatInterval'),
      keys: ['m'],
      run: () => model.set({ isMarching: !model.state.get().isMarching }),
    },
    { ...page, id: 'viewer.measure', label: t('viewer.measure'), keys: ['c'], run: () => toggleMode('measure') },
    {
      ...page,
      id: 'viewer.label',
      label: t('viewer.label'),
      keys: ['v'],
      isEnabled: mayEdit,
      run: () => toggleMode('label'),
    },
    {
      ...page,
      id: 'viewer.labelsLane',
      label: t('viewer.toggleLabels'),
      keys: ['l'],
      run: () => toggleSignal(LABELS_LANE),
    },
    { ...page, id: 'viewer.table', label: t('viewer.toggleTable'), keys: ['t'], run: onTable },
    {
      ...page,
      id: 'viewer.undo',
      label: t('viewer.undo'),
      keys: ['Mod+Z'],
      isEnabled: counts.undo > 0,
      run: () => undo.mutate(),
    },
    {
      ...page,
      id: 'viewer.redo',
      label: t('viewer.redo'),
      keys: ['Mod+Shift+Z'],
      isEnabled: counts.redo > 0,
      run: () => redo.mutate(),
    },
    { ...page, id: 'viewer.nextLabel', label: t('viewer.nextLabel'), run: () => onLabelStep(1) },
    { ...page, id: 'viewer.previousLabel', label: t('viewer.previousLabel'), run: () => onLabelStep(-1) },
  ]);
  return {
    error: undo.error ?? redo.error,
    retry: () => (undo.error ? undo.mutate() : redo.mutate()),
  };
}
