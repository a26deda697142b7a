import type { MotionFeatures } from '../types.ts';

/**
 * The axis along which gravity lies while the wearer moves: the vertical one, by which single-axis rules and cut points are defined.
 * With an ActiGraph on a hip it is y, the first axis of ActiLife.
 */
export function verticalAxis({ segments }: Pick<MotionFeatures, 'segments'>): 'countsX' | 'countsY' | 'countsZ' {
  const gravity = { countsX: 0, countsY: 0, countsZ: 0 };
  for (const { columns, count } of segments) {
    for (let row = 0; row < count; row++) {
      if (columns.countsX[row]! + columns.countsY[row]! + columns.countsZ[row]! === 0) continue;
      gravity.countsX += Math.abs(columns.meanX[row]!);
      gravity.countsY += Math.abs(columns.meanY[row]!);
      gravity.countsZ += Math.abs(columns.meanZ[row]!);
    }
  }
  const { countsX, countsY, countsZ } = gravity;
  if (countsY >= countsX && countsY >= countsZ) return 'countsY';
  return countsX >= countsZ ? 'countsX' : 'countsZ';
}
