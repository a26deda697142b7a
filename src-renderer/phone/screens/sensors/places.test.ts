import { expect, it } from 'vitest';
import { LOCATIONS } from '../../../../src-server/vocabulary/placements.ts';
import { fittedSize } from '../messages/picture.ts';
import { FIGURE_WIDTH, isKnownPlace, pointsOf } from './places.ts';

it('has a point on the figure for every location of the interface', () => {
  expect(LOCATIONS.filter((location) => location !== 'OTHER' && !isKnownPlace(location))).toEqual([]);
});

it('mirrors a place to the other side, and marks both where either will do', () => {
  const [left] = pointsOf({ location: 'ANTERIOR_THIGH', side: 'LEFT' });
  const [right] = pointsOf({ location: 'ANTERIOR_THIGH', side: 'RIGHT' });
  expect(right).toEqual({ x: FIGURE_WIDTH - left!.x, y: left!.y });
  expect(pointsOf({ location: 'ANTERIOR_THIGH', side: 'ANY' })).toHaveLength(2);
  expect(pointsOf({ location: 'MEDIAL_CHEST', side: 'LEFT' })).toHaveLength(1);
});

it('fits a picture into 1600 px and enlarges none', () => {
  expect(fittedSize(4032, 3024)).toEqual({ width: 1600, height: 1200 });
  expect(fittedSize(3024, 4032)).toEqual({ width: 1200, height: 1600 });
  expect(fittedSize(800, 600)).toEqual({ width: 800, height: 600 });
});
