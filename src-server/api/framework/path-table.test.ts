import express, { type RequestHandler, Router } from 'express';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';
import { PathTable, parameterNames } from './path-table.ts';

function tableOf(paths: readonly string[]): PathTable<string> {
  const table = new PathTable<string>();
  for (const path of paths) table.getOrAdd(path, () => path);
  return table;
}

const matchOf = (paths: readonly string[], path: string) => {
  const found = tableOf(paths).find(path);
  return found && [found.value, ...found.segments];
};

describe('PathTable', () => {
  it('prefers a literal segment, and takes the parameter where the rest does not fit', () => {
    const paths = ['/users/{userId}', '/users/logout', '/users/{userId}/roles', '/users/logout/{what}/now'];
    expect(matchOf(paths, '/users/logout')).toEqual(['/users/logout']);
    expect(matchOf(paths, '/users/ada')).toEqual(['/users/{userId}', 'ada']);
    expect(matchOf(paths, '/users/logout/roles')).toEqual(['/users/{userId}/roles', 'logout']);
    expect(matchOf(paths, '/users/logout/roles/later')).toBeUndefined();
    expect(matchOf(paths, '/users')).toBeUndefined();
  });

  it('ignores the case of literals and one slash at the end, and takes no empty segment', () => {
    const paths = ['/site/{name}'];
    expect(matchOf(paths, '/SITE/Name/')).toEqual(['/site/{name}', 'Name']);
    for (const path of ['/site/', '/site//', '/site/a//', '//site/a', '', '/'])
      expect(matchOf(paths, path)).toBeUndefined();
  });

  it('holds one value for paths that differ in names only', () => {
    const table = tableOf(['/studies/{studyId}']);
    expect(table.getOrAdd('/studies/{id}', () => 'other')).toBe('/studies/{studyId}');
    expect(parameterNames('/studies/{studyId}/recordings/{recordingId}')).toEqual(['studyId', 'recordingId']);
  });
});

describe('PathTable beside the router of express', () => {
  const paths = [...new Set(Object.values<RouteContract>(routes).map(({ path }) => path))];
  const segment = fc.constantFrom(
    ...new Set(paths.flatMap((path) => path.split('/')).filter((text) => text !== '' && !text.startsWith('{'))),
    'x',
    'A%20b',
    '',
    'STUDIES',
  );
  /** Paths of the contract with other words at their parameters, whole or cut, and paths of any words. */
  const path = fc.oneof(
    fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join('/')}`),
    fc
      .tuple(fc.constantFrom(...paths), fc.infiniteStream(segment), fc.constantFrom('', '/', '//', '/x'))
      .map(([one, words, end]) => one.replace(/\{\w+\}/g, () => words.next().value) + end),
  );
  const bySpecificity = (one: string) => one.replace(/\{\w+\}/g, '~');

  it('finds the same route with the same parameters', () => {
    const router = Router();
    const answer: RequestHandler = (request, response) => {
      response.locals.found = [request.route.path.replace(/:(\w+)/g, '{$1}'), ...Object.values(request.params)];
    };
    const sorted = paths.toSorted((a, b) => (bySpecificity(a) < bySpecificity(b) ? -1 : 1));
    for (const one of sorted) router.get(one.replace(/\{(\w+)\}/g, ':$1'), answer);
    const table = tableOf(paths);
    fc.assert(
      fc.property(path, (url) => {
        const response = { locals: { found: undefined as unknown } };
        const request = Object.assign(Object.create(express.request), { method: 'GET', url });
        router(request, response as never, () => undefined);
        const found = table.find(url);
        const segments = found?.segments.map(decodeURIComponent);
        expect(found && [found.value, ...segments!]).toEqual(response.locals.found);
      }),
      { numRuns: 2000 },
    );
  });
});
