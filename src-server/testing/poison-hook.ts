/**
 * Loaded with `--import` into an analytics process: opening the file whose path contains POISON_FILE ends or blocks the process in the
 * way of POISON: `loop`, `memory` (the heap of V8 overflows), `abort`, or `throw` (an error outside of the call).
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const file = process.env.POISON_FILE ?? '';
const { openSync } = fs;

const WAYS: Record<string, () => void> = {
  loop: () => {
    for (let turns = 0; ; turns++) if (turns < 0) return;
  },
  memory: () => {
    for (const held: unknown[] = []; ; ) held.push(Array.from({ length: 100_000 }, (_, i) => ({ i })));
  },
  abort: () => process.abort(),
  throw: () =>
    void setImmediate(() => {
      throw new Error(`${process.env.POISON_MARK ?? ''} in ${file}`);
    }),
};

fs.openSync = (path, ...others) => {
  if (file !== '' && String(path).includes(file)) WAYS[process.env.POISON ?? '']?.();
  return openSync(path, ...others);
};
syncBuiltinESMExports();
