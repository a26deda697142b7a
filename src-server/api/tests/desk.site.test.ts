import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-desk-'));
  await mkdir(join(dir, 'assets'));
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>Outpost</title>');
  await writeFile(join(dir, 'assets', 'app-1a2b.js'), 'export {};');
  api = await startTestApi({ staticDir: dir });
});
afterAll(async () => {
  await api.close();
  await rm(dir, { recursive: true, force: true });
});

const page = (path: string, accept = 'text/html') => fetch(api.url + path, { headers: { accept } });

describe('the desk', () => {
  it.each(['/', '/studies/abc/subjects/def', '/sign-in'])('serves its one page at %s', async (path) => {
    const response = await page(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Outpost</title>');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('upgrade-insecure-requests');
  });

  it('serves assets as immutable and answers 404 for a missing one', async () => {
    const asset = await page('/assets/app-1a2b.js', '*/*');
    expect(asset.headers.get('cache-control')).toContain('immutable');
    const missing = await page('/assets/gone.js', '*/*');
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['/api', '/api/v1', '/v1', '/api/v1/nowhere', '/v1/studies'])('never serves the page at %s', async (path) => {
    const response = await page(path);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.status).toBeGreaterThanOrEqual(400);
  });

  it('serves nothing outside its folder', async () => {
    for (const path of ['/..%2f..%2fetc%2fpasswd', '/assets/..%2f..%2findex.html', '/%2e%2e/secret']) {
      expect(await (await page(path, '*/*')).text()).not.toContain('root:');
    }
  });
});

describe('a desk that is not built yet', () => {
  it('serves a waiting page in the browser language that opens the desk once it is built', async () => {
    const missing = join(dir, 'later');
    const fresh = await startTestApi({ staticDir: missing });
    try {
      const visit = (language: string) =>
        fetch(`${fresh.url}/studies`, { headers: { accept: 'text/html', 'accept-language': language } });
      const waiting = await visit('en');
      expect(waiting.status).toBe(503);
      expect(waiting.headers.get('content-type')).toMatch(/^text\/html/);
      expect(await waiting.text()).toMatch(/http-equiv="refresh"[\s\S]*The desk is not ready yet/);
      expect(await (await visit('ja')).text()).toContain('画面を準備しています');
      const scripted = await fetch(`${fresh.url}/api/v1/status`);
      expect(scripted.status).toBe(200);
      await mkdir(missing);
      await writeFile(join(missing, 'index.html'), '<!doctype html><title>Outpost</title>');
      expect((await visit('en')).status).toBe(200);
    } finally {
      await fresh.close();
    }
  });
});
