/**
 * Loaded with `--import` into a server under test. Counts the steps that durability depends on (fsync, rename, commit) and can
 * kill the process with SIGKILL right before or after one of them. Blocking renames, and fsyncs of descriptors, have counts of their own.
 *
 * KILL_AT `commit:after:12`; COUNT_TO a file that gets the counts of the main thread at exit.
 */
import fs, { writeFileSync } from 'node:fs';
import promises, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { DurableStep } from './kill-rounds.ts';

type Step = DurableStep | 'renameSync' | 'fsync';

const counts: Record<Step, number> = { sync: 0, rename: 0, commit: 0, renameSync: 0, fsync: 0 };
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
const { renameSync, fsync } = fs;
fs.renameSync = (...names) => {
  counts.renameSync++;
  dieIf('renameSync', 'before');
  renameSync(...names);
  dieIf('renameSync', 'after');
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

const handle = await open(import.meta.filename);
const fileHandle = Object.getPrototypeOf(handle) as { sync(): Promise<void>; datasync(): Promise<void> };
await handle.close();
for (const name of ['sync', 'datasync'] as const) {
  const sync = fileHandle[name];
  fileHandle[name] = async function (this: typeof fileHandle) {
    counts.sync++;
    dieIf('sync', 'before');
    await sync.call(this);
    dieIf('sync', 'after');
  };
}

const prepare = Database.prototype.prepare;
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

const countTo = process.env.COUNT_TO;
if (isMainThread && countTo) process.on('exit', () => writeFileSync(countTo, JSON.stringify(counts)));
