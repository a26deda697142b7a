/** The rows that lists show follow their recordings, tasks and messages through every service that changes these. */
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newId, SYSTEM } from '../db/index.ts';
import { localDateAt } from '../study/day-windows.ts';
import { fillSummaries } from '../testing/fill-summaries.ts';
import { seededRandom } from '../testing/signal-fixtures.ts';
import {
  addTestStudy,
  openTestStore,
  TEST_NOW,
  type TestStore,
  type TestStudy,
  testRecording,
} from '../testing/test-store.ts';

const HOUR_MS = 3_600_000;
const ZONES = ['Asia/Tokyo', 'America/St_Johns', 'Pacific/Apia', 'US/Eastern', 'UTC'];

let site: TestStore;
let study: TestStudy;
let subjectIds: string[];

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
  await site.store.studies.move(study.studyId, 'start', study.byUser);
  const second = await site.store.subjects.create(
    study.studyId,
    { displayName: 'S-002', timezone: 'Asia/Tokyo' },
    study.byUser,
  );
  subjectIds = [study.subjectId, second.id];
});
afterEach(() => site.close());

/** Every summary as stored, and as it follows from the recordings, tasks and messages. */
async function expectTrue(context: string): Promise<void> {
  const { store } = site;
  for (const subjectId of subjectIds) {
    expect(await store.recordingSummaries.stored(subjectId), context).toEqual(
      await store.recordingSummaries.computed(subjectId),
    );
    const clock = await store.subjects.zones(subjectId);
    const done = await store.annotations.completions(subjectId, { fromTs: 0, toTs: Number.MAX_SAFE_INTEGER });
    const dates = new Set(done.map(({ taskId, startTs }) => `${localDateAt(startTs, clock)} ${taskId}`));
    const months = await store.taskDays.months([study.studyId], { subjectIds: [subjectId] });
    const stored = months.flatMap(({ month, taskId, days }) =>
      [...days.toString(2)].reverse().flatMap((bit, n) => {
        return bit === '1' ? [`${month}-${String(n + 1).padStart(2, '0')} ${taskId}`] : [];
      }),
    );
    expect(stored.sort(), context).toEqual([...dates].sort());
  }
  await expectConversations(context);
}

/** Compares the list, whole and in pages of one, with the messages themselves. */
async function expectConversations(context: string): Promise<void> {
  const { messages } = site.store;
  const expected = [];
  for (const subjectId of subjectIds) {
    const all = await messages.list(subjectId);
    const last = all.at(-1);
    if (!last) continue;
    const unread = all.filter(({ isRead, author }) => !isRead && author.principalType === 'SUBJECT');
    const counts = { messageCount: all.length, unreadCount: unread.length };
    expected.push({ studyId: study.studyId, subjectId, ...counts, last });
  }
  expected.sort((a, b) => b.last.createdTs - a.last.createdTs || (a.subjectId < b.subjectId ? -1 : 1));
  expect(await messages.conversations([study.studyId]), context).toEqual(expected);
  const paged = [];
  for (;;) {
    const [previous] = paged.slice(-1);
    const after = previous && { after: [previous.last.createdTs, previous.subjectId] };
    const page = await messages.conversations([study.studyId], { limit: 1, ...after });
    if (page.length === 0) break;
    paged.push(...page);
  }
  expect(paged, context).toEqual(expected);
}

function operationsOf(random: () => number) {
  const { store } = site;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const recordingIds: string[] = [];
  // A few instants only, so that recordings begin in the same millisecond, touch, overlap and lie within others.
  const instantMs = () => TEST_NOW - Math.floor(random() * 60) * HOUR_MS;
  return [
    async function addRecording() {
      const startUs = instantMs() * 1000 + Math.floor(random() * 2) * 499;
      const id = newId();
      await store.recordings.add(
        testRecording(study, {
          id,
          subjectId: pick(subjectIds),
          startUs,
          stopUs: startUs + Math.floor(random() * 5) * HOUR_MS * 1000 + Math.floor(random() * 1000),
          udid: pick(['AA:BB:CC:00:11:22', 'aa-bb-cc-00-11-33', 'AA:BB:CC:00:11:44', 'unknown']),
          sizeBytes: Math.floor(random() * 10_000),
        }),
        SYSTEM,
      );
      recordingIds.push(id);
    },
    async function reportTask() {
      const startTs = instantMs();
      const taskId = pick([study.activityId, study.diaryId]);
      const subjectId = pick(subjectIds);
      await store.annotations.reportTask(
        { studyId: study.studyId, subjectId, taskId, startTs, stopTs: startTs + 1, answers: [] },
        { actor: { type: 'SUBJECT', id: subjectId } },
      );
    },
    async function moveZone() {
      const timezoneFromTs = pick([0, instantMs()]);
      await store.subjects.update(pick(subjectIds), { timezone: pick(ZONES), timezoneFromTs }, study.byUser);
    },
    async function registerSensor() {
      const udid = pick(['AA:BB:CC:00:11:22', 'AA:BB:CC:00:11:33', 'AA:BB:CC:00:11:44']);
      if (await store.equipment.findByUdid(udid)) return;
      await store.equipment.register(
        { accountId: study.accountId, id: newId(), type: 'SENSOR', displayName: 'Chest', udid },
        study.byUser,
      );
    },
    async function restoreFile() {
      if (recordingIds.length === 0) return;
      const facts = { sizeBytes: Math.floor(random() * 10_000), sha256: 'b'.repeat(64) };
      await store.recordings.restoreFile(pick(recordingIds), facts, SYSTEM);
    },
    async function postMessage() {
      // The clock of the site may be set back.
      site.clock.now += Math.floor(random() * 5 - 2) * 1000;
      const subjectId = pick(subjectIds);
      const byAuthor = pick([study.byUser, { actor: { type: 'SUBJECT' as const, id: subjectId } }]);
      await store.messages.post({ studyId: study.studyId, subjectId, body: 'Hello' }, byAuthor);
    },
    async function readMessage() {
      const known = await store.messages.list(pick(subjectIds));
      if (known.length > 0) await store.messages.markRead(pick(known).id, study.byUser);
    },
    async function reject() {
      if (recordingIds.length > 0) await store.recordings.setDataState(pick(recordingIds), 'REJECTED', SYSTEM, 'X');
    },
  ];
}

const seed = Number(process.env.OUTPOST_SEED ?? Date.now() % 1_000_000);

it(`follow random changes through the services (OUTPOST_SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const operations = operationsOf(random);
  for (let step = 0; step < 150; step++) {
    // Recordings are added more often than anything else.
    const operation = operations[random() < 0.4 ? 0 : Math.floor(random() * operations.length)]!;
    await operation();
    await expectTrue(`step ${step}, ${operation.name}, seed ${seed}`);
  }
  const stored = await Promise.all(subjectIds.map((id) => site.store.recordingSummaries.stored(id)));
  // The SQL of the migration finds the same.
  const database = new BetterSqlite3(site.path);
  fillSummaries(database);
  database.close();
  expect(await Promise.all(subjectIds.map((id) => site.store.recordingSummaries.stored(id)))).toEqual(stored);
  await expectTrue(`migration, seed ${seed}`);
});

it('are kept or lost with their recording', async () => {
  const { store } = site;
  await expect(
    store.transaction(async (open) => {
      await open.recordings.add(testRecording(study), SYSTEM);
      throw new Error('The disk is full.');
    }),
  ).rejects.toThrow('The disk is full.');
  expect(await store.recordingSummaries.stored(study.subjectId)).toEqual({ summary: undefined, days: [] });
});
