import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it.each(MUTANTS)('mutant of "$rule" applies to the source as it is', ({ file, from, tests }) => {
  expect(readFileSync(ROOT + file, 'utf8').split(from)).toHaveLength(2);
  expect(tests.filter((test) => !existsSync(ROOT + test))).toEqual([]);
});
