import { describe, expect, it } from 'vitest';
import { sampleTimesUs, valueOfCount } from '../signals/index.ts';
import type { SignalChannel } from '../signals/types.ts';
import { channelOf, randomPages, seededRandom } from '../testing/signal-fixtures.ts';
import { doubleText } from './double-text.ts';
import { type RowStyle, SampleRows } from './sample-rows.ts';

const STYLES: [RowStyle, (us: number) => string][] = [
  [{ separator: '\t', time: 'seconds', format: String }, (us) => (us / 1e6).toFixed(6)],
  [{ separator: ',', time: 'microseconds', format: doubleText }, String],
];
const CHANNELS: SignalChannel[] = [
  channelOf('ACCEL', ['x', 'y', 'z'], 31.25),
  channelOf('ECG', ['v'], 250),
  { ...channelOf('EEG', ['a', 'b'], 500, 32), scale: [1e-9, 0.4 / 65_535], offset: [0, -3] },
];

describe('rows of samples', () => {
  it.each(STYLES)('are the text of each number, in the style %o', (style, timeText) => {
    for (const channel of CHANNELS) {
      const rows = new SampleRows(channel, style);
      const toValue = channel.dimensions.map((_, d) => valueOfCount(channel, d));
      for (const page of randomPages([channel], 40, seededRandom(9))) {
        const times = sampleTimesUs(page).map((us) => (style.time === 'seconds' ? us - 1_600_000_000_000_000 : us));
        const expected = Array.from(times, (us, i) =>
          [timeText(us), ...toValue.map((toPhysical, d) => style.format(toPhysical(page.columns[d]![i]!)))].join(
            style.separator,
          ),
        ).slice(1);
        const written = Buffer.from(rows.rows(times, page.columns, 1, page.count)).toString();
        expect(written).toBe(expected.map((row) => `${row}\n`).join(''));
      }
    }
  });

  it('show times before the start with a sign, and small and large ones in full', () => {
    const channel = channelOf('ECG', ['v'], 250);
    const rows = (style: RowStyle, times: number[]) =>
      Buffer.from(new SampleRows(channel, style).rows(Float64Array.from(times), [new Int16Array(9)], 0, times.length))
        .toString()
        .split('\n')
        .map((row) => row.split(/[\t,]/)[0])
        .slice(0, -1);
    expect(rows(STYLES[0]![0], [-1, 0, 999_999, 1e6, 86_400e6 + 7])).toEqual([
      '-0.000001',
      '0.000000',
      '0.999999',
      '1.000000',
      '86400.000007',
    ]);
    expect(rows(STYLES[1]![0], [-5, 0, 99_999_999, 1e8, 1_768_367_103_195_536])).toEqual([
      '-5',
      '0',
      '99999999',
      '100000000',
      '1768367103195536',
    ]);
  });
});
