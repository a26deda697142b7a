/** Where the window was, for each arrangement of displays: a laptop at its desk and on the road has two. Pure. */
import { z } from 'zod';

const RECTANGLE = z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() });
export type Rectangle = z.infer<typeof RECTANGLE>;

const PLACE = z.object({
  /** Of the window when it is not maximised. */
  bounds: RECTANGLE,
  isMaximized: z.boolean(),
  /** Electron's zoom level: 0 is 100 %, each step a fifth. */
  zoomLevel: z.number().min(-8).max(9),
});
export type WindowPlace = z.infer<typeof PLACE>;

/** Places by the key of their arrangement, the one used last first. */
export const WINDOW_PLACES = z.array(z.tuple([z.string(), PLACE]));
export type WindowPlaces = z.infer<typeof WINDOW_PLACES>;

/** A display as Electron describes it, as far as it decides where a window can be. */
export interface DisplayArea {
  bounds: Rectangle;
  workArea: Rectangle;
  scaleFactor: number;
}

/** How many arrangements are remembered. */
const MAX_PLACES = 12;
/** How much of the title bar must be on a display, so that the window can be seen and moved. */
const MIN_VISIBLE_WIDTH = 200;
const MIN_VISIBLE_HEIGHT = 40;

/** Names an arrangement: the same displays at the same places, in whichever order the system lists them. */
export const arrangementOf = (displays: readonly DisplayArea[]): string =>
  displays
    .map(({ bounds: { x, y, width, height }, scaleFactor }) => `${x},${y} ${width}x${height} @${scaleFactor}`)
    .sort()
    .join('; ');

/** Stores a place as the newest. */
export const withPlace = (places: WindowPlaces, arrangement: string, place: WindowPlace): WindowPlaces =>
  [[arrangement, place] as [string, WindowPlace], ...places.filter(([key]) => key !== arrangement)].slice(
    0,
    MAX_PLACES,
  );

const overlap = (a: number, aLength: number, b: number, bLength: number): number =>
  Math.min(a + aLength, b + bLength) - Math.max(a, b);

/** Whether the title bar of the window is on this display. */
const isShownOn = ({ x, y, width }: Rectangle, { workArea }: DisplayArea): boolean =>
  overlap(x, width, workArea.x, workArea.width) >= Math.min(width, MIN_VISIBLE_WIDTH) &&
  overlap(y, MIN_VISIBLE_HEIGHT, workArea.y, workArea.height) >= MIN_VISIBLE_HEIGHT;

/** Limits a length to the room, and centres it there. */
const centred = (length: number, start: number, room: number): { start: number; length: number } => {
  const fitting = Math.min(length, room);
  return { start: start + Math.floor((room - fitting) / 2), length: fitting };
};

const centredIn = ({ width, height }: Rectangle, room: Rectangle): Rectangle => {
  const across = centred(width, room.x, room.width);
  const down = centred(height, room.y, room.height);
  return { x: across.start, y: down.start, width: across.length, height: down.length };
};

/**
 * Returns the place to restore. In an arrangement that was never used, the size and zoom of the last one are taken. A window
 * whose title bar no display shows is centred on the main display and made to fit.
 *
 * @param displays the main display first
 */
export const restoredPlace = (places: WindowPlaces, displays: readonly DisplayArea[]): WindowPlace | undefined => {
  const arrangement = arrangementOf(displays);
  const place = (places.find(([key]) => key === arrangement) ?? places[0])?.[1];
  const [main] = displays;
  if (!place || !main || displays.some((display) => isShownOn(place.bounds, display))) return place;
  return { ...place, bounds: centredIn(place.bounds, main.workArea) };
};
