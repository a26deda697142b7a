/**
 * A newer version of the app arrives while a survey is half answered: the real service worker, and the built app as two versions behind one
 * address on loopback, which a browser trusts without a certificate.
 */
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { test } from '../support/lan-site.ts';

const BUILT = fileURLToPath(new URL('../../out/phone/', import.meta.url));
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

test.use({
  viewport: { width: 360, height: 780 },
  hasTouch: true,
  isMobile: true,
  locale: 'en-US',
  siteName: 'phone-update',
});

interface Versions {
  url: string;
  /** Name of the script that differs, in both versions. */
  scripts: readonly [old: string, fresh: string];
  deploy(): void;
  close(): Promise<void>;
}

/** Serves the app from a folder that can be exchanged; everything else comes from the site. */
async function serveVersions(siteUrl: string): Promise<Versions> {
  const fresh = await mkdtemp(join(tmpdir(), 'outpost-phone-next-'));
  await cp(BUILT, fresh, { recursive: true });
  const old = (await readdir(join(fresh, 'assets'))).find((name) => /^index-.*\.js$/.test(name)) ?? '';
  const next = 'index-NEXT0001.js';
  await rename(join(fresh, 'assets', old), join(fresh, 'assets', next));
  const change = async (name: string, edit: (text: string) => string) =>
    await writeFile(join(fresh, name), edit(await readFile(join(fresh, name), 'utf8')));
  await change('index.html', (page) => page.replace(old, next).replace('<html', '<html data-version="next"'));
  await change('sw.js', (worker) =>
    worker
      .replace(old, next)
      .replace(/("?revision"?:\s*)(["'`])[0-9a-f]{32}\2(,"?url"?:\s*["'`]\/phone\/["'`])/, '$1$2next$2$3'),
  );
  expect(await readFile(join(fresh, 'sw.js'), 'utf8')).toMatch(/revision"?:\s*["'`]next/);

  let folder = BUILT;
  const server = createServer((incoming, answer) => {
    const path = new URL(incoming.url ?? '/', 'http://phone').pathname;
    if (path.startsWith('/phone/')) {
      const name = path === '/phone/' ? 'index.html' : path.slice('/phone/'.length);
      readFile(join(folder, name)).then(
        (content) =>
          answer
            .writeHead(200, { 'content-type': TYPES[extname(name)] ?? '', 'cache-control': 'no-cache' })
            .end(content),
        () => answer.writeHead(404).end(),
      );
      return;
    }
    const { origin: _origin, host: _host, ...headers } = incoming.headers;
    const forwarded = request(new URL(incoming.url ?? '/', siteUrl), { method: incoming.method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      from.pipe(answer);
    });
    forwarded.on('error', () => answer.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    scripts: [old, next],
    deploy: () => {
      folder = fresh;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(fresh, { recursive: true, force: true });
    },
  };
}

const keptFiles = (page: Page) =>
  page.evaluate(async () => {
    const stores = await Promise.all((await caches.keys()).map(async (name) => await (await caches.open(name)).keys()));
    return stores.flat().map(({ url }) => new URL(url).pathname.split('/').at(-1));
  });

const versionOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.version ?? 'first');

test('offers a newer version where nothing is typed, and starts it without losing an answer', async ({
  context,
  page,
  lan,
}) => {
  const { store } = lan.site.folder;
  const { studyId, userId, subjectIds } = lan.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  const questions = [
    { text: 'Did you sleep well?', type: 'BOOLEAN', values: [] },
    { text: 'Anything else?', type: 'FREETEXT', values: [] },
  ];
  const diaries = [{ displayName: 'Diary', mode: 'UNSUPERVISED' as const, pipelineIds: [], questions }];
  const study = await store.studies.putDefinition(studyId, { activities: [], diaries }, change);
  const tasks = [{ taskId: study.diaries[0]!.id, type: 'diary' as const, days: 'daily' as const }];
  await store.studies.putDefinition(studyId, { program: { days: 9, tasks } }, change);
  await store.studies.move(studyId, 'start', change);
  const { token } = await lan.client.call('createSubjectToken', {
    params: { studyId, subjectId: subjectIds[0] ?? '' },
  });
  const versions = await serveVersions(lan.site.url);
  try {
    const [old, next] = versions.scripts;
    const expiry = Math.round(Date.now() / 1000) + 3600;
    await page.goto(`${versions.url}/phone/#1&s=site&n=Harbour&t=${token}&e=${expiry}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, this is right' }).click();
    await page.getByRole('button', { name: 'Begin Diary' }).click();
    await page.getByRole('radio', { name: 'Yes' }).check({ force: true });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('textbox').fill('typed, not kept yet');
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');
    expect(await keptFiles(page)).toContain(old);
    const other = await context.newPage();
    await other.goto(`${versions.url}/phone/#/today`);

    versions.deploy();
    await other.evaluate(async () => await (await navigator.serviceWorker.getRegistration())?.update());
    const offer = other.getByRole('button', { name: /new version|update/i });
    await expect(offer).toBeVisible();
    // In the middle of the survey nothing is offered, and no page changed on its own.
    await expect(page.getByRole('button', { name: /new version|update/i })).toHaveCount(0);
    expect([await versionOf(page), await versionOf(other)]).toEqual(['first', 'first']);

    await offer.click();
    await expect.poll(() => versionOf(other).catch(() => '')).toBe('next');
    await expect(other.getByRole('button', { name: 'Continue Diary' })).toBeVisible();
    // The survey in the first page continues as it was, and ends; then that page is of the new version too.
    await expect(page.getByRole('textbox')).toHaveValue('typed, not kept yet');
    expect(await versionOf(page)).toBe('first');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: /^(Send|Finish)$/ }).click();
    await expect.poll(() => versionOf(page).catch(() => '')).toBe('next');
    const params = { studyId, subjectId: subjectIds[0] ?? '' };
    await expect.poll(async () => (await lan.client.call('listTaskReports', { params })).items.length).toBe(1);
    const kept = await keptFiles(page);
    expect([kept.includes(next), kept.includes(old)]).toEqual([true, false]);
    expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(1);
  } finally {
    await context.close();
    await versions.close();
  }
});
