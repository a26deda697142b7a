import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from '../../api/contract/client.ts';
import { startSite } from '../server.ts';
import { isNewFolder, offerSetUp } from './set-up.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-set-up-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const newSite = {
  account: 'Harbour Clinic',
  timeZone: 'Europe/Berlin',
  firstName: 'Robin',
  lastName: 'Marsh',
  email: 'admin@harbour.example',
  password: 'a long enough one',
};
const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });

async function signedIn(siteUrl: string): Promise<unknown> {
  const { email, password } = newSite;
  return (await createClient({ baseUrl: siteUrl }).call('login', { body: { email, password } })).user;
}

/** Uses `request`, because fetch does not allow a custom Host header. */
const statusWithHost = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

it('creates the site only at its one-time address, keeps the values entered, and releases the port to the site', async () => {
  const dir = join(folder, 'site');
  const ready = Promise.withResolvers<string>();
  const creation = offerSetUp({ dir, port: 0, onReady: ready.resolve });
  const url = await ready.promise;
  const page = await fetch(url, { headers: { 'accept-language': 'ja' } });
  expect(await page.text()).toContain('施設データを作成');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");

  for (const wrong of [new URL('/', url).href, new URL('/set-up/', url).href, `${url}0`, `${url.slice(0, -1)}x`]) {
    expect((await post(wrong, newSite)).status).toBe(404);
  }
  expect(await statusWithHost(url, 'evil.example')).toBe(403);
  expect((await post(url, newSite, { origin: 'http://evil.example' })).status).toBe(403);
  expect(existsSync(dir)).toBe(false);

  const refused = await post(url, { ...newSite, timeZone: 'Europe/Nowhere', account: '<b>Clinic' });
  expect(refused.status).toBe(400);
  const html = await refused.text();
  expect(html).toContain('Unknown time zone.');
  expect(html).toContain('value="&#60;b&#62;Clinic"');
  expect(html).not.toContain(newSite.password);
  expect(existsSync(dir)).toBe(false);

  expect(html).toContain('<option value="Asia/Tokyo">Tokyo, Yokohama, Osaka, Nagoya (Japan)</option>');

  // A city names its zone.
  expect((await post(url, { ...newSite, timeZone: 'hamburg ' })).status).toBe(201);
  const { port } = await creation;
  expect(port).toBe(Number(new URL(url).port));
  await expect(fetch(url)).rejects.toThrow();
  const site = await startSite({ dir, port });
  try {
    expect(await signedIn(site.url)).toMatchObject({ firstName: 'Robin', timezone: 'Europe/Berlin' });
  } finally {
    await site.close();
  }
});

it('is offered only for an empty or missing folder, and ends when it is cancelled', async () => {
  expect(await isNewFolder(join(folder, 'missing'))).toBe(true);
  expect(await isNewFolder(folder)).toBe(true);
  const stop = new AbortController();
  const creation = offerSetUp({ dir: folder, port: 0, onReady: () => stop.abort(), signal: stop.signal });
  await expect(creation).rejects.toMatchObject({ code: 'CANCELLED' });
  await writeFile(join(folder, 'notes.txt'), 'mine');
  expect(await isNewFolder(folder)).toBe(false);
});

it('uses the chosen language, marks invalid fields, and creates one site on a double submission', async () => {
  const dir = join(folder, 'site');
  const ready = Promise.withResolvers<string>();
  const creation = offerSetUp({ dir, port: 0, onReady: ready.resolve });
  const url = await ready.promise;
  const switched = await post(url, { ...newSite, shown: 'en', language: 'ja' });
  const inJapanese = await switched.text();
  expect(switched.status).toBe(200);
  expect(inJapanese).toContain('<html lang="ja">');
  expect(inJapanese).toContain('value="Harbour Clinic"');
  expect(inJapanese).not.toContain(newSite.password);
  expect(existsSync(dir)).toBe(false);

  const refused = await (await post(url, { ...newSite, shown: 'ja', password: 'short', lastName: ' ' })).text();
  expect(refused).toContain('パスワードは8〜64文字です。');
  expect(refused).toContain('姓を100文字以内で入力してください。');
  expect(refused.match(/<input[^>]*aria-invalid="true"/g)).toHaveLength(2);
  expect(existsSync(dir)).toBe(false);

  const answers = await Promise.all([1, 2].map(() => post(url, { ...newSite, shown: 'ja' })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  await creation;
  const site = await startSite({ dir, port: 0 });
  try {
    expect(await signedIn(site.url)).toMatchObject({ lastName: 'Marsh', locale: 'ja_jp' });
  } finally {
    await site.close();
  }
});

it('continues when the page is closed before the site has been created', async () => {
  const dir = join(folder, 'site');
  const ready = Promise.withResolvers<string>();
  const creation = offerSetUp({ dir, port: 0, onReady: ready.resolve });
  const url = await ready.promise;
  const sent = request(url, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  sent.on('error', () => undefined);
  sent.end(new URLSearchParams(newSite).toString(), () => setImmediate(() => sent.destroy()));
  await creation;
  expect(existsSync(join(dir, 'site.json'))).toBe(true);
});
