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

/** Titles with `${…}` name one test for each value. */
function titlesOf(source: string): RegExp[] {
  const written = source.matchAll(/\b(?:it|test)\(`([^`]+)`/g);
  return [...written].map(([, title = '']) => {
    const words = title.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^()[\]{}|\\]/g, '\\$&'));
    return new RegExp(`^${words.join('[\\w-]+')}$`);
  });
}

it('names only tests that exist', () => {
  expect(named.length).toBeGreaterThan(30);
  const isThere = ({ file, title }: (typeof named)[number]) => {
    const path = join(ROOT, file);
    if (!existsSync(path)) return false;
    const source = readFileSync(path, 'utf8');
    return source.includes(`('${title}'`) || titlesOf(source).some((pattern) => pattern.test(title));
  };
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

it('has a test or a duty of the clinic for every clause that applies', () => {
  const clauses = text.split('\n').filter((line) => /^\| (?!clause|---)/.test(line));
  expect(clauses.length).toBeGreaterThan(35);
  const cellsOf = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const empty = clauses
    .map(cellsOf)
    .filter((cells) => cells.length !== 5 || (!cells[3] && !cells[4] && !isOutside(cells)));
  expect(empty).toEqual([]);
});

/** Of what Outpost neither has nor does, or what is about people only. */
const isOutside = ([clause = '', how = '']: string[]) =>
  /^(not used|none are used|does not apply)$/.test(how) || clause === '2, 3 personnel, suppliers';

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
