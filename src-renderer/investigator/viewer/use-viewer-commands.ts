/** Keyboard and palette commands of the viewer. */
import { useMutation } from '@tanstack/react-query';
import { type Translate, useWords } from '../../shared/i18n/i18n.ts';
import { useSelected, useStore } from '../../shared/store.ts';
import { type Command, useCommands } from '../commands/commands.ts';
import type { LabelHistory } from './data/label-history.ts';
import type { Mode, ViewerModel } from './data/model.ts';
import { toggleSignal } from './lane-menu.tsx';
import { LABELS_LANE } from './use-lanes.ts';
import { movedBy } from './view.ts';
import { zoomCommands } from './zoom.ts';

/** One step of the cursor by keyboard, as a share of the window. */
const CURSOR_SHARE = 0.01;

/** Moves the cursor by a share of the view. The view follows where the cursor would leave it. */
function stepCursor(model: ViewerModel, share: number): void {
  const { view, cursorMs } = model.state.get();
  const from = cursorMs ?? view.startMs + view.lengthMs / 2;
  const wanted = from + share * view.lengthMs;
  const ms = Math.min(Math.max(wanted, model.extent.startMs), model.extent.stopMs);
  const overshootMs = Math.min(0, ms - view.startMs) + Math.max(0, ms - view.startMs - view.lengthMs);
  if (overshootMs !== 0)
    model.setView(movedBy(view, model.extent, overshootMs + Math.sign(overshootMs) * view.lengthMs * 0.5));
  model.set({ cursorMs: ms });
}

/** Commands whose keys mean something else while beats are corrected. */
const REPLACED: ReadonlySet<string> = new Set([
  'viewer.cursorBack',
  'viewer.cursorOn',
  'viewer.snap',
  'viewer.label',
  'viewer.undo',
  'viewer.redo',
]);

interface ViewerActions {
  mayEdit: boolean;
  onGoTo: () => void;
  onGain: (direction: -1 | 1) => void;
  onLabelStep: (direction: -1 | 1) => void;
  onTable: () => void;
  onPrint: () => void;
}

/** A command without its scope, which is the page for all of them. */
type PageCommand = Omit<Command, 'scope'>;

function viewCommands(model: ViewerModel, t: Translate, { onGoTo, onGain }: ViewerActions): PageCommand[] {
  const zoom = zoomCommands(model);
  return [
    { id: 'viewer.goTo', label: t('viewer.goTo'), keys: ['g'], run: onGoTo },
    { id: 'viewer.zoomIn', label: t('viewer.zoomIn'), keys: ['+'], run: zoom.zoomIn },
    { id: 'viewer.zoomOut', label: t('viewer.zoomOut'), keys: ['-'], run: zoom.zoomOut },
    { id: 'viewer.reset', label: t('viewer.zoomReset'), keys: ['0'], run: zoom.reset },
    { id: 'viewer.gainUp', label: t('viewer.gainUp'), run: () => onGain(1) },
    { id: 'viewer.gainDown', label: t('viewer.gainDown'), run: () => onGain(-1) },
    {
      id: 'viewer.cursorBack',
      label: t('viewer.cursorBack'),
      keys: [','],
      run: () => stepCursor(model, -CURSOR_SHARE),
    },
    {
      id: 'viewer.cursorOn',
      label: t('viewer.cursorForward'),
      keys: ['.'],
      run: () => stepCursor(model, CURSOR_SHARE),
    },
  ];
}

function measureCommands(model: ViewerModel, t: Translate): PageCommand[] {
  const { around } = zoomCommands(model);
  return [
    {
      id: 'viewer.caliperStart',
      label: t('viewer.caliperStart'),
      keys: ['['],
      run: () => model.setCaliper('startMs', around()),
    },
    {
      id: 'viewer.caliperStop',
      label: t('viewer.caliperStop'),
      keys: [']'],
      run: () => model.setCaliper('stopMs', around()),
    },
    {
      id: 'viewer.levels',
      label: t('viewer.levels'),
      keys: ['h'],
      isEnabled: model.lead !== undefined,
      run: () => model.toggleLevels(),
    },
    {
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
      id: 'viewer.march',
      label: t('viewer.repeatInterval'),
      keys: ['r'],
      run: () => model.set({ isMarching: !model.state.get().isMarching }),
    },
    { id: 'viewer.measure', label: t('viewer.measure'), keys: ['m'], run: () => toggleMode(model, 'measure') },
  ];
}

function displayCommands(
  model: ViewerModel,
  t: Translate,
  { mayEdit, onTable, onPrint }: ViewerActions,
): PageCommand[] {
  return [
    {
      id: 'viewer.label',
      label: t('viewer.label'),
      keys: ['l'],
      isEnabled: mayEdit,
      run: () => toggleMode(model, 'label'),
    },
    {
      id: 'viewer.labelsLane',
      label: t('viewer.toggleLabels'),
      keys: ['b'],
      run: () => toggleSignal(LABELS_LANE),
    },
    { id: 'viewer.table', label: t('viewer.toggleTable'), keys: ['t'], run: onTable },
    {
      id: 'viewer.print',
      label: t('viewer.print'),
      keys: ['p'],
      isEnabled: model.lead !== undefined,
      run: onPrint,
    },
  ];
}

function toggleMode(model: ViewerModel, mode: Mode): void {
  model.set({ mode: model.state.get().mode === mode ? 'view' : mode });
}

/** Registers the commands. Returns the error of the last undo or redo, and how to retry it. */
export function useViewerCommands({
  model,
  history,
  ...actions
}: { model: ViewerModel; history: LabelHistory } & ViewerActions): { error: Error | null; retry: () => void } {
  const { t } = useWords();
  const counts = useStore(history.counts);
  const isCorrecting = useSelected(model.state, ({ mode }) => mode === 'correct');
  const undo = useMutation({ mutationFn: () => history.undo() });
  const redo = useMutation({ mutationFn: () => history.redo() });
  const commands: PageCommand[] = [
    ...viewCommands(model, t, actions),
    ...measureCommands(model, t),
    ...displayCommands(model, t, actions),
    {
      id: 'viewer.undo',
      label: t('viewer.undo'),
      keys: ['Mod+Z'],
      isEnabled: counts.undo > 0,
      run: () => undo.mutate(),
    },
    {
      id: 'viewer.redo',
      label: t('viewer.redo'),
      keys: ['Mod+Shift+Z'],
      isEnabled: counts.redo > 0,
      run: () => redo.mutate(),
    },
    { id: 'viewer.nextLabel', label: t('viewer.nextLabel'), run: () => actions.onLabelStep(1) },
    { id: 'viewer.previousLabel', label: t('viewer.previousLabel'), run: () => actions.onLabelStep(-1) },
  ];
  // The keys of correcting take the place of some of these.
  const isFree = ({ id }: PageCommand) => !isCorrecting || !REPLACED.has(id);
  useCommands(
    commands.map((command) => ({
      ...command,
      scope: 'page',
      isEnabled: command.isEnabled !== false && isFree(command),
    })),
  );
  return {
    error: undo.error ?? redo.error,
    retry: () => (undo.error ? undo.mutate() : redo.mutate()),
  };
}
