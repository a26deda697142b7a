import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beatText } from '../../exporters/beats/files.ts';
import { DEFAULT_START_US, importToSignalFile, readImport } from '../../testing/import-fixtures.ts';
import type { CsvTemplate } from '../../vocabulary/csv-mapping.ts';
import { openImport } from '../index.ts';
import { rrListShape } from './rr-list-head.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-rr-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function write(lines: readonly string[], end = '\n'): Promise<string> {
  const path = join(folder, `list-${made++}.txt`);
  await writeFile(path, lines.join(end) + end);
  return path;
}

/** Intervals of a heart at rest, in ms. */
const RR = Array.from({ length: 200 }, (_, i) => 800 + Math.round(60 * Math.sin(i / 3)) + (i % 4));

/** Times of the beats that end the intervals, and the intervals, in seconds. */
function timedLines(separator: string): string[] {
  let endMs = 0;
  return RR.map((ms) => {
    endMs += ms;
    return `${endMs / 1000}${separator}${ms / 1000}`;
  });
}

describe('lists of RR intervals', () => {
  it.each([
    ['milliseconds', RR.map(String)],
    ['seconds', RR.map((ms) => (ms / 1000).toFixed(3))],
    ['seconds with a decimal comma', RR.map((ms) => (ms / 1000).toFixed(3).replace('.', ','))],
    ['milliseconds with decimals', RR.map((ms) => `${ms}.0`)],
    ['milliseconds below comments', ['# subject 1', '% ', '', ...RR.map(String)]],
    ['milliseconds below a name', ['RR (ms)', ...RR.map(String)]],
    ['milliseconds with comments between', RR.flatMap((ms) => [String(ms), '# mark'])],
    ['milliseconds beside numbered rows', ['beat,RR (ms)', ...RR.map((ms, i) => `${i + 1},${ms}`)]],
    ['milliseconds as R writes them', ['"","rr"', ...RR.map((ms, i) => `"${i + 1}",${ms}`)]],
    ['quoted milliseconds', ['"RR"', ...RR.map((ms) => `"${ms}"`)]],
  ])('reads one column in %s', async (_, lines) => {
    const { channels, notes } = await readImport([await write(lines, '\r\n')]);
    const [rr] = channels;
    expect(rr!.channel).toMatchObject({ type: 'RR', unit: 's' });
    expect(rr!.values[0]!.map((s) => Math.round(s * 1000))).toEqual(RR);
    let us = DEFAULT_START_US;
    expect(rr!.timesUs).toEqual(RR.map((ms) => (us += ms * 1000)));
    expect(notes.join(' ')).toContain('because of their size');
  });

  const timed = (separator: string, stamp: (endMs: number, ms: number) => string): string[] => {
    let endMs = 0;
    return RR.map((ms) => {
      endMs += ms;
      return `${stamp(endMs, ms)}${separator}${ms}`;
    });
  };

  it.each([
    ['a tab', timed('\t', (end) => (end / 1000).toFixed(3))],
    ['spaces', timed('   ', (end) => (end / 1000).toFixed(3))],
    ['a semicolon and a decimal comma', timed(';', (end) => (end / 1000).toFixed(3).replace('.', ','))],
    ['a comma, in ms', timed(',', (end) => `${end}`)],
    ['a comma, times of where each interval begins', timed(',', (end, ms) => `${end - ms}`)],
    ['names of columns', ['Time;RR', ...timed(';', (end) => `${end}`)]],
  ])('reads two columns with %s', async (_, lines) => {
    const { channels, marks } = await readImport([await write(lines)]);
    let us = DEFAULT_START_US;
    expect(channels[0]!.timesUs).toEqual(RR.map((ms) => (us += ms * 1000)));
    expect(marks).toEqual([]);
  });

  it('takes numbered rows for intervals only where a name says so', () => {
    const rows = RR.map((ms, i) => `${i + 1},${ms}`);
    expect(rrListShape(['sample,value', ...rows].join('\n'), true)).toBeNull();
    expect(rrListShape(rows.join('\n'), true)).toBeNull();
    expect(rrListShape(['index;ibi', ...RR.map((ms, i) => `${i};${ms}`)].join('\n'), true)).toMatchObject({
      interval: 1,
    });
  });

  it('finds a gap where an interval does not reach back to the beat before', async () => {
    const lines = timed('\t', (end) => (end / 1000).toFixed(4));
    const { channels, marks } = await readImport([await write([...lines.slice(0, 50), ...lines.slice(53)])]);
    const { timesUs } = channels[0]!;
    expect(marks).toEqual([{ channel: 0, timeUs: timesUs[49], reason: 'LOST_BLOCK' }]);
    expect(timesUs[50]! - timesUs[49]!).toBeGreaterThan(2.9e6);
  });

  it('takes times of today as Unix times', async () => {
    let endMs = 1_700_000_000_000;
    const lines = RR.map((ms) => {
      endMs += ms;
      return `${(endMs / 1000).toFixed(3)},${ms}`;
    });
    const source = await openImport([await write(lines)]);
    expect(source.clock).toEqual({ kind: 'UTC' });
    const { channels } = await readImport([await write(lines)], { defaultStartUs: undefined });
    expect(channels[0]!.timesUs[0]).toBe((1_700_000_000_000 + RR[0]!) * 1000);
  });

  it('asks when the list was recorded', async () => {
    await expect(openImport([await write(RR.map(String))])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('breaks at an interval that cannot be true, and keeps artefacts that can', async () => {
    const lines = [...RR.slice(0, 100).map(String), '0', '5600', ...RR.slice(100).map(String), 'lost'];
    const { channels, marks, notes } = await readImport([await write(lines)]);
    expect(channels[0]!.values[0]!.length).toBe(201);
    expect(channels[0]!.values[0]![100]).toBe(5.6);
    expect(marks).toMatchObject([{ reason: 'NO_CONTACT' }]);
    expect(channels[0]!.timesUs[100]! - channels[0]!.timesUs[99]! - 5.6e6).toBe(250_000);
    expect(notes.join(' ')).toMatch(/1 intervals cannot be true.*1 line is no interval/);
  });

  it.each(['NaN', 'signal lost', '1x2'])('breaks at a row that reads %s', async (unreadable) => {
    const lines = [...RR.slice(0, 100).map(String), unreadable, unreadable, ...RR.slice(100).map(String)];
    const { channels, marks, notes } = await readImport([await write(lines)]);
    const { timesUs, values } = channels[0]!;
    expect(values[0]!.length).toBe(200);
    expect(marks).toEqual([{ channel: 0, timeUs: timesUs[99], reason: 'NO_CONTACT' }]);
    expect(timesUs[100]! - timesUs[99]! - RR[100]! * 1000).toBe(250_000);
    expect(notes.join(' ')).toContain('2 lines are no intervals');
  });

  it('leaves out a last number that was cut, and keeps a whole one without a line end', async () => {
    const cut = join(folder, 'cut.txt');
    await writeFile(cut, `${RR.join('\n')}\n81`);
    expect((await readImport([cut])).channels[0]!.timesUs.length).toBe(200);
    await writeFile(cut, RR.join('\n'));
    expect((await readImport([cut])).channels[0]!.timesUs.length).toBe(200);
  });

  it('reads back what this program exports for Kubios', async () => {
    const lines = timed('\t', (end) => (end / 1000).toFixed(4)).map((line, i) => {
      const [time, ms] = line.split('\t');
      return i < 120 ? `${time}\t${Number(ms) / 1000}` : `${(Number(time) + 30).toFixed(4)}\t${Number(ms) / 1000}`;
    });
    const path = await importToSignalFile([await write(lines)], folder);
    const exportOf = async (signalPath: string): Promise<string> => {
      let text = '';
      for await (const part of beatText('kubios', signalPath)) text += part;
      return text;
    };
    const exported = await exportOf(path);
    expect(exported.trim().split('\n').length).toBeGreaterThan(190);
    const again = join(folder, 'kubios.txt');
    await writeFile(again, exported);
    const back = await exportOf(await importToSignalFile([again], folder));
    const intervals = (text: string): string[] =>
      text
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]!);
    // An export has no interval of its first beat, nor of the first behind a gap.
    expect(intervals(back)).toEqual(
      intervals(exported).filter((_, i) => i > 0 || intervals(back).length === intervals(exported).length),
    );
    const { marks, channels } = await readImport([again]);
    expect(marks.length).toBe(1);
    expect(channels[0]!.timesUs.length).toBe(exported.trim().split('\n').length);
  });

  it.each([
    ['a signal around zero', Array.from({ length: 100 }, (_, i) => (Math.sin(i) * 3).toFixed(3))],
    ['heart rates', RR.map((ms) => String(Math.round(60_000 / ms)))],
    ['temperatures below a Unix time', ['1551453301.0', '4.0', ...RR.map(() => '33.5')]],
    ['skin conductance below a Unix time', ['1551453301.0', '4.0', ...RR.map(() => '0.512')]],
    ['times beside values that do not follow from them', RR.map((_, i) => `${i * 10},${700 + (i % 9)}`)],
    ['names that are none of intervals', ['pressure', ...RR.map(String)]],
    ['intervals of an Empatica E4 below their start', ['1551453301.000000, IBI', ...timedLines(',')]],
    ['three numbers', RR.slice(0, 3).map(String)],
    ['three columns', RR.map((ms) => `${ms},${ms},${ms}`)],
  ])('leaves %s to others', (_, lines) => {
    expect(rrListShape(`${lines.join('\n')}\n`, true)).toBeNull();
  });

  it('lets a template of the study for the same text come first', async () => {
    const template: CsvTemplate = {
      id: 't1',
      displayName: 'Ours',
      header: ['time', 'rr'],
      mapping: {
        delimiter: ',',
        decimal: '.',
        skipLines: 0,
        hasHeader: true,
        missing: [],
        time: { kind: 'ELAPSED', column: 0, unit: 'ms' },
        channels: [{ type: 'RR', columns: [1], unit: 'ms' }],
      },
    } as unknown as CsvTemplate;
    const path = await write(['time,rr', ...timed(',', (end) => `${end}`)]);
    const { format } = await readImport([path], { csvTemplates: [template] });
    expect(format).toBe('CSV by mapping');
    expect((await readImport([path])).format).toBe('RR intervals (text)');
  });
});
