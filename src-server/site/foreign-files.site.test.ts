/** Import of third-party files into a running site: conversions, rejections with their reasons, and hostile files. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import type { ImportResult } from '../jobs/handlers/import.ts';
import { jobEnd, makeTestSite, OUTPOST_COMMAND, signIn, type TestSite, upload } from '../testing/test-site.ts';
import { fullOverlapZip } from '../testing/zip-bomb.ts';
import { type RunningSite, startSite } from './server.ts';

let folder: string;
let site: TestSite;
let server: RunningSite;
let client: Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-foreign-'));
  site = await makeTestSite();
  server = await startSite({ dir: site.dir, port: 0 });
  client = await signIn(server.url);
});
afterAll(async () => {
  await server.close();
  await site.remove();
  await rm(folder, { recursive: true, force: true });
});

const START_MS = Date.UTC(2024, 5, 3, 9);
const subject = () => ({ studyId: site.studyId, subjectId: site.subjectIds[0]! });

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

let turn = 0;
/** A CSV of four rows. Each call starts at a different hour, so that no file is a duplicate. */
function accelCsv(header: string, row: string, timeOf: (ms: number) => string = (ms) => `${ms * 1000}`): string {
  const startMs = START_MS + 3_600_000 * turn++;
  return `${header}\n${[0, 1, 2, 3].map((i) => `${timeOf(startMs + 20 * i)},${row}\n`).join('')}`;
}

const columns = (unit: string): string => ['X', 'Y', 'Z'].map((axis) => `Accel ${axis} (${unit})`).join();

async function importFile(path: string) {
  return jobEnd(client, (await upload(client, subject(), [path])).id);
}

/** First value of each channel of the imported recording, read through the API. */
async function served(result: unknown): Promise<Record<string, number[]>> {
  const { id } = (result as ImportResult).recordings[0]!;
  const recordings = await client.call('listSubjectRecordings', { params: subject() });
  const recording = recordings.items.find((one) => one.id === id)!;
  const query = { deviceId: recording.udid, from: recording.recordingStartTs, to: recording.recordingStopTs };
  const { channels } = await client.call('getRawData', { params: subject(), query });
  return Object.fromEntries(
    channels.map(({ type, values, dimensions }) => [type, dimensions.map((dimension) => values[dimension]![0]!)]),
  );
}

it('rejects a ZIP with overlapping members immediately, and runs the next import', async () => {
  const csv = accelCsv(`Timestamp (microseconds),${columns('g')}`, '0,0,1');
  const names = Array.from({ length: 9000 }, (_, i) => `s${i}/accel.csv`);
  const bomb = await upload(client, subject(), [await file('bomb.zip', fullOverlapZip(names, Buffer.from(csv)))]);
  const honest = await upload(client, subject(), [await file('accel.csv', csv)]);
  expect(await jobEnd(client, bomb.id)).toMatchObject({ state: 'failed', error: { code: 'ZIP_UNSAFE' } });
  expect(await jobEnd(client, honest.id)).toMatchObject({ state: 'done', result: { recordings: [{ isNew: true }] } });
}, 30_000);

describe('units of a CSV', () => {
  it.each([
    ['mg', '981,0,-1000', [0.981, 0, -1]],
    ['m/s^2', '9.80665,0,0', [1, 0, 0]],
    ['m/s²', '0,9.80665,0', [0, 1, 0]],
    ['ms-2', '0,0,-9.80665', [0, 0, -1]],
    ['Gal', '980.665,0,0', [1, 0, 0]],
  ])('acceleration in %s is converted to g, with a note', async (unit, row, values) => {
    const job = await importFile(await file('accel.csv', accelCsv(`Timestamp (microseconds),${columns(unit)}`, row)));
    expect(job).toMatchObject({ state: 'done' });
    expect((job.result as unknown as ImportResult).recordings[0]!.notes).toContain(
      `accel.csv: values in ${unit} were converted to g.`,
    );
    const { ACCEL } = await served(job.result);
    values.forEach((value, d) => {
      expect(ACCEL![d]).toBeCloseTo(value, 6);
    });
  });

  it('rotation is converted from rad/s to deg/s, and an electrode from mV to V', async () => {
    const gyro = accelCsv('Timestamp (microseconds),Gyro X (rad/s),Gyro Y (rad/s),Gyro Z (rad/s)', '1,0,-2');
    const turned = await served((await importFile(await file('gyro.csv', gyro))).result);
    expect(turned.GYRO![0]).toBeCloseTo(180 / Math.PI, 6);
    expect(turned.GYRO![2]).toBeCloseTo(-360 / Math.PI, 6);
    const ecg = accelCsv('Timestamp (microseconds),Sample (mV)', '1.25');
    const heart = await served((await importFile(await file('ecg.csv', ecg))).result);
    expect(heart.ECG![0]).toBeCloseTo(0.00125, 9);
  });

  it.each(['counts', 'LSB', 'raw', 'km/h', 'V'])(
    'acceleration in %s is rejected, naming the column and unit',
    async (unit) => {
      const job = await importFile(
        await file('accel.csv', accelCsv(`Timestamp (microseconds),${columns(unit)}`, '1,2,3')),
      );
      expect(job).toMatchObject({
        state: 'failed',
        error: { code: 'UNIT_UNKNOWN', facts: { file: 'accel.csv', column: `Accel X (${unit})`, unit, target: 'g' } },
      });
      expect(job.error?.message).toContain(`the unit "${unit}" of Accel X (${unit})`);
      expect(job.error?.message).toContain('g, mg, m/s^2');
    },
  );
});

describe('times of a CSV', () => {
  it.each<[string, (ms: number) => string]>([
    ['s', (ms) => (ms / 1000).toFixed(3)],
    ['seconds', (ms) => (ms / 1000).toFixed(6)],
    ['ms', String],
    ['us', (ms) => `${ms}000`],
    ['µs', (ms) => `${ms}000`],
    ['ns', (ms) => `${ms}000000`],
    ['ISO 8601', (ms) => new Date(ms).toISOString()],
    ['ISO 8601', (ms) => new Date(ms + 9 * 3_600_000).toISOString().replace('Z', '+09:00')],
  ])('in %s are the instants they name', async (unit, timeOf) => {
    const startMs = START_MS + 3_600_000 * turn;
    const job = await importFile(
      await file('accel.csv', accelCsv(`Timestamp (${unit}),${columns('g')}`, '0,0,1', timeOf)),
    );
    expect(job).toMatchObject({ state: 'done', result: { recordings: [{ startMs, stopMs: startMs + 60 }] } });
  });

  it.each<[string, string, (ms: number) => string, string, string]>([
    ['seconds', 'microseconds', (ms) => `${ms / 1000}`.split('.')[0]!, '1970-01-01', '2024-06-0\\d \\(s\\)'],
    ['milliseconds', 'microseconds', String, '1970-01-20', '2024-06-0\\d \\(ms\\)'],
    ['microseconds', 'ms', (ms) => `${ms}000`, 'year 5\\d{4}', '2024-06-0\\d \\(us\\)'],
    ['seconds since switched on', 's', (ms) => `${(ms % 3_600_000) / 1000}`, '1970-01-01', ''],
  ])('in %s under "(%s)" are refused with the date they would have', async (_, unit, timeOf, day, others) => {
    const job = await importFile(
      await file('accel.csv', accelCsv(`Timestamp (${unit}),${columns('g')}`, '0,0,1', timeOf)),
    );
    expect(job).toMatchObject({ state: 'failed', error: { code: 'TIME_IMPLAUSIBLE' } });
    expect(job.error?.facts?.day).toMatch(new RegExp(`^${day}$`));
    expect(job.error?.facts?.others).toMatch(new RegExp(others));
    expect(job.error?.message).toContain(`its first sample would be on ${job.error?.facts?.day}`);
  });

  it('in an unknown unit or in local time are rejected', async () => {
    const ticks = await importFile(await file('accel.csv', accelCsv(`Timestamp (ticks),${columns('g')}`, '0,0,1')));
    expect(ticks.error).toMatchObject({ code: 'UNIT_UNKNOWN', facts: { column: 'Timestamp (ticks)', unit: 'ticks' } });
    const local = accelCsv(`Timestamp (ISO 8601),${columns('g')}`, '0,0,1', (ms) =>
      new Date(ms).toISOString().slice(0, -1),
    );
    const job = await importFile(await file('accel.csv', local));
    expect(job.error?.message).toMatch(/without Z or a UTC offset/);
  });
});

it('adds a note when values are implausible for a valid unit', async () => {
  const csv = accelCsv(`Timestamp (microseconds),${columns('g')}`, '0.1,0.2,9.81');
  const { result } = await importFile(await file('accel.csv', csv));
  expect((result as unknown as ImportResult).recordings[0]!.notes.join()).toMatch(
    /ACCEL reads 9\.81 g most of the time/,
  );
});

it('reports the same error on the command line', async () => {
  const path = await file('accel.csv', accelCsv(`Timestamp (microseconds),${columns('counts')}`, '1,2,3'));
  const run = promisify(execFile)(process.execPath, [OUTPOST_COMMAND, 'analyze', '--sensor', `ANTERIOR_THIGH=${path}`]);
  await expect(run).rejects.toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('the unit "counts" of Accel X (counts)'),
  });
});

it('reads a WFDB record with any file names, and a detached lead as a gap in that lead only', async () => {
  const samples = Int16Array.from({ length: 2000 }, (_, i) => {
    const isOff = i % 2 === 1 && i > 800 && i < 1200;
    return isOff ? -32_768 : (i % 400) - 200;
  });
  const signals = ['MLII', 'V5'].map((lead) => `night.xyz 16 200 12 0 ${samples[lead === 'V5' ? 1 : 0]} SUM 0 ${lead}`);
  const sums = [0, 1].map((lead) => samples.filter((_, i) => i % 2 === lead).reduce((sum, one) => (sum + one) | 0, 0));
  const header = [
    'rec 2 250 1000 10:00:00 01/02/2024',
    ...signals.map((line, i) => line.replace('SUM', `${(sums[i]! << 16) >> 16}`)),
  ];
  const paths = [
    await file('rec.hea', `${header.join('\n')}\n`),
    await file('night.xyz', Buffer.from(samples.buffer)),
    await file('rec.qrs', Buffer.from([250, 4, 250, 4, 0, 0])),
    await file('notes.txt', 'slept well'),
  ];
  const job = await jobEnd(client, (await upload(client, subject(), paths)).id);
  expect(job).toMatchObject({ state: 'done', result: { labels: 2 } });
  const { notes, startMs } = (job.result as unknown as ImportResult).recordings[0]!;
  expect(notes).toEqual([
    'notes.txt was left out: the header does not name it, and it holds no annotations.',
    'V5: 200 samples are marked as missing and are gaps of ECG_2.',
  ]);
  const query = { from: startMs, to: startMs + 4000 };
  const { channels } = await client.call('getRawData', { params: subject(), query });
  expect(channels.map(({ type, times }) => [type, times.length])).toEqual([
    ['ECG', 1000],
    ['ECG_2', 800],
  ]);
  const v5 = channels[1]!.values.v5;
  expect(Math.min(...v5!)).toBeGreaterThan(-0.01);
  const steps = channels[1]!.times.map((time, i, times) => (i === 0 ? 0 : time - times[i - 1]!));
  expect(steps.filter((step) => step > 4)).toEqual([804]);
});
