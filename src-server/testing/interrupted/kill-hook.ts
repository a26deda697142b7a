/**
 * Loaded with `--import` into a program under test. Counts the steps that durability depends on (fsync, rename, commit, and scripts of
 * SQL such as migrations) and can kill the process with SIGKILL right before or after one of them, or within the scripts. Blocking
 * renames and fsyncs, and fsyncs of descriptors, have counts of their own.
 *
 * KILL_AT `commit:after:12`, or `exec:during:350` microseconds after the first script began; COUNT_TO a file that gets the counts of
 * the main thread at exit, with `scriptUs` from the first script to the end of the last. SKIP_SYNC leaves the fsyncs of file handles out
 * that are called from a source whose path contains it, as if somebody had removed them.
 */
import fs, { writeFileSync } from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread, Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';

type Step = 'sync' | 'rename' | 'commit' | 'renameSync' | 'fsync' | 'fsyncSync' | 'exec';

const counts: Record<Step, number> = {
  sync: 0,
  rename: 0,
  commit: 0,
  renameSync: 0,
  fsync: 0,
  fsyncSync: 0,
  exec: 0,
};
const [wantedStep, wantedSide, wantedCount] = (process.env.KILL_AT ?? '').split(':');

function dieIf(step: Step, side: 'before' | 'after'): void {
  if (step !== wantedStep || side !== wantedSide || counts[step] !== Number(wantedCount)) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal reaches the process within microseconds; nothing may happen meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5000);
}

const rename = promises.rename;
promises.rename = async (...names) => {
  counts.rename++;
  dieIf('rename', 'before');
  await rename(...names);
  dieIf('rename', 'after');
};
const { renameSync, fsync, fsyncSync } = fs;
fs.renameSync = (...names) => {
  counts.renameSync++;
  dieIf('renameSync', 'before');
  renameSync(...names);
  dieIf('renameSync', 'after');
};
fs.fsyncSync = (file) => {
  counts.fsyncSync++;
  dieIf('fsyncSync', 'before');
  fsyncSync(file);
  dieIf('fsyncSync', 'after');
};
fs.fsync = Object.assign(
  (file: number, done: fs.NoParamCallback) => {
    counts.fsync++;
    dieIf('fsync', 'before');
    fsync(file, (thrown) => {
      dieIf('fsync', 'after');
      done(thrown);
    });
  },
  { __promisify__: fsync.__promisify__ },
);
syncBuiltinESMExports();

const skipped = process.env.SKIP_SYNC;
const handle = await open(import.meta.filename);
const fileHandle = Object.getPrototypeOf(handle) as { sync(): Promise<void>; datasync(): Promise<void> };
await handle.close();
for (const name of ['sync', 'datasync'] as const) {
  const sync = fileHandle[name];
  fileHandle[name] = async function (this: typeof fileHandle) {
    if (skipped && new Error().stack?.includes(skipped)) return;
    counts.sync++;
    dieIf('sync', 'before');
    await sync.call(this);
    dieIf('sync', 'after');
  };
}

const { prepare, exec } = Database.prototype;
Database.prototype.prepare = function (this: Database.Database, sql: string) {
  const statement = prepare.call(this, sql);
  if (sql !== 'commit') return statement;
  const run = statement.run.bind(statement) as () => Database.RunResult;
  statement.run = () => {
    counts.commit++;
    dieIf('commit', 'before');
    const outcome = run();
    dieIf('commit', 'after');
    return outcome;
  };
  return statement;
} as typeof prepare;

/** Waits in a thread of its own, because a script occupies the main one. */
const KILLER = `const { workerData } = require('node:worker_threads');
Atomics.wait(workerData.started, 0, 0);
const until = process.hrtime.bigint() + BigInt(workerData.us) * 1000n;
while (process.hrtime.bigint() < until);
process.kill(process.pid, 'SIGKILL');`;
const started = new Int32Array(new SharedArrayBuffer(4));
if (isMainThread && wantedStep === 'exec' && wantedSide === 'during') {
  const workerData = { started, us: Math.floor(Number(wantedCount)) };
  const killer = new Worker(KILLER, { eval: true, workerData, execArgv: [] });
  await new Promise((resolve) => killer.once('online', resolve));
  killer.unref();
}
const scripts = { firstMs: 0, lastMs: 0 };
Database.prototype.exec = function (this: Database.Database, sql: string) {
  // The lock of a site is a database too.
  if (!this.name.endsWith('.db')) return exec.call(this, sql);
  counts.exec++;
  dieIf('exec', 'before');
  if (scripts.firstMs === 0) {
    scripts.firstMs = performance.now();
    Atomics.store(started, 0, 1);
    Atomics.notify(started, 0);
  }
  const outcome = exec.call(this, sql);
  scripts.lastMs = performance.now();
  dieIf('exec', 'after');
  return outcome;
};

const countTo = process.env.COUNT_TO;
if (isMainThread && countTo) {
  process.on('exit', () => {
    const scriptUs = Math.round((scripts.lastMs - scripts.firstMs) * 1000);
    writeFileSync(countTo, JSON.stringify({ ...counts, ...(scriptUs > 0 && { scriptUs }) }));
  });
}
