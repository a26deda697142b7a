/** Every number of the data-quality report, the list of faults and the board equals a plain count over the store. */
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { addDays, fixedZone, localDateIn, midnightWindow } from '../../study/day-windows.ts';
import { studyWeeks } from '../../study/quality.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { unpackStudyExport } from '../../testing/test-study-export.ts';
import { DEFAULT_BOARD } from '../../vocabulary/board.ts';
import { DEFAULT_QUALITY_TARGETS } from '../../vocabulary/quality.ts';
import type { Client } from '../contract/client.ts';
import type { SubjectQualityItem } from '../contract/index.ts';

const ZONES = ['UTC', 'Asia/Tokyo', 'US/Pacific', 'UTC', 'UTC'];
const DAYS = 40;

let api: TestApi;
/** Signed in after the days have passed. */
let signedIn: Client;
let studyId: string;
let ids: string[];
let sqlite: BetterSqlite3.Database;

const count = (sql: string, ...values: unknown[]) =>
  sqlite
    .prepare(sql)
    .pluck()
    .get(...values);

/** Wear of a subject on a day: whole days, short ones, none, and for the last subject nothing at the end. */
function wearOf(subject: number, day: number): number | undefined {
  if (subject === 4) return undefined;
  if (subject === 3 && day >= DAYS - 5) return undefined;
  if ((day + subject) % 9 === 0) return undefined;
  return (day * (subject + 3)) % 4 === 0 ? 7 * 3600 + day : 20 * 3600 + day;
}

beforeAll(async () => {
  api = await startTestApi();
  const { client, store, clock } = api;
  studyId = (await client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName: 'Q' } })).id;
  const params = { studyId };
  await client.call('putDefinition', { params, body: { diaries: [{ displayName: 'Evening' }] } });
  const diaryId = (await client.call('getStudy', { params })).diaries[0]!.id;
  const program = { days: 100, tasks: [{ taskId: diaryId, type: 'diary' as const, days: 'daily' as const }] };
  await client.call('putDefinition', { params, body: { program } });
  ids = [];
  for (const [i, timezone] of ZONES.entries())
    ids.push((await client.call('createSubject', { params, body: { displayName: `Q-${i}`, timezone } })).id);
  await client.call('createSubject', { params, body: { displayName: 'Test', timezone: 'UTC', isTest: true } });
  await client.call('startStudy', { params });
  const startTs = clock.now();
  for (const [i, subjectId] of ids.entries()) {
    const timezone = ZONES[i]!;
    const first = localDateIn(startTs, timezone);
    const zone = fixedZone(timezone);
    const days = Array.from({ length: DAYS }, (_, day) => ({ day, wear: wearOf(i, day) })).flatMap(({ day, wear }) => {
      if (wear === undefined) return [];
      const { startMs, stopMs } = midnightWindow(addDays(first, day), zone);
      const metrics = {
        ...{ date: addDays(first, day), dayStartMs: startMs, dayStopMs: stopMs },
        ...{ dataStartMs: startMs, dataStopMs: startMs + wear * 1000 },
        metrics: {
          SENSOR_WEAR_DURATION: wear,
          MOVING_STEPS: 100 * day + i,
          ...(day % 3 && { RESTING_AVG_HR: 60 + day / 7 }),
        },
        validSeconds: {
          MOVING: 600,
          // A wrist has no ECG; the names of days differ, so their places do too.
          ...(i !== 2 && {
            HEART_SIGNAL: wear,
            ...(day % 2 === 0 && { HEART_AF: 1 }),
            HEART_READABLE: wear * (i === 1 ? 0.5 : 0.9),
          }),
        },
      };
      return [{ metrics, timezone, inputsHash: metrics.date }];
    });
    await store.analytics.store({ studyId, subjectId, algorithmVersion: 'test', windows: [], days }, SYSTEM);
  }
  clock.advance((DAYS + 0.2) * 86_400_000);
  signedIn = await api.signIn();
  for (const [i, subjectId] of ids.entries()) {
    for (let day = 0; day < DAYS; day++) {
      if ((day + i) % 3 === 0) continue;
      const { startMs } = midnightWindow(addDays(localDateIn(startTs, ZONES[i]!), day), fixedZone(ZONES[i]!));
      const at = startMs + 20 * 3_600_000;
      if (at < startTs) continue;
      const report = { studyId, subjectId, taskId: diaryId, startTs: at, stopTs: at + 1000, answers: [] };
      await store.annotations.reportTask(report, { actor: { type: 'SUBJECT', id: subjectId } });
    }
  }
  for (let i = 0; i < 7; i++) {
    const fault = {
      ...{ id: newId(), studyId, subjectId: ids[i % 2]!, faultTs: startTs + (i % 4) * 1000, faultFlag: 'LOW_BATTERY' },
      ...{
        faultType: 'LINK_HUB_SENSOR_FAULT',
        mobileAppVersion: '',
        sensorFirmwareId: '',
        sensorId: 'AA:BB:CC:DD:EE:FF',
      },
    };
    await store.faults.add([fault], SYSTEM);
  }
  sqlite = new BetterSqlite3(api.store.path, { readonly: true });
});
afterAll(async () => {
  sqlite.close();
  await api.close();
});

const quality = async (query: object = {}) =>
  (await signedIn.call('listQuality', { params: { studyId }, query: query as never })).items;

/** Counts between dates, by a statement each. */
function counted(subjectId: string, from: string, to: string) {
  const days = (where = '1') =>
    count(
      `SELECT count(*) FROM analyticsDay WHERE subjectId = ? AND date BETWEEN ? AND ? AND ${where}`,
      subjectId,
      from,
      to,
    );
  const sum = (name: string) =>
    count(
      `SELECT coalesce(sum(json_extract(validSeconds, '$[' || name.key || ']')), 0)
       FROM analyticsDay JOIN metricNames ON metricNames.id = namesId, json_each(names, '$.validSeconds') AS name
       WHERE subjectId = ? AND date BETWEEN ? AND ? AND name.value = ?`,
      subjectId,
      from,
      to,
      name,
    ) as number;
  const wear = count(
    'SELECT coalesce(sum(wearSeconds), 0) FROM analyticsDay WHERE subjectId = ? AND date BETWEEN ? AND ?',
    subjectId,
    from,
    to,
  );
  const expected = count('SELECT julianday(?) - julianday(?) + 1', to, from);
  return {
    expectedDays: expected,
    dataDays: days('wearSeconds > 0'),
    validDays: days('wearSeconds >= 36000'),
    wearSeconds: wear,
    signalSeconds: expect.closeTo(sum('HEART_SIGNAL'), 3),
    readableSeconds: expect.closeTo(sum('HEART_READABLE'), 3),
    // A diary on each day.
    tasksAssigned: expected,
  };
}

/** Local dates on which a subject began a diary. */
function diaryDays(subjectId: string, zone: string, from: string, to: string): number {
  const rows = sqlite
    .prepare("SELECT startTs FROM annotation WHERE subjectId = ? AND type = 'diary'")
    .pluck()
    .all(subjectId) as number[];
  return new Set(rows.map((ts) => localDateIn(ts, zone)).filter((date) => date >= from && date <= to)).size;
}

function expectCounts(item: SubjectQualityItem, i: number): void {
  const { quality: found } = item;
  const zone = ZONES[i]!;
  for (const part of [found!, found!.recent]) {
    expect(part).toMatchObject(counted(ids[i]!, part.fromDate, part.toDate));
    expect(part.tasksCompleted).toBe(diaryDays(ids[i]!, zone, part.fromDate, part.toDate));
  }
  for (const week of found!.weeks) {
    expect(new Date(`${week.week}T00:00:00Z`).getUTCDay()).toBe(1);
    const from = [week.week, found!.fromDate].sort()[1]!;
    const to = [addDays(week.week, 6), found!.toDate].sort()[0]!;
    expect(week).toMatchObject(counted(ids[i]!, from, to));
    expect(week.tasksCompleted).toBe(diaryDays(ids[i]!, zone, from, to));
  }
}

describe('the data quality of a study', () => {
  it('counts what is stored, of whole subjects, of each week and of the last days', async () => {
    const items = await quality();
    expect(items.map(({ displayName }) => displayName)).toEqual(ZONES.map((_, i) => `Q-${i}`));
    for (const [i, item] of items.entries()) expectCounts(item, i);
    const window = { fromDate: '2026-02-05', toDate: '2026-02-18' };
    for (const [i, item] of (await quality(window)).entries()) {
      expect(item.quality).toMatchObject(window);
      expectCounts(item, i);
    }
  });

  it('is of 366 days at most', async () => {
    for (const toDate of ['2488-13-04', '2026-02-30'])
      await expect(quality({ toDate })).rejects.toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    const window = { fromDate: '2025-03-01', toDate: '2026-03-02' };
    await expect(quality(window)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await quality({ ...window, fromDate: '2025-03-02' })).toHaveLength(5);
  });

  it('sums the weeks of a study', async () => {
    const items = await quality();
    const weeks = studyWeeks(
      items.flatMap(({ quality: found }) => found ?? []),
      DEFAULT_QUALITY_TARGETS,
    );
    expect(weeks.length).toBeGreaterThan(5);
    const week = weeks[3]!;
    const to = addDays(week.week, 6);
    expect(week).toMatchObject({
      subjects: 5,
      expectedDays: 35,
      validDays: count(
        `SELECT count(*) FROM analyticsDay JOIN subject ON subject.id = subjectId
         WHERE studyId = ? AND isTest = 0 AND wearSeconds >= 36000 AND date BETWEEN ? AND ?`,
        studyId,
        week.week,
        to,
      ),
      onTarget: count(
        `SELECT count(*) FROM (SELECT subjectId FROM analyticsDay JOIN subject ON subject.id = subjectId
         WHERE studyId = ? AND isTest = 0 AND wearSeconds >= 36000 AND date BETWEEN ? AND ? GROUP BY 1 HAVING count(*) >= 4)`,
        studyId,
        week.week,
        to,
      ),
    });
  });

  it('says who is at risk and why, of days that are judged', async () => {
    const items = await quality();
    const codes = items.map(({ quality: found }) => found!.reasons.map(({ code }) => code));
    expect(codes[1]).toContain('READABLE');
    expect(codes[3]).toEqual(expect.arrayContaining(['NO_DATA', 'VALID_DAYS']));
    expect(codes[4]).toEqual(expect.arrayContaining(['NO_DATA', 'VALID_DAYS']));
    const [lost] = items[3]!.quality!.reasons;
    expect(lost!.date).toBe(
      count('SELECT max(date) FROM analyticsDay WHERE subjectId = ? AND wearSeconds > 0', ids[3]),
    );
    expect(items[4]!.quality!.reasons[0]).toEqual({ code: 'NO_DATA' });
    const valid = items[3]!.quality!.reasons.find(({ code }) => code === 'VALID_DAYS')!;
    expect(valid).toMatchObject({ target: 4, days: 7, value: items[3]!.quality!.recent.validDays });
    // Two of three diaries.
    expect(codes[0]).toContain('TASKS');
    // Nothing can be done about days of the past.
    expect((await quality({ toDate: '2026-02-20' })).flatMap(({ quality: found }) => found!.reasons)).toEqual([]);
  });

  it('follows the targets of the study, and leaves out those that are switched off', async () => {
    const params = { studyId };
    const qualityTargets = { wearHours: 5, validDays: null, readablePercent: null, taskPercent: 1 };
    await signedIn.call('putDefinition', { params, body: { qualityTargets } });
    const items = await quality();
    expect(items[0]!.quality!.validDays).toBe(items[0]!.quality!.dataDays);
    expect(items[1]!.quality!.reasons).toEqual([]);
    expect(items[3]!.quality!.reasons.map(({ code }) => code)).toEqual(['NO_DATA']);
    await signedIn.call('putDefinition', { params, body: { qualityTargets: DEFAULT_QUALITY_TARGETS } });
  });

  it('is at risk no more when the subject is hidden', async () => {
    const subject = { params: { studyId, subjectId: ids[4]! } };
    await signedIn.call('updateSubject', { ...subject, body: { isHidden: true } });
    const hidden = (await quality())[4]!;
    expect(hidden).toMatchObject({ isHidden: true, isFollowed: false, quality: { reasons: [] } });
    await signedIn.call('updateSubject', { ...subject, body: { isHidden: false } });
  });

  it('expects nothing of a subject after the withdrawal', async () => {
    const subject = { params: { studyId, subjectId: ids[3]! } };
    const before = (await quality())[3]!.quality!;
    expect(before.reasons.length).toBeGreaterThan(0);
    const date = addDays(before.toDate, -5);
    await signedIn.call('setSubjectStatus', {
      ...subject,
      body: { status: 'WITHDRAWN', date, reason: 'Moved away', dataDecision: 'KEEP_ALL' },
    });
    const withdrawn = (await quality())[3]!;
    expect(withdrawn.isFollowed).toBe(false);
    const after = withdrawn.quality!;
    expect(after).toMatchObject({ toDate: date, expectedDays: before.expectedDays - 5, reasons: [] });
    await signedIn.call('setSubjectStatus', {
      ...subject,
      body: { status: 'ENROLLED', date, isCorrection: true, reason: 'Wrong subject' },
    });
    expect((await quality())[3]!.quality!).toEqual(before);
  });
});

it('is in the study archive', async () => {
  const { signalsDir, exportsDir } = api.deps;
  const source = { store: api.store, signalsDir };
  const of = { studyId, asOfTs: api.clock.now() };
  const { members } = await unpackStudyExport(writeStudyArchive, source, join(exportsDir, 'quality'), of);
  const [header, ...rows] = members.get('data-quality.csv')!.toString().trim().split('\n');
  const cells = rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [header!.split(',')[i], cell])));
  const weeks = (await quality()).flatMap(({ subjectId, quality: found }) =>
    (found?.weeks ?? []).map(({ week, ...counts }) => ({ subjectId, DATE: week, ...counts })),
  );
  expect(weeks.length).toBeGreaterThan(30);
  const targets = { targetWearHours: 10, targetValidDays: 4, targetReadablePercent: 75, targetTaskPercent: 80 };
  const asText = (row: object) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
  expect(cells).toEqual(weeks.map((week) => asText({ ...week, ...targets })));
});

describe('the faults of a study', () => {
  it('are all there, by time, in pages, and of one subject', async () => {
    const all = await signedIn.call('listFaults', { params: { studyId } });
    expect(all.size).toBe(count('SELECT count(*) FROM fault WHERE studyId = ?', studyId));
    const page = await signedIn.call('listFaults', { params: { studyId }, query: { newest: true, limit: '3' } });
    expect(page.items.map(({ id }) => id)).toEqual(
      all.items
        .map(({ id }) => id)
        .reverse()
        .slice(0, 3),
    );
    const [own] = ids;
    const ofOne = await signedIn.call('listFaults', { params: { studyId }, query: { subjectId: own! } });
    expect(ofOne.size).toBe(count('SELECT count(*) FROM fault WHERE subjectId = ?', own));
    expect(ofOne.items[0]).toMatchObject({ subjectName: 'Q-0', faultFlag: 'LOW_BATTERY' });
  });
});

describe('the board of a study', () => {
  it('shows the stored values of days', async () => {
    const name = ['MOVING_STEPS', 'RESTING_AVG_HR'];
    const { items } = await signedIn.call('listDailyValues', { params: { studyId }, query: { name } as never });
    expect(items).toHaveLength(6);
    for (const [i, subjectId] of ids.entries()) {
      const { days } = items.find((item) => item.subjectId === subjectId)!;
      expect(days).toHaveLength(count('SELECT count(*) FROM analyticsDay WHERE subjectId = ?', subjectId) as number);
      for (const { date, wearSeconds, values } of days) {
        expect(wearSeconds).toBe(
          count('SELECT wearSeconds FROM analyticsDay WHERE subjectId = ? AND date = ?', subjectId, date),
        );
        const stored = name.map(
          (metric) =>
            count(
              `SELECT json_extract(metrics, '$[' || name.key || ']')
               FROM analyticsDay JOIN metricNames ON metricNames.id = namesId, json_each(names, '$.metrics') AS name
               WHERE subjectId = ? AND date = ? AND name.value = ?`,
              subjectId,
              date,
              metric,
            ) ?? null,
        );
        expect(values, `${i} ${date}`).toEqual(stored);
      }
    }
    await expect(
      signedIn.call('listDailyValues', { params: { studyId }, query: { name: ['A', 'B', 'C', 'D', 'E'] } as never }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is saved for everybody, with an entry, also while the study is locked; monitors read it', async () => {
    const params = { studyId: api.studyId };
    const monitor = await api.signIn(api.monitor.email, api.monitor.password);
    expect(await monitor.call('getBoard', { params })).toEqual(DEFAULT_BOARD);
    const board = { metrics: ['MOVING_STEPS'], days: 84, grouping: { kind: 'DATE', date: '2026-01-20' } } as const;
    await expect(monitor.call('putBoard', { params, body: board as never })).rejects.toMatchObject({ status: 403 });
    await signedIn.call('putBoard', { params, body: board as never });
    expect(await monitor.call('getBoard', { params })).toMatchObject({ ...board, savedBy: { id: api.admin.userId } });
    const entries = () => count("SELECT count(*) FROM audit WHERE action = 'study.board'");
    expect(entries()).toBe(1);
    await signedIn.call('putBoard', { params, body: board as never });
    expect(entries()).toBe(1);
  });
});

describe('subjects that are followed', () => {
  const followed = async (window = {}) => (await quality(window)).map(({ isFollowed }) => isFollowed);

  it('are all of a study that runs, also in a window without days of theirs', async () => {
    expect(await followed()).toEqual(ZONES.map(() => true));
    expect(await followed({ fromDate: '2025-01-01', toDate: '2025-02-01' })).toEqual(ZONES.map(() => true));
  });

  it('are none when the programs of all have ended, with days or without', async () => {
    api.clock.advance(70 * 86_400_000);
    signedIn = await api.signIn();
    const items = await quality();
    expect(items.map(({ isFollowed }) => isFollowed)).toEqual(ZONES.map(() => false));
    expect(items[0]!.quality).toMatchObject({ expectedDays: 100, reasons: [] });
    api.clock.advance(400 * 86_400_000);
    signedIn = await api.signIn();
    const later = await quality();
    expect(later.map(({ isFollowed, quality: found }) => [isFollowed, found])).toEqual(
      ZONES.map(() => [false, undefined]),
    );
  });

  it('keep their days in the window that ends with the completed study', async () => {
    const params = { studyId };
    await signedIn.call('stopStudy', { params });
    const { stoppedTs } = await signedIn.call('getStudy', { params });
    expect(stoppedTs).toBe(api.clock.now());
    api.clock.advance(400 * 86_400_000);
    signedIn = await api.signIn();
    const toDate = localDateIn(stoppedTs!, 'UTC');
    await expect(quality({ fromDate: addDays(toDate, -20) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await followed({ fromDate: addDays(toDate, -20), toDate })).toEqual(ZONES.map(() => false));
  });
});
