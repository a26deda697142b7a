import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../src-server/durations.ts';
import type { RunningSite } from '../src-server/site/server.ts';
import { DeskSession } from './desk-session.ts';
import { SettingsFile } from './settings.ts';

const { listeners, system } = vi.hoisted(() => ({
  listeners: new Map<string, Set<() => void>>(),
  system: { idle: 'active' },
}));
vi.mock('electron', () => ({
  powerMonitor: {
    on: (event: string, listener: () => void) =>
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    getSystemIdleState: () => system.idle,
  },
  safeStorage: {
    getSelectedStorageBackend: () => 'basic_text',
    isAsyncEncryptionAvailable: async () => false,
  },
}));

const AFTER_MS = 15 * MINUTE_MS;
const session = (accessToken: string) => ({
  accessToken,
  expiration: Date.now() + DAY_MS,
  user: { id: 'ann', accountId: 'clinic', firstName: 'Ann' },
});

let folder: string;
let valid: Set<string>;
let desk: DeskSession;

const happens = (event: 'lock-screen' | 'suspend') => {
  for (const listener of listeners.get(event) ?? []) listener();
};
/** Signs in as a page does. `meanwhile` happens after the site has answered and before the page has passed it on. */
const signIn = async (token: string, meanwhile: () => void = () => undefined): Promise<boolean> => {
  const before = await desk.calls.lockRequests();
  valid.add(token);
  meanwhile();
  return await desk.calls.keepSession(session(token), false, before);
};
const isLocked = async (): Promise<boolean> => {
  vi.useFakeTimers();
  const due = desk.calls.nextLock(AFTER_MS);
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  vi.useRealTimers();
  return await due;
};

beforeEach(() => {
  listeners.clear();
  system.idle = 'active';
  valid = new Set();
  folder = mkdtempSync(join(tmpdir(), 'outpost-idle-lock-'));
  const tokens = {
    authenticate: async (_userId: string, token: string) => (valid.has(token) ? {} : undefined),
    shorten: async () => undefined,
    revoke: async (_userId: string, token: string) => void valid.delete(token),
  };
  const site = { url: 'http://127.0.0.1', folder: { site: { id: 'site-1' }, store: { tokens } } };
  desk = new DeskSession(new SettingsFile(join(folder, 'desktop.json')), () => site as unknown as RunningSite);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a sign-in unlocks a desk that was locked before it began', async () => {
  expect(await signIn('first')).toBe(true);
  expect(await isLocked()).toBe(false);
  happens('lock-screen');
  expect(valid.has('first')).toBe(false);
  expect(await isLocked()).toBe(true);
  expect(await signIn('second')).toBe(true);
  expect(await isLocked()).toBe(false);
  expect(desk.signedIn?.accessToken).toBe('second');
});

it.each(['lock-screen', 'suspend'] as const)(
  'a %s between the answer to a sign-in and its note keeps the desk locked and ends the session',
  async (event) => {
    await signIn('first');
    expect(await isLocked()).toBe(false);
    happens('lock-screen');
    expect(await signIn('second', () => happens(event))).toBe(false);
    // The page asks as soon as the site refuses its token.
    expect(await desk.calls.isLocked()).toBe(true);
    expect(valid.has('second')).toBe(false);
    expect(await desk.calls.session()).toBeNull();
    expect(await isLocked()).toBe(true);
    expect(await signIn('third')).toBe(true);
    expect(await desk.calls.isLocked()).toBe(false);
    expect(await isLocked()).toBe(false);
  },
);

it('an idle computer locks again during a sign-in', async () => {
  await signIn('first');
  expect(await isLocked()).toBe(false);
  const isKept = await signIn('second', () => {
    system.idle = 'idle';
    desk.update();
    system.idle = 'active';
  });
  expect(isKept).toBe(false);
  expect(await isLocked()).toBe(true);
});

it('a lock before the first page knows the rule of the site falls when it does', async () => {
  expect(await signIn('first', () => happens('lock-screen'))).toBe(true);
  expect(await isLocked()).toBe(true);
  expect(valid.has('first')).toBe(false);
});

it('a lock before the sign-in began is not made up for', async () => {
  happens('lock-screen');
  expect(await signIn('first')).toBe(true);
  expect(await isLocked()).toBe(false);
});

it('a site without a lock keeps the session', async () => {
  const waits = desk.calls.nextLock(null);
  expect(await signIn('first', () => happens('suspend'))).toBe(true);
  const due = desk.calls.nextLock(null);
  expect(await waits).toBe(false);
  happens('lock-screen');
  expect(valid.has('first')).toBe(true);
  desk.calls.nextLock(null);
  expect(await due).toBe(false);
});

it('a change of the user does not unlock the desk', async () => {
  await signIn('first');
  expect(await isLocked()).toBe(false);
  expect(await desk.calls.keepSession({ ...session('first'), expiration: Date.now() + DAY_MS })).toBe(true);
  happens('lock-screen');
  expect(await desk.calls.keepSession(session('first'))).toBe(false);
  expect(await isLocked()).toBe(true);
  expect(await desk.calls.session()).toBeNull();
});
