import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth } from '../../testing/device-truth.ts';
import { DEFAULT_START_US, readImport, readImports } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-shimmer-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function write(lines: readonly string[], end = '\r\n'): Promise<string> {
  const path = join(folder, `made-${made++}.csv`);
  await writeFile(path, `${lines.join(end)}${end}`);
  return path;
}

const truth = deviceTruth('shimmer');
const fileOf = (name: string) => truth!.files.find(({ file }) => file === name)!;
const START_MS = 1_700_000_000_000;

describe.runIf(truth)('Shimmer files of real devices', () => {
  it('reads stamps in scientific notation to the microsecond, and two leads as one channel', async () => {
    const file = fileOf('ecg_calibrated.csv');
    const source = await openImport([file.path]);
    expect(source.clock).toEqual({ kind: 'UTC' });
    const { channels, format } = await readImport([file.path]);
    expect(format).toBe('Shimmer CSV');
    const [emg] = channels;
    expect(channels.length).toBe(1);
    expect(emg!.channel).toMatchObject({ type: 'EMG', dimensions: ['v', 'ch2'], unit: 'V' });
    for (const [d, column] of ['TEST_EMG_CH1_24BIT_CAL', 'TEST_EMG_CH2_24BIT_CAL'].entries()) {
      const millivolts = emg!.values[d]!.map((volts) => volts * 1000);
      expectTruth([millivolts], file.values[column], 1e-6);
    }
    expect(emg!.timesUs[0]).toBe(file.startUs);
    expect(emg!.timesUs.at(-1)).toBe(file.lastUs);
    const written = readFileSync(file.path, 'latin1')
      .trim()
      .split(/\r?\n/)
      .slice(3)
      .map((line) => Math.round(Number(line.split('\t')[0]) * 1000));
    expect(emg!.timesUs).toEqual(written);
    expect(emg!.pageCount).toBe(file.stepsOver1p5 + 1);
  });

  it('reads every column of an export with many sensors', async () => {
    const file = fileOf('gsr_imu_calibrated.csv');
    const { channels, header, notes } = await readImport([file.path]);
    expect(header).toMatchObject({ udid: '40AC', device: { maker: 'Shimmer' } });
    const byType = new Map(channels.map((channel) => [channel.channel.type, channel]));
    expect([...byType].map(([type, { channel }]) => [type, channel.unit])).toEqual([
      ['ACCEL', 'g'],
      ['ACCEL_2', 'g'],
      ['GYRO', 'dps'],
      ['MAG', 'local_flux'],
      ['BATTERY', 'V'],
      ['EXT_EXP_A15', 'mV'],
      ['GSR_RANGE', ''],
      ['EDA', 'uS'],
      ['GSR_SKIN_RESISTANCE', 'kOhms'],
      ['INT_EXP_A12', 'mV'],
      ['PRESSURE', 'hPa'],
      ['TEMPERATURE', 'degC'],
    ]);
    expect(notes.join(' ')).toContain('ACCEL is Accel_WR, ACCEL_2 is Accel_LN');
    for (const [type, sensor] of [
      ['ACCEL', 'Accel_WR'],
      ['ACCEL_2', 'Accel_LN'],
    ] as const) {
      const { values, timesUs } = byType.get(type)!;
      for (const [d, axis] of ['X', 'Y', 'Z'].entries()) {
        const metric = values[d]!.map((g) => g * 9.80665);
        expectTruth([metric], file.values[`Shimmer_40AC_${sensor}_${axis}_CAL`], 1e-6);
      }
      expect([timesUs[0], timesUs.at(-1)]).toEqual([file.startUs, file.lastUs]);
    }
    expect(byType.get('PRESSURE')!.values[0]![0]).toBeCloseTo(1004.36, 0);
    expect(byType.get('TEMPERATURE')!.values[0]!.at(-1)).toBeCloseTo(33.37, 2);
  });

  it('refuses an SD log and says what to export', async () => {
    await expect(openImport([fileOf('ecg_sdlog.bin').path])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringContaining('Consensys'),
    });
  });
});

describe('Shimmer texts', () => {
  const NAMES = ['S_A_Timestamp_Unix_CAL', 'S_A_Accel_WR_X_CAL', 'S_A_Accel_WR_Y_CAL', 'S_A_Accel_WR_Z_CAL'];
  const UNITS = ['ms', 'm/(s^2)', 'm/(s^2)', 'm/(s^2)'];
  const ROWS = Array.from({ length: 100 }, (_, i) => [`${START_MS + i * 20}`, '0.5', '-9.75', `${i / 8}`]);
  const file = (separator: string, rows: readonly string[][], first: string | null, end = separator): Promise<string> =>
    write([...(first === null ? [] : [first]), ...[NAMES, UNITS, ...rows].map((cells) => cells.join(separator) + end)]);

  it.each([
    ['\t', '"sep=\t"'],
    [';', 'sep=;'],
    [',', '"sep=,"'],
    [',', 'sep=,'],
    // Saved again by a spreadsheet: another separator than the first line names, or no first line.
    [',', '"sep=;"'],
    [';', null],
  ])('reads rows separated by %j below %j', async (separator, first) => {
    for (const end of [separator, '']) {
      const { channels } = await readImport([await file(separator, ROWS, first, end)]);
      expect(channels.map(({ channel }) => channel.type)).toEqual(['ACCEL']);
      expect(channels[0]!.timesUs.slice(0, 2)).toEqual([START_MS * 1000, (START_MS + 20) * 1000]);
      expect(channels[0]!.values[1]![99]! * 9.80665).toBeCloseTo(-9.75, 9);
    }
  });

  it.each([';', '\t'])('takes a comma as decimal sign where %j separates', async (separator) => {
    const rows = ROWS.map((cells, i) => [`1,7000000${String(i * 20).padStart(5, '0')}E12`, ...cells.slice(1)]);
    const written = rows.map((cells) => cells.map((cell) => cell.replace('.', ',')));
    const { channels } = await readImport([await file(separator, written, `"sep=${separator}"`)]);
    expect(channels[0]!.values[0]![0]! * 9.80665).toBeCloseTo(0.5, 9);
    expect(channels[0]!.timesUs[1]! - channels[0]!.timesUs[0]!).toBe(20_000);
  });

  const table = (names: string[], units: string[], row: (i: number) => string[]): Promise<string> =>
    write([
      '"sep=,"',
      ...[names, units, ...Array.from({ length: 50 }, (_, i) => row(i))].map((cells) => cells.join(',')),
    ]);

  it('takes calibrated times, wherever raw ones stand beside them', async () => {
    const path = await table(
      ['S_A_Timestamp_Unix_RAW', 'S_A_Timestamp_RAW', 'S_A_Timestamp_CAL', 'S_A_GSR_Skin_Conductance_CAL'],
      ['ms', 'no_units', 'ms', 'uS'],
      (i) => [`${i * 655}`, `${i * 655}`, `${1000 + i * 20}`, '2.5'],
    );
    const { channels } = await readImport([path]);
    expect(channels[0]!.timesUs.slice(0, 2)).toEqual([DEFAULT_START_US, DEFAULT_START_US + 20_000]);
  });

  it('takes raw times where no calibrated ones stand beside them and their unit is a time', async () => {
    const columns = (kind: string): string[] => [`S_A_Timestamp_Unix_${kind}`, 'S_A_GSR_Skin_Conductance_CAL'];
    const row = (i: number): string[] => [`${START_MS + i * 20}`, '2.5'];
    const { channels } = await readImport([await table(columns('RAW'), ['ms', 'uS'], row)]);
    expect(channels[0]!.timesUs[1]).toBe((START_MS + 20) * 1000);
    await expect(openImport([await table(columns('RAW'), ['no_units', 'uS'], row)])).rejects.toMatchObject({
      code: 'FILE_DAMAGED',
    });
  });

  it('refuses an export that is not calibrated', async () => {
    const path = await write([
      '"sep=,"',
      'S_Timestamp_Unix_CAL,S_EMG_CH1_24BIT_UNCAL,',
      'ms,no_units,',
      '1700000000000,5,',
    ]);
    await expect(openImport([path])).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      message: expect.stringContaining('Export calibrated data'),
    });
  });

  it('leaves out raw columns beside calibrated ones, and names those that have no other', async () => {
    const path = await write([
      '"sep=,"',
      'S_Timestamp_Unix_CAL,S_GSR_Skin_Conductance_CAL,S_GSR_Skin_Conductance_UNCAL,S_Foo_RAW,',
      'ms,uS,no_units,no_units,',
      ...ROWS.map(([ms]) => `${ms},1.5,700,3,`),
    ]);
    const { channels, notes } = await readImport([path]);
    expect(channels.map(({ channel }) => channel.type)).toEqual(['EDA']);
    expect(notes).toEqual(['Not calibrated, and left out: S_Foo_RAW.']);
  });

  it('asks for the start of a file whose times count from when the sensor was switched on', async () => {
    const rows = ROWS.map((_, i) => `${5000.5 + i * 10},1.5,`);
    const path = await write(['"sep=,"', 'S_Timestamp_CAL,S_GSR_Skin_Conductance_CAL,', 'ms,uS,', ...rows]);
    await expect(openImport([path])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { channels } = await readImport([path]);
    expect(channels[0]!.timesUs.slice(0, 2)).toEqual([DEFAULT_START_US, DEFAULT_START_US + 10_000]);
  });

  it('asks for the start where the clock of the sensor was never set', async () => {
    const rows = ROWS.map((cells, i) => [`${60_000 + i * 20}`, ...cells.slice(1)]);
    const path = await file(',', rows, '"sep=,"');
    await expect(openImport([path])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { channels, notes } = await readImport([path]);
    expect(channels[0]!.timesUs[0]).toBe(DEFAULT_START_US);
    expect(notes.join(' ')).toContain('never set');
  });

  it('reads formatted times in the zone of the subject', async () => {
    const rows = ROWS.map((_, i) => `2024/07/01 10:00:${String(i % 60).padStart(2, '0')}.500,1.5,`).slice(0, 60);
    const header = [
      '"sep=,"',
      'S_Timestamp_FormattedUnix_CAL,S_GSR_Skin_Conductance_CAL,',
      'yyyy/mm/dd hh:mm:ss.000,uS,',
    ];
    const { channels } = await readImport([await write([...header, ...rows])], { timeZone: 'Asia/Tokyo' });
    expect(channels[0]!.timesUs[0]).toBe(Date.UTC(2024, 6, 1, 1, 0, 0, 500) * 1000);
  });

  it('keeps rows that share a whole millisecond', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => [`${START_MS + Math.floor(i / 2.048)}`, '0', '0', `${i}`]);
    const { channels, notes } = await readImport([await file(',', rows, '"sep=,"')]);
    expect(channels[0]!.timesUs.length).toBe(2000);
    expect(notes.filter((note) => /out of order/.test(note))).toEqual([]);
  });

  it('ends a page where rows are missing', async () => {
    const rows = ROWS.filter((_, i) => i < 40 || i >= 43);
    const { channels, marks } = await readImport([await file(',', rows, '"sep=,"')]);
    expect(channels[0]!.pageCount).toBe(2);
    expect(marks).toEqual([{ channel: 0, timeUs: (START_MS + 39 * 20) * 1000, reason: 'LOST_BLOCK' }]);
  });

  it('makes a recording of each device in a file', async () => {
    const names = ['A_Timestamp_Unix_CAL', 'A_Accel_LN_X_CAL', 'A_B_Timestamp_Unix_CAL', 'A_B_PPG_A13_CAL'];
    const rows = ROWS.map((_, i) => [`${START_MS + i * 10}`, '1', `${START_MS + 5 + i * 10}`, '1200.5'].join(','));
    const recordings = await readImports([
      await write(['"sep=,"', `${names.join(',')},`, 'ms,m/(s^2),ms,mV,', ...rows]),
    ]);
    expect(recordings.map(({ channels }) => [channels[0]!.channel.type, channels[0]!.timesUs[0]])).toEqual([
      ['ACCEL_LN_X', START_MS * 1000],
      ['PPG_A13', (START_MS + 5) * 1000],
    ]);
  });

  it('rejects an acceleration in a unit that it does not know', async () => {
    const path = await write([
      '"sep=,"',
      `${NAMES.join(',')},`,
      'ms,furlong,furlong,furlong,',
      ...ROWS.map((cells) => cells.join(',')),
    ]);
    await expect(openImport([path])).rejects.toMatchObject({ code: 'UNIT_UNKNOWN' });
  });

  it('leaves other texts that name their separator to a mapping', async () => {
    await expect(openImport([await write(['sep=;', 'time;value', '1;2'])])).rejects.toMatchObject({
      message: expect.stringContaining('its format is not known'),
    });
  });
});
