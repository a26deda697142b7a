import { describe, expect, it } from 'vitest';
import { laneSheets } from './lane-sheets.ts';

const lane = (id: string, heightPx: number, label = id) => ({ id, label, heightPx });
const heights = (lanes: ReturnType<typeof lane>[], roomPx: number) =>
  laneSheets(lanes, roomPx).map((sheet) => sheet.map(({ heightPx }) => heightPx));

describe('lanes of a day on sheets', () => {
  it.each<[string, ReturnType<typeof lane>[], number, number[][]]>([
    ['keep their heights where they fit', [lane('wear', 34), lane('activity', 60)], 100, [[34, 60]]],
    ['give way in proportion to what each can give', [lane('wear', 100), lane('activity', 50)], 120, [[80, 40]]],
    ['leave marks as high as their rows', [lane('activity', 100), lane('marks', 76)], 150, [[74, 76]]],
    [
      'continue on another sheet before they become too low',
      [lane('activity', 100), lane('heart', 100), lane('marks', 50)],
      130,
      [[65, 65], [50]],
    ],
    ['have none where there are none', [], 100, []],
  ])('%s', (_case, lanes, roomPx, expected) => {
    expect(heights(lanes, roomPx)).toEqual(expected);
  });

  it('never make a lane lower than its name', () => {
    const [[only] = []] = heights([lane('path', 34, 'Data stage of the sensor on the left thigh, spare')], 40);
    expect(only).toBeGreaterThan(34);
  });

  it('fill no sheet over its room, however many sensors and marks there are', () => {
    for (let sensors = 0; sensors < 40; sensors++) {
      const lanes = [
        lane('activity', 370),
        ...Array.from({ length: sensors }, (_, at) => lane(`path ${at}`, 34, `Data stage of sensor ${at}`)),
        lane('marks', 76),
        lane('faults', 76),
      ];
      const sheets = laneSheets(lanes, 450);
      expect(sheets.flat().map((each) => each.lane)).toEqual(lanes);
      for (const sheet of sheets)
        expect(sheet.reduce((sum, { heightPx }) => sum + heightPx, 0)).toBeLessThanOrEqual(450);
    }
  });
});
