import { expect, test } from 'vitest';
import { type ErrorCodeName, OutpostError } from '../../src-server/errors.ts';
import type { RecentSiteState } from '../recent-sites.ts';
import { failurePage } from './failure-page.ts';
import { preparingPage } from './preparing-page.ts';
import { setUpPage } from './set-up-page.ts';
import { sitesPage } from './sites-page.ts';
import { canOpen, siteStateText } from './sites-words.ts';
import { testingPage, updatesPage } from './updates-page.ts';
import { failureWords } from './words.ts';

const html = (address: string) => decodeURIComponent(address.slice(address.indexOf(',') + 1));

const startFailures: ErrorCodeName[] = [
  'SITE_LOCKED',
  'SITE_CORRUPT',
  'SITE_READ_ONLY',
  'SITE_NEWER',
  'SITE_MIGRATION_FAILED',
  'SITE_MISSING',
  'PORT_TAKEN',
  'DISK_FULL',
];

test('has a distinct text and a way out for every start failure, in both languages', () => {
  for (const language of ['en', 'ja'] as const) {
    const other = failureWords({ code: 'INTERNAL' }, language);
    const titles = startFailures.map((code) => failureWords({ code }, language));
    expect(new Set([...titles, other].map(({ title }) => title)).size).toBe(startFailures.length + 1);
    for (const { actions } of titles) expect(actions).toContain('quit');
  }
});

const updates = { title: '<i>Updates', sentences: [], facts: [], buttons: [], isBusy: false };

test('escapes foreign text', () => {
  const page = html(failurePage(new OutpostError('INTERNAL', '<img src=x onerror=alert(1)>'), '/data/"><b>site', 'en'));
  expect(page).not.toContain('<img');
  expect(page).not.toContain('<b>');
  expect(page).toContain('&#60;img');
  const line = { dir: '/data/"><b>site', name: '<i>Clinic', status: '<u>Ready', isOpen: false, canOpen: true };
  expect(html(sitesPage([line], 'en'))).not.toMatch(/<[biu]>/);
  expect(html(updatesPage(updates, 'en'))).not.toMatch(/<i>/);
});

test('allows exactly the script of the page in its policy', async () => {
  for (const address of [
    setUpPage('/data/site', 'ja'),
    failurePage(new OutpostError('DISK_FULL', 'Full.'), '/data', 'en'),
    preparingPage('ja'),
    sitesPage([], 'en'),
    updatesPage(updates, 'ja'),
    testingPage('en'),
  ]) {
    const page = html(address);
    const script = page.slice(page.indexOf('<script>') + 8, page.indexOf('</script>'));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
    expect(page).toContain(`script-src 'sha256-${Buffer.from(digest).toString('base64')}'`);
  }
});

test('describes the state of each recent site in both languages, and opens what has a page of its own', () => {
  const owner = { pid: 7, host: 'ward-3', sinceTs: 0 };
  const states: RecentSiteState[] = [
    { state: 'open' },
    { state: 'checking' },
    { state: 'ready' },
    { state: 'newer' },
    { state: 'damaged' },
    { state: 'read-only' },
    { state: 'no-folder' },
    { state: 'no-site' },
    { state: 'no-answer' },
    { state: 'in-use', isHere: false },
    { state: 'in-use', isHere: true, owner },
    { state: 'in-use', isHere: false, owner },
  ];
  for (const language of ['en', 'ja'] as const) {
    expect(new Set(states.map((state) => siteStateText(state, language))).size).toBe(states.length);
  }
  expect(states.map(canOpen)).toEqual([...Array(6).fill(true), ...Array(6).fill(false)]);
});
