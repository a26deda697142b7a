/** De-identified output of a site in which every text, id and time carries a searchable marker. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import {
  leaksIn,
  MARK,
  PLANTED_DATES,
  PLANTED_NUMBER,
  plantedDefinition,
  plantStudy,
  zipDirectory,
} from '../testing/planted-site.ts';
import { readHyparquet } from '../testing/read-parquet.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { csvRecords, csvRows, zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

/** 1980-01-01 00:00 as a DOS timestamp. */
const NO_TIME = 0x0021_0000;

let place: TestSite;
let site: RunningSite;
let client: Client;
let folder: string;
let recordingIds: string[];
beforeAll(async () => {
  place = await makeTestSite({ timeZones: ['US/Eastern'] });
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  folder = await mkdtemp(join(tmpdir(), 'outpost-marks-'));
  const { store, signalsDir } = site.folder;
  const { accountId, userId, studyId } = place;
  await store.users.update(userId, { firstName: MARK, lastName: MARK }, { actor: { type: 'USER', id: userId } });
  await client.call('putDefinition', { params: { studyId }, body: plantedDefinition() });
  const planted = { accountId, userId, studyId, subjectId: place.subjectIds[0]! };
  recordingIds = await plantStudy(store, signalsDir, planted);
});
afterAll(async () => {
  await site.close();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

type Row = Record<string, string>;
type Wanted = Parameters<typeof client.call<'requestStudyExport'>>[1]['body'];

interface Download {
  fileName: string;
  bytes: Buffer;
}

async function download(href: string): Promise<Download> {
  const response = await fetch(href);
  expect(response.status).toBe(200);
  const fileName = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')![1]!;
  return { fileName, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function studyExport(body: Wanted): Promise<Download & { id: string }> {
  const params = { studyId: place.studyId };
  const { id } = await client.call('requestStudyExport', { params, body });
  const job = await jobEnd(client, id);
  expect(job).toMatchObject({ state: 'done' });
  const { href } = await client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  const file = await download(href);
  const { file: kept } = await site.folder.store.exports.require(id);
  if (body.deidentified) expect(leaksIn(kept!.name)).toEqual([]);
  return { ...file, id };
}

async function recordingFile(
  format: 'zip' | 'edf' | 'edf-d' | 'edf-exact' | 'bdf' | 'wfdb' | 'parquet',
  deidentified: boolean,
): Promise<Download> {
  const params = { studyId: place.studyId, recordingId: recordingIds[1]! };
  return await download((await client.call('getRecordingExport', { params, query: { format, deidentified } })).href);
}

/** All text in a file, by name, with compressed members decompressed. */
async function textsOf({ fileName, bytes }: Download): Promise<[name: string, text: string][]> {
  if (fileName.endsWith('.zip')) {
    const texts: [string, string][] = [[fileName, '']];
    for (const [name, content] of await zipContents(bytes)) {
      for (const [inner, text] of await textsOf({ fileName: name, bytes: content })) {
        texts.push([inner === name ? name : `${name}: ${inner}`, text]);
      }
    }
    return texts;
  }
  if (fileName.endsWith('.gz')) return [[fileName, gunzipSync(bytes).toString()]];
  if (!fileName.endsWith('.parquet')) return [[fileName, bytes.toString('latin1')]];
  const path = join(folder, 'table.parquet');
  await writeFile(path, bytes);
  const { rows, metadata, facts } = await readHyparquet(path);
  const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const table = JSON.stringify({ rows, facts, metadata }, asText);
  // Sample values are numbers with fractions. The raw file covers what is not compressed, such as statistics.
  return [[fileName, `${table}\n${bytes.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, '\n')}`]];
}

async function leaksOf(file: Download): Promise<Record<string, string[]>> {
  const texts = await textsOf(file);
  const found = texts.map(([name, text]) => [name, [...leaksIn(name), ...leaksIn(text)]] as [string, string[]]);
  return Object.fromEntries(found.filter(([, leaks]) => leaks.length > 0));
}

function expectPlainDirectory(bytes: Buffer): void {
  for (const { name, dosTime, commentBytes } of zipDirectory(bytes)) {
    expect({ name, dosTime, commentBytes }).toEqual({ name, dosTime: NO_TIME, commentBytes: 0 });
  }
}

describe('markers in every text, id and time of a site', () => {
  it('appear in identified exports', async () => {
    const found = await leaksOf(await studyExport({ format: 'ARCHIVE' }));
    const marks = new Set(
      Object.values(found)
        .flat()
        .filter((leak) => leak.startsWith(MARK)),
    );
    expect(marks.size).toBeGreaterThan(50);
    expect(Object.values(found).flat().join('\n')).toContain(PLANTED_NUMBER);
    for (const format of ['zip', 'edf', 'parquet'] as const) {
      expect(await leaksOf(await recordingFile(format, false))).not.toEqual({});
    }
  });

  it.each(['ARCHIVE', 'PARQUET', 'BIDS'] as const)(
    'do not appear in a de-identified study export (%s)',
    async (format) => {
      const file = await studyExport({ format, deidentified: true });
      expect(await leaksOf(file)).toEqual({});
      expectPlainDirectory(file.bytes);
    },
  );

  it.each(['zip', 'edf', 'edf-d', 'edf-exact', 'bdf', 'wfdb', 'parquet'] as const)(
    'do not appear in a de-identified recording (%s)',
    async (format) => {
      const file = await recordingFile(format, true);
      expect(file.bytes.length).toBeGreaterThan(1000);
      expect(await leaksOf(file)).toEqual({});
      if (format === 'zip') expectPlainDirectory(file.bytes);
    },
  );
});

describe('a de-identified archive', () => {
  it('preserves codes, measures and intervals, on days of 24 hours', async () => {
    const [named, coded] = await Promise.all(
      [false, true].map(async (deidentified) => {
        const members = await zipContents((await studyExport({ format: 'ARCHIVE', deidentified })).bytes);
        return new Map([...members].map(([name, bytes]) => [name, bytes.toString()]));
      }),
    );
    const records = (name: string) => [csvRecords(named!.get(name)!), csvRecords(coded!.get(name)!)] as const;
    const [trueRecordings, recordings] = records('recordings.csv');
    const shiftMs = Number(recordings[0]!.recordingStartTs) - Number(trueRecordings[0]!.recordingStartTs);
    expect((shiftMs + 5 * 3_600_000) % (7 * 86_400_000)).toBe(-0);
    for (const name of ['recordings.csv', 'annotations.csv', 'faults.csv', 'metrics.csv', 'subjects.csv']) {
      const [plain, shown] = records(name);
      expect(shown).toHaveLength(plain.length);
      for (const [i, row] of plain.entries()) {
        for (const [column, value] of Object.entries(row)) {
          if (!/Ts$|_TS/.test(column) || value === '') continue;
          expect([column, Number(shown[i]![column])]).toEqual([column, Number(value) + shiftMs]);
        }
      }
    }
    const [trueDays, days] = records('metrics.csv').map((rows) => rows.slice(0, PLANTED_DATES.length)) as [
      Row[],
      Row[],
    ];
    expect(trueDays.map((row) => Number(row['SENSOR_WEAR_DURATION (seconds)']))).toEqual([86_400, 82_800, 86_400]);
    expect(days.map((row) => Number(row['SENSOR_WEAR_DURATION (seconds)']))).toEqual([86_400, 86_400, 86_400]);
    const dates = days.map(({ DATE }) => Date.parse(DATE!));
    expect(dates.map((date) => date - dates[0]!)).toEqual(PLANTED_DATES.map((_, i) => i * 86_400_000));

    const channels = [...coded!].filter(([name]) => name.startsWith('channels/'));
    expect(channels.length).toBeGreaterThan(2);
    for (const [name, csv] of channels) {
      const [, ...rows] = csvRows(csv);
      expect([name, rows.length]).toEqual([name, 1440]);
      expect(rows[0]![0]).toBe('00:00');
      expect(Number(rows[0]![1])).toBe(Date.parse(/(\d{4}-\d\d-\d\d)\.csv$/.exec(name)![1]!));
    }
    const labels = csvRecords(coded!.get('annotations.csv')!).filter(({ type }) => type === 'recording');
    expect(labels.map(({ displayName, value }) => [displayName!.replace(/^L-\w{12}$/, 'code'), value]).sort()).toEqual([
      ['Comment', ''],
      ['Premature ventricular contraction', 'V'],
      ['Rhythm change', '(AFIB'],
      ['Sleep stage N2', ''],
      ['code', ''],
      ['code', ''],
    ]);
    const answers = csvRecords(coded!.get('annotations.csv')!).filter(({ type }) => type === 'question');
    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set(['choice 2', '', 'YES']));
    expect(recordings[0]).toMatchObject({
      location: 'OTHER',
      side: 'NONE',
      channels: 'ECG CH2 ACCEL',
      utcOffset: '+00:00',
    });
    expect(csvRecords(coded!.get('subjects.csv')!)[0]).toMatchObject({ age: '90', height: '1.71', timezone: '+00:00' });
  });

  it('includes study fields and texts when requested, and documents it', async () => {
    const { metadataFields } = (await site.folder.store.studies.getDetail(place.studyId))!;
    const record = metadataFields.find(({ type }) => type === 'NUMBER')!.displayName;
    const note = metadataFields.find(({ type }) => type === 'FREETEXT')!.displayName;
    const body = { format: 'ARCHIVE', deidentified: true } as const;
    const { id, bytes } = await studyExport({ ...body, includeFields: [record], includeDefinition: true });
    const members = await zipContents(bytes);
    const [subject] = csvRecords(String(members.get('subjects.csv')));
    expect(subject![`metadata: ${record}`]).toBe(PLANTED_NUMBER);
    expect(Object.keys(subject!).filter((name) => name.startsWith('metadata: '))).toHaveLength(1);
    expect(String(members.get('questions.csv'))).toContain(MARK);
    expect(String(members.get('README.txt'))).toContain(`the field of subjects "${record}"`);
    expect(String(members.get('README.txt'))).toContain('names of tasks');
    const params = { studyId: place.studyId };
    const refused: [Wanted, RegExp][] = [
      [{ ...body, includeFields: [note] }, /free-text field, which is never part/],
      [{ ...body, includeFields: ['none'] }, /names no field/],
      [{ format: 'ARCHIVE', includeFields: [record] }, /applies to de-identified exports/],
      [{ format: 'ARCHIVE', sinceExportId: id, includeFields: [] }, /must be those of the earlier export/],
    ];
    for (const [wanted, message] of refused) {
      const answer = client.call('requestStudyExport', { params, body: wanted });
      await expect(answer).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
    }
    // An increment uses the same codes and includes the same fields as the first archive.
    const next = await zipContents((await studyExport({ format: 'ARCHIVE', sinceExportId: id })).bytes);
    expect(csvRecords(String(next.get('subjects.csv')))[0]).toEqual(subject);
    const plain = await studyExport({ ...body });
    const increment = await studyExport({ format: 'ARCHIVE', deidentified: true, sinceExportId: plain.id });
    expect(await leaksOf(increment)).toEqual({});
  });
});
