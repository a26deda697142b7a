/**
 * Loaded with `--import` into a server under test: its clock is ahead of the computer's by the milliseconds in the file
 * CLOCK_FILE, read at the start and again on SIGUSR2, so that it jumps while the server runs.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const RealDate = Date;
const realNow = Date.now;
const file = process.env.CLOCK_FILE;
let aheadMs = 0;

const now = (): number => realNow() + aheadMs;
const read = (): void => {
  if (file) aheadMs = Number(readFileSync(file, 'utf8'));
};

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parameters: [], newTarget: typeof RealDate) =>
    Reflect.construct(target, parameters.length === 0 ? [now()] : parameters, newTarget) as Date,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
});
read();
if (isMainThread) process.on('SIGUSR2', read);
