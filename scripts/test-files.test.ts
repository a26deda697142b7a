import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SHARED = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && !/\.(site|mocked)\.test\.tsx?$/.test(path));

// Such a test would pass or fail with the order in which the files of a process run.
it('replaces modules only in files that run with modules of their own', () => {
  expect(SHARED.length).toBeGreaterThan(50);
  const replacing = SHARED.filter((path) => /\bvi\.(mock|doMock)\(/.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(replacing).toEqual([]);
});
