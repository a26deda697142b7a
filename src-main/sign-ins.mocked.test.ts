import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAY_MS } from '../src-server/durations.ts';
import { readSettings, SettingsFile } from './settings.ts';
import { SignIns, type SiteTokens, STAY_DAYS, stayOffer } from './sign-ins.ts';

/** A system that encrypts with a key of this computer, here a text in front. */
const { system } = vi.hoisted(() => ({
  system: { key: 'v11a', backend: 'kwallet6', isAvailable: true, isAsked: async () => {} },
}));
vi.mock('electron', () => ({
  safeStorage: {
    getSelectedStorageBackend: () => system.backend,
    isAsyncEncryptionAvailable: async () => {
      await system.isAsked();
      return system.isAvailable;
    },
    encryptStringAsync: async (text: string) => Buffer.from(`${system.key}${Buffer.from(text).toString('hex')}`),
    decryptStringAsync: async (sealed: Buffer) => {
      const text = sealed.toString();
      if (!text.startsWith(system.key)) throw new Error('Error while decrypting the ciphertext.');
      return { result: Buffer.from(text.slice(system.key.length), 'hex').toString(), shouldReEncrypt: false };
    },
  },
}));

const nowMs = Date.UTC(2026, 0, 5);
const session = (accessToken = 'token-of-ann', id = 'ann') => ({
  accessToken,
  expiration: nowMs + 14 * DAY_MS,
  user: { id, accountId: 'clinic' },
});

let folder: string;
let path: string;
let clockMs: number;
let valid: Set<string>;
/** When the site ends tokens that were shortened. */
let ends: Map<string, number>;

const site = (id = 'site-1'): SiteTokens => ({
  id,
  authenticate: async (_userId, token) => (valid.has(token) ? {} : undefined),
  shorten: async (_userId, token, untilMs) => void ends.set(token, untilMs),
  revoke: async (_userId, token) => void valid.delete(token),
});
/** The program after a start, on a computer of this name. */
const started = (computer = 'desk-3') => new SignIns(new SettingsFile(path), () => clockMs, computer);
const stored = () => readSettings(path).signIns ?? [];

beforeEach(() => {
  Object.assign(system, { key: 'v11a', backend: 'kwallet6', isAvailable: true, isAsked: async () => {} });
  folder = mkdtempSync(join(tmpdir(), 'outpost-sign-ins-'));
  path = join(folder, 'desktop.json');
  clockMs = nowMs;
  ends = new Map();
  valid = new Set(['token-of-ann', 'token-of-ben', 'another-token']);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps a session while the program runs, and beyond only when its person wants it', async () => {
  const program = started();
  await program.keep(site(), session(), false);
  expect(await program.current(site())).toEqual(session());
  expect(await started().current(site())).toBeNull();

  await program.keep(site(), session(), true);
  expect(readFileSync(path, 'utf8')).not.toContain('token-of-ann');
  expect(await started().current(site())).toEqual(session());
  expect(await started().current(site('site-2'))).toBeNull();
});

it('ends after seven days, however long the site would accept the token, and also when the clock was ahead', async () => {
  const program = started();
  await program.keep(site(), session(), true);
  // The site refuses it too, wherever the token has got to by then.
  expect(ends).toEqual(new Map([['token-of-ann', nowMs + STAY_DAYS * DAY_MS]]));
  clockMs = nowMs + STAY_DAYS * DAY_MS - 1000;
  expect(program.isTimeOver('site-1')).toBe(false);
  expect(await started().current(site())).toEqual(session());
  clockMs = nowMs + STAY_DAYS * DAY_MS;
  expect(program.isTimeOver('site-1')).toBe(true);
  expect(await started().current(site())).toBeNull();
  expect(stored()).toEqual([]);

  await program.keep(site(), session(), true);
  clockMs = nowMs - 30 * DAY_MS;
  expect(await started().current(site())).toBeNull();
});

it('signing out removes what was stored', async () => {
  const program = started();
  await program.keep(site(), session(), true);
  await program.end(site());
  expect(valid.has('token-of-ann')).toBe(false);
  expect(stored()).toEqual([]);
  expect(await program.current(site())).toBeNull();
});

it('deletes what was stored when the site no longer accepts the token', async () => {
  await started().keep(site(), session(), true);
  valid.delete('token-of-ann');
  expect(await started().current(site())).toBeNull();
  expect(stored()).toEqual([]);
});

it.each([
  ['the key is of another computer', () => Object.assign(system, { key: 'v11b' }), 'desk-3'],
  ['the computer has another name', () => undefined, 'desk-4'],
  ['the system no longer encrypts', () => Object.assign(system, { isAvailable: false }), 'desk-3'],
  ['the keyring is gone', () => Object.assign(system, { backend: 'basic_text' }), 'desk-3'],
])('a copied folder is of no use where %s', async (_case, change, computer) => {
  await started().keep(site(), session(), true);
  change();
  expect(await started(computer).current(site())).toBeNull();
  expect(stored()).toEqual([]);
});

it('what was stored for one site is not taken for another', async () => {
  await started().keep(site(), session(), true);
  const settings = new SettingsFile(path);
  await settings.change({ signIns: settings.current.signIns?.map((one) => ({ ...one, siteId: 'site-2' })) });
  expect(await started().current(site('site-2'))).toBeNull();
});

it('a lock revokes the token; the password of the same person renews what was stored, that of another does not', async () => {
  const program = started();
  await program.keep(site(), session(), true);
  await program.lock(site());
  expect(valid.has('token-of-ann')).toBe(false);
  expect(stored()).toEqual([]);
  expect(await program.current(site())).toBeNull();
  await program.keep(site(), session('another-token'));
  expect(await started().current(site())).toEqual(session('another-token'));

  await program.lock(site());
  await program.keep(site(), session('token-of-ben', 'ben'));
  expect(await program.current(site())).toEqual(session('token-of-ben', 'ben'));
  expect(await started().current(site())).toBeNull();
});

it('a lock forgets what is stored for every site, and what was about to be stored or shown', async () => {
  await started().keep(site('site-2'), session('another-token'), true);
  const program = started();
  await program.keep(site(), session(), true);
  expect(stored()).toHaveLength(2);
  await program.lock(null);
  expect(stored()).toEqual([]);
  expect(await program.current(site())).toBeNull();
  expect(await program.current(site('site-2'))).toBeNull();

  // Locked while the system looks for its keyring.
  system.isAsked = () => program.lock(site());
  await program.keep(site(), session(), true);
  expect(program.isSignedIn('site-1')).toBe(false);
  expect(stored()).toEqual([]);

  // Locked while the site looks for the token.
  Object.assign(system, { isAsked: async () => {} });
  valid.add('token-of-ben');
  await program.keep(site(), session('token-of-ben', 'ben'), true);
  const locking: SiteTokens = {
    ...site(),
    authenticate: async () => {
      await program.lock(null);
      return {};
    },
  };
  expect(await program.current(locking)).toBeNull();
  expect(program.isSignedIn('site-1')).toBe(false);
});

it('a change of the user keeps the time that is left', async () => {
  const program = started();
  await program.keep(site(), session(), true);
  clockMs += 3 * DAY_MS;
  await program.keep(site(), { ...session(), user: { id: 'ann', accountId: 'clinic', firstName: 'Anna' } });
  clockMs = nowMs + STAY_DAYS * DAY_MS;
  expect(program.isTimeOver('site-1')).toBe(true);
  expect(await started().current(site())).toBeNull();
});

it('is not offered where Chromium would encrypt with a known password', async () => {
  vi.stubGlobal('process', { ...process, platform: 'linux' });
  expect(await stayOffer()).toEqual({ isOffered: true, days: STAY_DAYS });
  system.backend = 'basic_text';
  expect(await stayOffer()).toEqual({ isOffered: false, reason: 'no-keyring' });
  await started().keep(site(), session(), true);
  expect(await started().current(site())).toBeNull();
  // The desktop has a keyring by its name, but none runs: what is encrypted tells.
  Object.assign(system, { backend: 'gnome_libsecret', key: 'v10a' });
  expect(await stayOffer()).toEqual({ isOffered: false, reason: 'no-keyring' });
  await started().keep(site(), session(), true);
  expect(stored()).toEqual([]);
  vi.stubGlobal('process', { ...process, platform: 'win32' });
  expect(await stayOffer()).toEqual({ isOffered: true, days: STAY_DAYS });
  system.isAvailable = false;
  expect(await stayOffer()).toEqual({ isOffered: false, reason: 'unavailable' });
  vi.unstubAllGlobals();
});
