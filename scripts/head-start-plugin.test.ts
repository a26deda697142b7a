import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HEAD_START_SCREENS } from '../src-renderer/investigator/head-start/screens.ts';
import { AHEAD_MEMBER } from '../src-renderer/shared/api/ahead.ts';
import { STORAGE_KEYS } from './head-start-plugin.ts';

const source = (path: string) => readFileSync(new URL(`../src-renderer/${path}`, import.meta.url), 'utf8');

it('reads the session and the language where the desk stores them', () => {
  expect(source('shared/api/session.ts')).toContain(`const KEY = '${STORAGE_KEYS.session}';`);
  expect(source('shared/preferences.ts')).toContain(`const KEY = '${STORAGE_KEYS.preferences}';`);
});

it('leaves its requests where the desk looks for them', () => {
  expect(source('shared/api/client.ts')).toContain('page[AHEAD_MEMBER]');
  expect(STORAGE_KEYS.ahead).toBe(AHEAD_MEMBER);
});

it('names modules that the router loads, with texts of the same screen', () => {
  const router = source('investigator/router.tsx');
  for (const { modules } of HEAD_START_SCREENS)
    for (const module of modules) expect(router).toContain(`import('./${module}')`);
});
