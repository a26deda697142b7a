/** Zoom and jump commands that the toolbar, the keyboard and the lists share. */
import type { ViewerModel } from './data/model.ts';
import { centredOn, DEFAULT_MS, zoomedTo } from './view.ts';

/** Zooming keeps the instant of `around` in place: the cursor, or the middle of the view without one. */
export function zoomCommands(model: ViewerModel) {
  const around = () => {
    const { view, cursorMs } = model.state.get();
    return cursorMs ?? view.startMs + view.lengthMs / 2;
  };
  const zoom = (lengthMs: (now: number) => number) => {
    const { view } = model.state.get();
    model.setView(zoomedTo(view, model.extent, around(), lengthMs(view.lengthMs)));
  };
  return {
    zoomIn: () => zoom((now) => now / 2),
    zoomOut: () => zoom((now) => now * 2),
    reset: () => zoom(() => DEFAULT_MS),
    show: (ms: number) => model.setView(centredOn(model.state.get().view, model.extent, ms)),
    around,
  };
}
