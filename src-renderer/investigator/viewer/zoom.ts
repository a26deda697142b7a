/** Zooming and jumping, as toolbar, keys and lists ask for it. */
import type { ViewerModel } from './data/model.ts';
import { centredOn, DEFAULT_MS, zoomedTo } from './view.ts';

/** `around` is the cursor, or the middle of the view without one: zooming keeps it in place. */
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
