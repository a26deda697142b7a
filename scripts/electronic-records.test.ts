/** The mapping of Part 11 and Annex 11 names screens, files and tests; an auditor goes to look for them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SCREENS } from '../e2e/support/screens.ts';

const ROOT = join(import.meta.dirname, '..');
const text = readFileSync(join(ROOT, 'resources/electronic-records.md'), 'utf8');
/** A file, and the titles of tests in it. */
const NAMED = /`((?:src-server|src-renderer|e2e|scripts)\/[\w./-]+\.(?:test|spec)\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g;
const named = [...text.matchAll(NAMED)].flatMap(([, file = '', titles = '']) =>
  [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title })),
);

it('names only tests that exist', () => {
  expect(named.length).toBeGreaterThan(30);
  const isThere = ({ file, title }: (typeof named)[number]) => {
    const path = join(ROOT, file);
    return existsSync(path) && readFileSync(path, 'utf8').includes(`('${title}'`);
  };
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

it('names every test file with a title', () => {
  const files = [...text.matchAll(/`((?:src-server|src-renderer|e2e)\/[\w./-]+\.(?:test|spec)\.ts)`/g)];
  expect(files.length).toBe([...text.matchAll(NAMED)].filter(([, file = '']) => !file.startsWith('scripts/')).length);
});

it('names only screens that exist', () => {
  const routes = new Set(SCREENS.map(({ route }) => route));
  const screens = [...text.matchAll(/`(\/[\w$/-]+)`/g)].map(([, route = '']) => route);
  expect(screens.length).toBeGreaterThan(20);
  expect(screens.filter((route) => !routes.has(route))).toEqual([]);
});
