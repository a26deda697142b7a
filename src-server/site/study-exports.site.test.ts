import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import type { StudyExport } from '../api/contract/index.ts';
import { SYSTEM } from '../db/index.ts';
import { WEEK_MS } from '../durations.ts';
import { addDays, fixedZone, midnightWindow, offsetMsAt } from '../study/day-windows.ts';
import { storeTestAnalytics } from '../testing/test-analytics.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { csvRecords, csvRows, zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

const ZONE = 'US/Eastern';
/** Daylight saving time starts on the second date. */
const DATES = ['2026-03-07', '2026-03-08'];
const WORDS = {
  name: 'Adelheid Brenner',
  field: 'lives in Elm Street 5',
  answer: 'my neighbour Mr Vanterpool came by',
  label: 'Ms Brenner fell',
  value: 'seen by nurse Okonkwo',
  sensor: 'sensor of Adelheid',
  instructions: 'call Dr Halvorsen at 555-0199',
  serial: 'SN-778-001',
  reportedUdid: 'AA:BB:CC:00:00:01',
};

let place: TestSite;
let site: RunningSite;
let client: Client;
let subjectId: string;
let diary: { id: string; questions: { id: string }[] };
/** How far the site's clock is ahead of the computer's. */
let aheadMs = 0;
const byAdmin = () => ({ actor: { type: 'USER', id: place.userId } }) as const;

/** Ten minutes in the afternoon of a local day, with analytics of the day. */
async function recordDays(id: string, dates: readonly string[], zone = ZONE): Promise<void> {
  const { store, signalsDir } = site.folder;
  const spans = dates.map((date) => {
    const startMs = midnightWindow(date, fixedZone(zone)).stopMs - 14 * 3_600_000;
    return { startMs, stopMs: startMs + 600_000 };
  });
  for (const { startMs } of spans) {
    const options = { startUs: startMs * 1000 + 123, durationSeconds: 600, ecgRateHz: 125 };
    await addTestRecording(store, signalsDir, { studyId: place.studyId, subjectId: id }, options);
  }
  await storeTestAnalytics(store, { studyId: place.studyId, subjectId: id }, zone, dates, spans);
}

async function reportDiary(answers: string[]): Promise<void> {
  const report = { studyId: place.studyId, subjectId, taskId: diary.id, startTs: Date.now(), stopTs: Date.now() + 1 };
  const given = answers.map((value, i) => ({ questionId: diary.questions[i]!.id, value }));
  await site.folder.store.annotations.reportTask(
    { ...report, answers: given },
    { actor: { type: 'SUBJECT', id: subjectId } },
  );
}

const addLabel = async (displayName: string) =>
  (
    await site.folder.store.annotations.addLabels(
      [
        {
          studyId: place.studyId,
          subjectId,
          type: 'recording',
          displayName,
          startTs: Date.now(),
          stopTs: Date.now(),
          value: WORDS.value,
        },
      ],
      byAdmin(),
    )
  )[0]!.id;

beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0, clock: () => Date.now() + aheadMs });
  client = await signIn(site.url);
  const { store } = site.folder;
  const { studyId } = place;
  await client.call('putDefinition', {
    params: { studyId },
    body: {
      subjectMetadataFields: [
        { displayName: 'Note', type: 'FREETEXT' },
        { displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['A', 'B'] },
      ],
      activities: [{ displayName: 'Six-minute walk', durationSec: 360, instructions: WORDS.instructions }],
      diaries: [
        {
          displayName: 'Evening',
          questions: [
            { text: 'Pain?', type: 'BOOLEAN' },
            { text: 'What happened?', type: 'FREETEXT' },
          ],
        },
      ],
    },
  });
  diary = (await store.studies.getDetail(studyId))!.diaries[0]!;
  subjectId = place.subjectIds[0]!;
  const metadataFields = [
    { displayName: 'Note', value: WORDS.field },
    { displayName: 'Arm', value: 'B' },
  ];
  await store.subjects.update(subjectId, { displayName: WORDS.name, age: 93, metadataFields }, byAdmin());
  await recordDays(subjectId, DATES);
  await recordDays(place.subjectIds[1]!, DATES.slice(0, 1));
  await reportDiary(['YES', WORDS.answer]);
  await addLabel(WORDS.label);
  await addLabel('Six-minute walk');
  const { serial: id, sensor: displayName, reportedUdid: udid } = WORDS;
  await store.equipment.register({ accountId: place.accountId, id, type: 'SENSOR', displayName, udid }, byAdmin());
  await store.equipment.assign(id, { studyId, subjectId }, byAdmin());
  await addFault();
});
afterAll(async () => {
  await site.close();
  await place.remove();
});

async function addFault(): Promise<void> {
  await site.folder.store.faults.add(
    [
      {
        studyId: place.studyId,
        subjectId,
        equipmentId: WORDS.serial,
        faultTs: Date.now() - 5000,
        faultFlag: 'BATTERY_DEPLETED',
        faultType: 'LINK_HUB_SENSOR_FAULT',
        mobileAppVersion: '1',
        sensorFirmwareId: '1',
        sensorId: WORDS.reportedUdid,
      },
    ],
    SYSTEM,
  );
}

type Wanted = Parameters<typeof client.call<'requestStudyExport'>>[1]['body'];

async function makeExport(body: Omit<Wanted, 'format'> = {}): Promise<StudyExport> {
  const params = { studyId: place.studyId };
  const { id } = await client.call('requestStudyExport', { params, body: { format: 'ARCHIVE', ...body } });
  expect(await jobEnd(client, id)).toMatchObject({ kind: 'archive', state: 'done' });
  return await client.call('getStudyExport', { params: { ...params, exportId: id } });
}

async function contentsOf(made: StudyExport): Promise<Map<string, string>> {
  const { href } = (await (await client.follow(made.href!)).json()) as { href: string };
  const members = await zipContents(new Uint8Array(await (await fetch(href)).arrayBuffer()));
  return new Map([...members].map(([name, bytes]) => [name, bytes.toString()]));
}

/** Columns with free text or device names, by table. */
const IDENTIFYING: Record<string, string[]> = {
  account: ['displayName'],
  user: ['email', 'firstName', 'lastName', 'timezone'],
  study: ['displayName'],
  subject: ['displayName', 'timezone'],
  subjectZone: ['timezone'],
  equipment: ['id', 'displayName', 'udid'],
  recording: ['udid', 'hardwareId', 'sha256', 'contentSha256', 'sourceFileName'],
  fault: ['sensorId'],
  annotation: [],
};

/** Every id, name and instant in the site's database, and the texts that the test wrote. */
function secretsOf(databasePath: string): Set<string> {
  const secrets = new Set<string>(Object.values(WORDS));
  const database = new BetterSqlite3(databasePath, { readonly: true });
  try {
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
      .pluck()
      .all();
    for (const table of tables) {
      for (const row of database.prepare<[], Record<string, unknown>>(`SELECT * FROM "${table}"`).iterate()) {
        for (const [column, value] of Object.entries(row)) {
          if (typeof value === 'number' && value > 1e11) {
            for (const instant of [value, Math.floor(value / 1000)]) if (instant > 1e11) secrets.add(String(instant));
          }
          if (typeof value !== 'string' || value === '') continue;
          if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value) || IDENTIFYING[table]?.includes(column)) secrets.add(value);
          if (column === 'date') secrets.add(value);
        }
      }
    }
  } finally {
    database.close();
  }
  return secrets;
}

/** Includes the texts of the study's author, and a field whose values are choices. */
const DISCLOSING = { deidentified: true, includeFields: ['Arm'], includeDefinition: true };

describe('a de-identified export', () => {
  let named: Map<string, string>;
  let coded: Map<string, string>;
  beforeAll(async () => {
    named = await contentsOf(await makeExport());
    coded = await contentsOf(await makeExport(DISCLOSING));
  });

  it('contains no name, serial number, free text, id or instant of the site', async () => {
    const secrets = [...secretsOf(site.folder.store.path)].filter((secret) => secret.length > 1);
    expect(secrets.length).toBeGreaterThan(100);
    const text = [...named].flat().join('\n');
    for (const word of [WORDS.name, WORDS.field, WORDS.answer, WORDS.label, WORDS.serial, subjectId, '2026-03-08']) {
      expect(secrets).toContain(word);
      expect(text).toContain(word);
    }
    for (const [name, content] of coded) {
      const found = secrets.filter((secret) => name.includes(secret) || content.includes(secret));
      expect({ name, found }).toEqual({ name, found: [] });
    }
  });

  it('shifts every instant of a subject by the same amount, onto days of 24 hours', async () => {
    const again = await contentsOf(await makeExport({ ...DISCLOSING, subjectIds: [subjectId] }));
    const code = csvRecords(again.get('subjects.csv')!)[0]!.id!;
    const subject = csvRecords(coded.get('subjects.csv')!).find(({ id }) => id === code);
    const codedRows = (name: string) => csvRecords(coded.get(name)!).filter((row) => row.subjectId === code);
    // A separate export of only this subject agrees.
    for (const name of ['recordings.csv', 'annotations.csv', 'faults.csv', 'metrics.csv']) {
      expect(csvRecords(again.get(name)!)).toEqual(codedRows(name));
    }
    expect(subject).toMatchObject({ age: '90', timezone: '+00:00', 'metadata: Arm': 'B' });
    expect(subject).not.toHaveProperty('metadata: Note');
    expect(coded.has('definition.json')).toBe(false);
    expect(coded.get('README.txt')).toContain('de-identified');
    const own = (name: string) => csvRecords(named.get(name)!).filter((row) => row.subjectId === subjectId);
    const shiftMs =
      Number(codedRows('recordings.csv')[0]!.recordingStartTs) - Number(own('recordings.csv')[0]!.recordingStartTs);
    // The local time of the day of enrolment is written as UTC.
    const offsetMs = offsetMsAt(Date.now(), ZONE);
    expect(Math.abs((shiftMs - offsetMs) % WEEK_MS)).toBe(0);
    expect(shiftMs).toBeLessThan(-20 * 364 * 86_400_000);
    for (const name of ['recordings.csv', 'annotations.csv', 'faults.csv']) {
      const shifted = codedRows(name);
      expect(shifted).toHaveLength(own(name).length);
      for (const [i, row] of own(name).entries()) {
        expect(shifted[i]!.utcOffset).toBe('+00:00');
        for (const [column, value] of Object.entries(row)) {
          if (!column.endsWith('Ts')) continue;
          const text = shifted[i]![column]!;
          // What is not known, such as when a label of staff was due, stays empty.
          expect(text === '' ? '' : Number(text)).toBe(value === '' ? '' : Number(value) + shiftMs);
        }
      }
    }
    const minutes = [...coded].filter(([name]) => name.startsWith(`channels/${code}/`)).map(([, csv]) => csvRows(csv));
    // The 23-hour day has as many rows as any other.
    expect(minutes.map((rows) => rows.length)).toEqual(DATES.map(() => 1441));
    const shown = new Map(minutes.flatMap((rows) => rows.slice(1)).map((row) => [Number(row[1]), row]));
    for (const date of DATES) {
      const plain = csvRows(named.get(`channels/${subjectId}/${date}.csv`)!);
      expect(plain).toHaveLength(1 + (date === '2026-03-08' ? 1380 : 1440));
      for (const [, time, ...channels] of plain.slice(1)) {
        if (channels.every((cell) => cell === '')) continue;
        const moved = Number(time) + shiftMs;
        expect(shown.get(moved)).toEqual([new Date(moved).toISOString().slice(11, 16), String(moved), ...channels]);
      }
    }
    const answers = csvRecords(coded.get('annotations.csv')!).filter(({ type }) => type === 'question');
    expect(answers.map(({ displayName, value }) => [displayName, value])).toEqual([
      ['Pain?', 'YES'],
      ['What happened?', ''],
    ]);
    const labels = csvRecords(coded.get('annotations.csv')!).filter(({ type }) => type === 'recording');
    expect(labels.map(({ displayName }) => displayName)).toEqual([expect.stringMatching(/^L-/), 'Six-minute walk']);
  });
});

/** Merges an increment into the files so far, as its README describes. */
function merge(base: Map<string, string>, increment: Map<string, string>): Map<string, string> {
  const merged = new Map(base);
  const manifest = JSON.parse(increment.get('manifest.json')!) as {
    files: { path: string; rows?: string; key?: string[] }[];
  };
  for (const { path, rows, key } of manifest.files) {
    if (path === 'removed.csv') continue;
    if (rows !== 'CHANGED') {
      merged.set(path, increment.get(path)!);
      continue;
    }
    const [header, ...old] = csvRows(merged.get(path)!);
    const [, ...changed] = csvRows(increment.get(path)!);
    const keyOf = (row: string[]) => key!.map((name) => row[header!.indexOf(name)]).join(' ');
    const byKey = new Map([...old, ...changed].map((row) => [keyOf(row), row]));
    for (const [file, removed] of csvRows(increment.get('removed.csv')!)) if (file === path) byKey.delete(removed!);
    merged.set(path, rowsText([header!, ...byKey.values()]));
  }
  for (const [file, key] of csvRows(increment.get('removed.csv')!).slice(1)) if (key === '') merged.delete(file!);
  merged.delete('manifest.json');
  return merged;
}

const rowsText = (rows: string[][]) =>
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('');

/** Files with sorted rows, because an increment does not specify the position of a new row. */
function sorted(contents: Map<string, string>): Record<string, string[]> {
  const entries = [...contents].filter(([name]) => name !== 'manifest.json' && name !== 'README.txt').sort();
  return Object.fromEntries(
    entries.map(([name, text]) => [
      name,
      name.endsWith('.csv')
        ? csvRows(text)
            .map((row) => row.join('\u0001'))
            .sort()
        : [text],
    ]),
  );
}

describe('an incremental export', () => {
  it.each([false, true])('merged into its base equals a full export (de-identified: %s)', async (deidentified) => {
    const { store } = site.folder;
    const { studyId } = place;
    aheadMs += 600_000;
    const doomed = await addLabel('for a while');
    const renamed = await addLabel('to be renamed');
    const base = await makeExport({ deidentified });
    const baseContents = await contentsOf(base);
    aheadMs += 600_000;

    await store.annotations.deleteLabel(doomed, byAdmin());
    await store.annotations.updateLabel(renamed, { displayName: 'renamed' }, byAdmin());
    await recordDays(subjectId, [addDays('2026-03-20', deidentified ? 5 : 0)]);
    const newcomer = await store.subjects.create(
      studyId,
      { displayName: `Later ${deidentified}`, timezone: 'Asia/Tokyo' },
      byAdmin(),
    );
    await recordDays(newcomer.id, ['2026-03-10'], 'Asia/Tokyo');
    const first = await makeExport({ sinceExportId: base.id });
    expect(first).toMatchObject({ deidentified, sinceExportId: base.id });

    // The clock, which was an hour ahead, is corrected.
    aheadMs -= 3_600_000;
    await addFault();
    await reportDiary(['NO', 'again']);
    await store.subjects.update(place.subjectIds[1]!, { displayName: `Other ${deidentified}` }, byAdmin());
    await store.subjects.update(newcomer.id, { timezone: 'Pacific/Auckland', timezoneFromTs: 0 }, byAdmin());
    await store.analytics.store(
      { studyId, subjectId, algorithmVersion: 'test', windows: [], days: [], removedDates: ['2026-03-07'] },
      SYSTEM,
    );
    const second = await makeExport({ sinceExportId: first.id });
    const whole = await contentsOf(await makeExport({ deidentified }));
    const [one, two] = [await contentsOf(first), await contentsOf(second)];
    expect(sorted(merge(merge(baseContents, one), two))).toEqual(sorted(whole));
    expect(JSON.parse(two.get('manifest.json')!)).toMatchObject({ base: {}, isDeidentified: deidentified });
    const { exportId } = JSON.parse(one.get('manifest.json')!) as { exportId: string };
    expect(JSON.parse(two.get('manifest.json')!)).toMatchObject({ base: { exportId } });
    // The increment contains only changes.
    const labels = csvRecords(one.get('annotations.csv')!).map(({ displayName }) => displayName);
    expect(labels).toEqual([deidentified ? expect.stringMatching(/^L-/) : 'renamed']);
    expect(csvRecords(one.get('recordings.csv')!)).toHaveLength(2);
    expect(csvRecords(one.get('faults.csv')!)).toEqual([]);
    expect([...one.keys()].filter((name) => name.startsWith('channels/'))).toHaveLength(2);
    expect([...baseContents.keys()].filter((name) => name.startsWith('channels/')).length).toBeGreaterThan(2);
    await recordDays(subjectId, DATES.slice(0, 1));
    aheadMs += 7_200_000;
  });
});
