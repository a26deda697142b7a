/** A site that is ready before all of it was checked, and what it does when the check in the background finds damage. */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { listBackups } from '../integrity/backup/folder.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { makeTestSite, signIn, startServerProcess, type TestSite } from '../testing/test-site.ts';
import { openSite } from './folder.ts';
import { type RunningSite, startSite } from './server.ts';

let test: TestSite;
let running: RunningSite | undefined;
beforeEach(async () => {
  test = await makeTestSite();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
  await test.remove();
});

const path = (...names: string[]) => join(test.dir, ...names);

/** Starts the site as one too large to be read whole first. */
async function startLarge(options: { clock?: () => number; delayMs?: number } = {}): Promise<RunningSite> {
  running = await startSite({
    dir: test.dir,
    port: 0,
    smallBytes: 0,
    log: pino({ level: 'silent' }),
    ...(options.clock && { clock: options.clock }),
    soundness: { delayMs: options.delayMs ?? DAY_MS, settleMs: 0 },
  });
  return running;
}

async function closeSite(): Promise<void> {
  await running?.close();
  running = undefined;
}

/** Ends a run without a clean close, and returns the database as it was written. */
async function crash(): Promise<void> {
  const server = await startServerProcess(test.dir);
  await signIn(server.url);
  await server.kill();
  expect(existsSync(path('site.db-wal'))).toBe(true);
}

/** Overwrites the pages of the table of events, which no start looks at. */
function spoilEvents(): void {
  const database = new Database(path('site.db'), { readonly: true });
  const pages = database.prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'event'").pluck().all();
  database.close();
  const bytes = readFileSync(path('site.db'));
  for (const page of pages) bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(path('site.db'), bytes);
}

describe('a site that is too large to be read at every start', () => {
  it('is ready after a crash, is read in the background, and remembers the result', async () => {
    await crash();
    const site = await startLarge({ delayMs: 0 });
    await expect.poll(() => site.soundness.state.state, { timeout: 20_000 }).toBe('sound');
    expect(site.soundness.state).toMatchObject({ problems: [], isChecking: false });
    const { checkedTs } = site.soundness.state;
    expect(existsSync(path('site.db-unchecked'))).toBe(false);
    await closeSite();
    expect((await startLarge()).soundness.state).toMatchObject({ state: 'sound', checkedTs });
  });

  it('stays unchecked over clean closes until a check has passed', async () => {
    await crash();
    expect((await startLarge()).soundness.state.state).toBe('unchecked');
    await closeSite();
    expect(existsSync(path('site.db-wal'))).toBe(false);
    expect((await startLarge()).soundness.state.state).toBe('unchecked');
    await running?.soundness.check();
    expect(running?.soundness.state.state).toBe('sound');
  });

  it('is read again a day later, also when the clock was set back meanwhile', async () => {
    let nowTs = Date.now();
    const site = await startLarge({ clock: () => nowTs });
    await site.soundness.check();
    const first = site.soundness.state.checkedTs;
    await site.soundness.check();
    expect(site.soundness.state.checkedTs).toBe(first);
    nowTs += DAY_MS;
    await site.soundness.check();
    expect(site.soundness.state.checkedTs).toBe(nowTs);
    nowTs -= 3 * DAY_MS;
    await site.soundness.check();
    expect(site.soundness.state.checkedTs).toBe(nowTs);
  });

  it('becomes read-only when damage is found, and loses nothing that it acknowledged', async () => {
    await crash();
    // A clean close folds the log, so that the file alone is the database.
    await startLarge();
    await running?.soundness.check();
    const backups = path('backups');
    const backUp = () => makeBackup({ siteDir: test.dir, to: backups, reason: 'manual', nowTs: Date.now() });
    const before = await backUp();
    await running?.folder.store.subjects.create(test.studyId, { displayName: 'Kept', timezone: 'UTC' }, SYSTEM);
    const after = await backUp();
    await closeSite();
    spoilEvents();

    const site = await startLarge();
    const client = await signIn(site.url);
    const added = await client
      .call('createSubject', {
        params: { studyId: test.studyId },
        body: { displayName: 'Acknowledged', timezone: 'UTC' },
      })
      .catch((thrown: unknown) => thrown);
    // The first write that needs a spoilt page fails; every other one is refused from the check on.
    expect(added).toMatchObject({ code: 'SITE_CORRUPT' });
    await site.folder.store.settings.set('site.displayName', 'Renamed', SYSTEM);
    writeFileSync(path('site.db-unchecked'), '');
    await site.soundness.check();

    expect(site.soundness.state).toMatchObject({ state: 'damaged', problems: [expect.stringContaining('event')] });
    await expect(site.folder.store.settings.set('site.displayName', 'No', SYSTEM)).rejects.toMatchObject({
      code: 'SITE_CORRUPT',
    });
    const failed = await client
      .call('createSubject', { params: { studyId: test.studyId }, body: { displayName: 'No', timezone: 'UTC' } })
      .catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ status: 503, code: 'SITE_CORRUPT' });
    expect((await client.call('getSite')).database).toMatchObject({ state: 'damaged', check: { state: 'damaged' } });
    expect((await client.call('getDiagnostics')).database.check.problems).toHaveLength(1);
    const { items } = await client.call('listAttention', { params: { accountId: test.accountId } });
    expect(items).toContainEqual(expect.objectContaining({ reason: 'DATABASE_DAMAGED' }));
    expect(await site.folder.store.settings.get('site.displayName')).toBe('Renamed');
    // What was backed up up to the last good check is above suspicion.
    const marks = new Map((await listBackups(backups)).map(({ id, check }) => [id, check?.diagnostics?.[0]?.code]));
    expect([marks.get(before.id), marks.get(after.id)]).toEqual([undefined, 'BACKUP_SUSPECT']);
    await closeSite();

    await expect(startLarge()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    await expect(startLarge()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
  });

  it('opens again once the sound database is back', async () => {
    await startLarge();
    await closeSite();
    const bytes = readFileSync(path('site.db'));
    spoilEvents();
    await startLarge();
    writeFileSync(path('site.db-unchecked'), '');
    await running?.soundness.check();
    await closeSite();
    await expect(startLarge()).rejects.toMatchObject({ code: 'SITE_CORRUPT' });
    writeFileSync(path('site.db'), bytes);
    expect((await startLarge()).soundness.state.state).toBe('sound');
  });

  it('reads everything before it is ready when what the crash touched is not whole', async () => {
    await crash();
    await openSite(test.dir, { smallBytes: 0 }).then((folder) => folder.close());
    const database = new Database(path('site.db'));
    const triggers = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      .pluck()
      .all();
    for (const name of triggers) database.exec(`DROP TRIGGER "${name}"`);
    database.exec(
      'UPDATE audit SET changes = \'{"x":1}\', packedChanges = NULL WHERE sequence = (SELECT max(sequence) FROM audit)',
    );
    database.close();
    // All pages are sound, so it opens: `verify` tells of the row that was changed.
    expect((await startLarge()).soundness.state.state).toBe('sound');
  });
});

describe('the files of a large site', () => {
  it('that are missing, returned or without a row are settled after the start', async () => {
    const folder = await openSite(test.dir);
    const place = { studyId: test.studyId, subjectId: test.subjectIds[0]! };
    const add = (startUs: number) => addTestRecording(folder.store, folder.signalsDir, place, { startUs });
    const [lost, returned, kept] = [await add(3600e6), await add(7200e6), await add(10_800e6)];
    // Push the recordings out of the end of the audit that every start looks at.
    for (let i = 0; i < 1000; i++) {
      await folder.store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: String(i) });
    }
    await folder.store.recordings.setFileState(returned.id, 'MISSING', SYSTEM);
    for (let i = 0; i < 1000; i++) {
      await folder.store.audit.note(SYSTEM, { action: 'test', entityType: 'site', entityId: String(i) });
    }
    await folder.close();
    unlinkSync(path('signals', `${lost.id}.sig`));
    const [orphan, partial] = [newId(), newId()];
    writeFileSync(path('signals', `${orphan}.sig`), 'only copy');
    writeFileSync(path('signals', `${partial}.overview`), 'x');
    writeFileSync(path('images', `${newId()}.jpg`), 'x');
    writeFileSync(path('signals', 'notes.txt'), 'by a person');

    const site = await startLarge();
    const { store } = site.folder;
    expect(site.folder.reconciled).toMatchObject({ orphanedSignals: [], missingRecordings: [] });
    await site.soundness.check();
    const states = await Promise.all(
      [lost, returned, kept].map(async ({ id }) => (await store.recordings.require(id)).fileState),
    );
    expect(states).toEqual(['MISSING', 'PRESENT', 'PRESENT']);
    expect(readFileSync(path('inbox', 'orphaned', `${orphan}.sig`), 'utf8')).toBe('only copy');
    expect(existsSync(path('signals', `${partial}.overview`))).toBe(false);
    expect(readFileSync(path('signals', 'notes.txt'), 'utf8')).toBe('by a person');
  });

  it('that cannot be listed do not hide what the check found in the database', async () => {
    spoilEvents();
    writeFileSync(path('site.db-unchecked'), '');
    const site = await startLarge();
    renameSync(path('signals'), path('elsewhere'));
    writeFileSync(path('signals'), 'a file in its place');
    await site.soundness.check();
    expect(site.soundness.state).toMatchObject({ state: 'damaged', problems: [expect.stringMatching(/event/)] });
    rmSync(path('signals'));
    renameSync(path('elsewhere'), path('signals'));
  });

  it('of the last changes, and of unfinished imports, are settled before it', async () => {
    const folder = await openSite(test.dir);
    const place = { studyId: test.studyId, subjectId: test.subjectIds[0]! };
    const lost = await addTestRecording(folder.store, folder.signalsDir, place, { startUs: 3600e6 });
    const claimed = newId();
    const job = await folder.store.jobs.add(
      { kind: 'import', payload: { ...place, paths: ['inbox/x/a.edf'], options: {}, ownsFiles: false } },
      SYSTEM,
    );
    await folder.store.jobs.setCheckpoint(job.id, { recordingIds: [claimed] });
    await folder.close();
    renameSync(path('signals', `${lost.id}.sig`), path('moved.sig'));
    writeFileSync(path('signals', `${claimed}.sig`), 'will be made again');
    appendFileSync(path('signals', `${claimed}.overview`), 'x');
    const again = await openSite(test.dir, { smallBytes: 0 });
    expect(again.reconciled).toMatchObject({ removedSignals: [`${claimed}.sig`], missingRecordings: [lost.id] });
    expect(existsSync(path('signals', `${claimed}.overview`))).toBe(false);
    await again.close();
  });
});
