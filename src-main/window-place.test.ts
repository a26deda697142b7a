import { expect, test } from 'vitest';
import {
  arrangementOf,
  type DisplayArea,
  restoredPlace,
  type WindowPlace,
  type WindowPlaces,
  withPlace,
} from './window-place.ts';

const display = (x: number, y: number, width: number, height: number, scaleFactor = 1): DisplayArea => ({
  bounds: { x, y, width, height },
  workArea: { x, y: y + 25, width, height: height - 25 },
  scaleFactor,
});
const LAPTOP = display(0, 0, 1440, 900, 2);
const BESIDE = display(1440, 0, 2560, 1440);

const place = (x: number, y: number, width = 1300, height = 800): WindowPlace => ({
  bounds: { x, y, width, height },
  isMaximized: false,
  zoomLevel: 1,
});
const remembered = (...entries: [DisplayArea[], WindowPlace][]): WindowPlaces =>
  entries.reduceRight<WindowPlaces>((places, [displays, one]) => withPlace(places, arrangementOf(displays), one), []);

test('restores each arrangement of displays as it was, in whichever order the system lists them', () => {
  const places = remembered([[LAPTOP], place(20, 40)], [[LAPTOP, BESIDE], place(1600, 60)]);
  expect(restoredPlace(places, [LAPTOP])).toEqual(place(20, 40));
  expect(restoredPlace(places, [BESIDE, LAPTOP])).toEqual(place(1600, 60));
  expect(restoredPlace([], [LAPTOP])).toBeUndefined();
});

test('centres the window on the main display, with its size and zoom, when its own display is gone', () => {
  const places = remembered([[LAPTOP, BESIDE], place(1600, 60)]);
  const restored = restoredPlace(places, [LAPTOP]);
  expect(restored).toEqual({ bounds: { x: 70, y: 62, width: 1300, height: 800 }, isMaximized: false, zoomLevel: 1 });
});

test('fits a window that is larger than the display that is left', () => {
  const places = remembered([[BESIDE], { ...place(1440, 40, 2500, 1300), isMaximized: true }]);
  expect(restoredPlace(places, [LAPTOP])).toMatchObject({
    bounds: { x: 0, y: 25, width: 1440, height: 875 },
    isMaximized: true,
  });
});

test('leaves a window that lies across two displays as it is', () => {
  const across = place(700, 40, 2600, 860);
  expect(restoredPlace(remembered([[LAPTOP, BESIDE], across]), [LAPTOP, BESIDE])).toEqual(across);
});

test.each([
  ['its title bar above the display', place(100, -700)],
  ['only its edge on the display', place(1400, 100)],
  ['below the display', place(100, 890)],
  ['left of the display', place(-1250, 100)],
])('does not restore a position with %s', (_where, wrong) => {
  expect(restoredPlace(remembered([[LAPTOP], wrong]), [LAPTOP])?.bounds).toMatchObject({ x: 70, y: 62 });
});

test('remembers a dozen arrangements, the last used ones', () => {
  let places: WindowPlaces = [];
  for (let i = 0; i < 30; i++) places = withPlace(places, arrangementOf([display(0, 0, 1000 + i, 800)]), place(i, 0));
  places = withPlace(places, arrangementOf([display(0, 0, 1020, 800)]), place(5, 5));
  expect(places).toHaveLength(12);
  expect(places[0]?.[1]).toEqual(place(5, 5));
  expect(new Set(places.map(([key]) => key)).size).toBe(12);
});
