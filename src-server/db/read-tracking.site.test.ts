import { closeSync, openSync, writeSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutpostError } from '../errors.ts';
import { addTestStudy, openTestStore, type TestStore, type TestStudy, testRecording } from '../testing/test-store.ts';
import { newId, type ReadPlace, SYSTEM } from './index.ts';
import { ReadTracking } from './read-tracking.ts';
import { TABLES } from './schema.ts';

let site: TestStore;
let study: TestStudy;
let otherSubjectId: string;

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
  const other = await site.store.subjects.create(study.studyId, { displayName: 'Y', timezone: 'UTC' }, SYSTEM);
  otherSubjectId = other.id;
});
afterEach(() => site.close());

/** Whether a read for a place is still valid after a write. */
async function survives(place: ReadPlace, read: () => Promise<unknown>, write: () => Promise<unknown> | unknown) {
  const keys = new Set<string>();
  const begun = site.store.writeCount();
  await site.store.tracked(place, keys, read);
  expect(site.store.isUnchanged(keys, begun)).toBe(true);
  await write();
  // The next request reads the count first.
  site.store.writeCount();
  return site.store.isUnchanged(keys, begun);
}

const place = () => ({ studyId: study.studyId, subjectId: study.subjectId });
const post = (subjectId: string) =>
  site.store.messages.post({ studyId: study.studyId, subjectId, body: 'Hello' }, study.byUser);
const messages = () => site.store.messages.list(study.subjectId);

describe('tracked reads', () => {
  it('of a subject survive writes for another one only where the statement binds the subject', async () => {
    expect(await survives(place(), messages, () => post(otherSubjectId))).toBe(true);
    expect(await survives(place(), messages, () => post(study.subjectId))).toBe(false);
    // Without the place, or with a list of several, it may be any row of the table.
    expect(await survives({}, messages, () => post(otherSubjectId))).toBe(false);
    const both = () => site.store.recordings.timesOf([study.subjectId, otherSubjectId], { fromUs: 0, toUs: 1 });
    const add = (subjectId: string) => site.store.recordings.add(testRecording(study, { subjectId }), SYSTEM);
    expect(await survives(place(), both, () => add(otherSubjectId))).toBe(false);
    const one = () => site.store.recordings.timesOf([study.subjectId], { fromUs: 0, toUs: 1 });
    expect(await survives(place(), one, () => add(otherSubjectId))).toBe(true);
    expect(await survives(place(), one, () => add(study.subjectId))).toBe(false);
  });

  it('end with changes of the study, of a row that moves away, and of rows that a deletion takes along', async () => {
    const { store } = site;
    const subject = () => store.subjects.get(study.subjectId);
    expect(await survives(place(), subject, () => store.studies.update(study.studyId, { title: 'New' }, SYSTEM))).toBe(
      false,
    );
    const { id } = await post(study.subjectId);
    const move = () =>
      store.session.db.updateTable('message').set({ subjectId: otherSubjectId }).where('id', '=', id).execute();
    expect(await survives(place(), messages, move)).toBe(false);
    const questions = () => store.session.db.selectFrom('question').selectAll().execute();
    const deleteTasks = () => store.session.db.deleteFrom('task').execute();
    expect((await questions()).length).toBeGreaterThan(0);
    expect(await survives({}, questions, deleteTasks)).toBe(false);
    expect(await questions()).toEqual([]);
  });

  it('end with a row that an insert changes, and survive one that changes nothing', async () => {
    const { store } = site;
    const summaries = () => store.recordingSummaries.ofSubjects([study.subjectId]);
    await store.recordings.add(testRecording(study, {}), SYSTEM);
    // The second recording changes the row of the first.
    const add = () => store.recordings.add(testRecording(study, { id: newId(), startUs: 1e15 }), SYSTEM);
    expect(await survives(place(), summaries, add)).toBe(false);
    const none = () => store.session.db.deleteFrom('message').where('id', '=', 'none').execute();
    expect(await survives(place(), messages, none)).toBe(true);
  });

  it('end with a rollback, because a read in between saw what never was', async () => {
    const { store } = site;
    let keys = new Set<string>();
    let begun = 0;
    const failed = store.transaction(async (open) => {
      await open.messages.post({ ...place(), body: 'Undone' }, study.byUser);
      begun = store.writeCount();
      keys = new Set();
      await store.tracked(place(), keys, () => open.messages.list(study.subjectId));
      throw new Error('undo');
    });
    await expect(failed).rejects.toThrow('undo');
    expect(store.isUnchanged(keys, begun)).toBe(false);
  });

  it('end with anything that another connection writes', async () => {
    const other = new BetterSqlite3(site.path);
    expect(await survives(place(), messages, () => other.exec('UPDATE subject SET age = 50'))).toBe(false);
    other.close();
  });

  it('within others are part of them', async () => {
    const outer = new Set<string>();
    const inner = new Set<string>();
    await site.store.tracked(place(), outer, async () => {
      await site.store.subjects.get(study.subjectId);
      await site.store.tracked({}, inner, messages);
    });
    expect([...inner].filter((key) => !outer.has(key))).toEqual([]);
    expect(inner).toContain('message');
    expect(inner).not.toContain('subject/-/');
  });
});

it('sees every kind of write to every table', () => {
  const database = new BetterSqlite3(site.path);
  const tracking = new ReadTracking(database);
  const triggers = database.prepare<[], string>('SELECT name FROM sqlite_temp_schema ORDER BY name').pluck().all();
  const events = ['INSERT', 'UPDATE', 'DELETE'];
  expect(triggers).toEqual(
    Object.keys(TABLES)
      .flatMap((table) => events.map((event) => `note ${table} ${event}`))
      .sort(),
  );
  // Each must compile: SQLite compiles a trigger when a statement fires it.
  for (const [name, { columns }] of Object.entries(TABLES)) {
    const [column] = Object.keys(columns);
    database.prepare(`INSERT INTO "${name}" DEFAULT VALUES`);
    database.prepare(`UPDATE "${name}" SET "${column}" = NULL`);
    database.prepare(`DELETE FROM "${name}"`);
  }
  expect(tracking.count).toBe(0);
  database.close();
});

describe('a file that can no longer be read', () => {
  /** As after its disk was pulled in the middle of a write: no page is what the connection expects. */
  const ruin = () => {
    const { path } = site.store;
    for (const [file, bytes] of [
      [`${path}-wal`, Buffer.alloc(64 * 1024, 1)],
      [path, Buffer.alloc(4096, 7)],
      [`${path}-shm`, Buffer.alloc(32 * 1024)],
    ] as const) {
      const open = openSync(file, 'r+');
      writeSync(open, bytes, 0, bytes.length, 0);
      closeSync(open);
    }
  };

  it('lets the write count be read, with everything cached as old', async () => {
    const keys = new Set<string>();
    const begun = site.store.writeCount();
    await site.store.tracked(place(), keys, messages);
    ruin();
    expect(site.store.writeCount()).toBeGreaterThan(begun);
    expect(site.store.isUnchanged(keys, begun)).toBe(false);
  });

  it('is reported as damaged, or as disconnected while that is known', async () => {
    ruin();
    await expect(messages()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    site.store.refuseWrites(new OutpostError('SITE_DISCONNECTED', 'The disk is gone.'));
    await expect(messages()).rejects.toMatchObject({ code: 'SITE_DISCONNECTED' });
  });
});
