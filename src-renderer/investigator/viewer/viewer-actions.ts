/** Actions that the keyboard, the palette and the panels of the viewer share. */
import { type LabelItem, type LabelKind, neighbour } from './data/labels.ts';
import { MOTION_RANGES_G, type ViewerModel } from './data/model.ts';
import { GAINS_MM_PER_MV } from './drawing/grid.ts';
import { zoomCommands } from './zoom.ts';

/** Shows the next or previous label of a kind, counted from the middle of the view. */
export function stepToLabel(
  model: ViewerModel,
  labels: readonly LabelItem[],
  kind: LabelKind | 'all',
  direction: -1 | 1,
): void {
  const { view } = model.state.get();
  const candidates = labels.filter((item) => kind === 'all' || item.kind === kind);
  const next = neighbour(candidates, view.startMs + view.lengthMs / 2, direction);
  if (next) zoomCommands(model).show(next.startMs);
}

/** Raises (1) or lowers (-1) the gain of the lead by one step; without a lead, narrows or widens the acceleration range. */
export function stepGain(model: ViewerModel, direction: -1 | 1): void {
  const { gain, rangeG } = model.state.get();
  if (!model.lead) {
    // A higher gain is a smaller range.
    const range = MOTION_RANGES_G[(MOTION_RANGES_G as readonly number[]).indexOf(rangeG) - direction];
    if (range !== undefined) model.set({ rangeG: range });
    return;
  }
  const index = (GAINS_MM_PER_MV as readonly (number | 'auto')[]).indexOf(gain);
  const next = GAINS_MM_PER_MV[Math.min(Math.max(index + direction, 0), GAINS_MM_PER_MV.length - 1)];
  model.set({ gain: index < 0 || next === undefined ? 10 : next });
}
