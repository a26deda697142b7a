/** A site opened through a symbolic link or after its folder was renamed, with acknowledged imports pending. */
import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import {
  allJobsEnd,
  jobEnd,
  makeTestSite,
  type ServerProcess,
  signIn,
  startServerProcess,
  type TestSite,
  upload,
} from '../testing/test-site.ts';
import { openSite } from './folder.ts';

const FILES = 3;

let parent: string;
let site: TestSite;
let server: ServerProcess | undefined;
beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'outpost-moved-'));
  site = await makeTestSite();
});
afterEach(async () => {
  await server?.kill();
  await site.remove();
  rmSync(parent, { recursive: true, force: true });
});

async function recordingFile(seed: number): Promise<string> {
  const startMs = Date.UTC(2024, 4, 14 + seed, 14);
  const options = { seed, timeZone: 'UTC', startMs, stopMs: startMs + 600_000, dailyCharging: false };
  return (await writeSimulatedRecording(parent, simulateSubject(options).recordings[0]!)).path;
}

/** Uploads recordings and kills the server before it has imported them. Returns the number of pending imports. */
async function leaveImportsWaiting(): Promise<number> {
  const files: string[] = [];
  for (let seed = 1; seed <= FILES; seed++) files.push(await recordingFile(seed));
  server = await startServerProcess(site.dir);
  const client = await signIn(server.url);
  const params = { studyId: site.studyId, subjectId: site.subjectIds[0]! };
  for (const file of files) await upload(client, params, [file], { location: 'MEDIAL_CHEST' });
  await server.kill();
  server = undefined;
  return withDatabase((database) =>
    Number(
      database
        .prepare("SELECT count(*) FROM job WHERE kind = 'import' AND state IN ('queued', 'running')")
        .pluck()
        .get(),
    ),
  );
}

function withDatabase<T>(work: (database: Database.Database) => T): T {
  const database = new Database(join(site.dir, 'site.db'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Serves the site under a path until no import is pending. Returns the final state of each import. */
async function importsUnder(dir: string): Promise<string[]> {
  server = await startServerProcess(dir);
  const client = await signIn(server.url);
  await allJobsEnd(client);
  const { items } = await client.call('listJobs', {});
  await server.stop();
  server = undefined;
  return items.filter(({ kind }) => kind === 'import').map(({ state }) => state);
}

describe('acknowledged imports', () => {
  it('complete when the site is opened through a symbolic link', async () => {
    expect(await leaveImportsWaiting()).toBeGreaterThan(0);
    const link = join(parent, 'link');
    symlinkSync(site.dir, link, 'junction');
    expect(await importsUnder(link)).toEqual(Array(FILES).fill('done'));
  });

  it('complete after the folder was renamed, including those that an older version stored with the old path', async () => {
    expect(await leaveImportsWaiting()).toBeGreaterThan(0);
    withDatabase((database) =>
      database
        .prepare(
          "UPDATE job SET payload = replace(payload, '\"inbox/', ?) WHERE kind = 'import' AND id IN (SELECT max(id) FROM job)",
        )
        .run(`"${site.dir}/inbox/`),
    );
    const renamed = join(parent, 'renamed');
    renameSync(site.dir, renamed);
    expect(await importsUnder(renamed)).toEqual(Array(FILES).fill('done'));
  });
});

describe('a site under two paths', () => {
  it('can still be opened only once', async () => {
    const link = join(parent, 'link');
    symlinkSync(site.dir, link, 'junction');
    const folder = await openSite(site.dir);
    await expect(openSite(link)).rejects.toMatchObject({ code: 'SITE_LOCKED' });
    await folder.close();
    server = await startServerProcess(link);
    await expect(openSite(site.dir)).rejects.toMatchObject({ code: 'SITE_LOCKED' });
  });

  it('makes a backup that was requested before the folder was renamed', async () => {
    server = await startServerProcess(site.dir);
    let client = await signIn(server.url);
    const asked = await client.call('createBackup', { body: {} });
    await server.kill();
    withDatabase((database) => database.prepare("UPDATE job SET state = 'queued' WHERE id = ?").run(asked.id));
    const renamed = join(parent, 'renamed');
    renameSync(site.dir, renamed);
    server = await startServerProcess(renamed);
    client = await signIn(server.url);
    expect(await jobEnd(client, asked.id)).toMatchObject({
      state: 'done',
      result: { directory: join(renamed, 'backups') },
    });
  });
});
