import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressAssets } from '../../../scripts/compress-assets.ts';
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

/** Fetches the bytes as they are on the wire: `fetch` would decode them. */
function onWire(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = httpRequest(api.url + path, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.once('error', reject).end();
  });
}

describe('compressed variants of the desk', () => {
  const SCRIPT = `${'export const value = 1;\n'.repeat(400)}`;
  const PAGE = `<!doctype html><title>Outpost</title>${'<meta name="a" content="b">'.repeat(40)}`;
  const path = '/assets/large-3c4d.js';
  beforeAll(async () => {
    await writeFile(join(dir, path), SCRIPT);
    await writeFile(join(dir, 'index.html'), PAGE);
    await compressAssets(dir);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
  ])('answers Accept-Encoding %s with %s', async (accepted, coding) => {
    for (const [address, text, type] of [
      [path, SCRIPT, /javascript/],
      ['/studies/abc', PAGE, /html/],
      ['/index.html', PAGE, /html/],
    ] as const) {
      const { status, headers, body } = await onWire(address, { 'accept-encoding': accepted });
      expect(status).toBe(200);
      expect(headers).toMatchObject({ vary: expect.stringContaining('Accept-Encoding') as unknown });
      expect(headers['content-encoding']).toBe(coding);
      expect(headers['content-type']).toMatch(type);
      expect(Number(headers['content-length'])).toBe(body.length);
      const decoded = coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body;
      expect(decoded.toString()).toBe(text);
      if (coding) expect(body.length).toBeLessThan(text.length / 4);
    }
    expect((await onWire(path, { 'accept-encoding': accepted })).headers['cache-control']).toContain('immutable');
  });

  it('revalidates the page by its content, not by its file time', async () => {
    const page = join(dir, 'index.html');
    const { mtime } = await stat(page);
    const first = await onWire('/', { 'accept-encoding': 'identity' });
    const etag = first.headers.etag as string;
    expect((await onWire('/', { 'if-none-match': etag })).status).toBe(304);
    const br = await onWire('/', { 'accept-encoding': 'br' });
    expect(br.headers.etag).not.toBe(etag);
    await writeFile(page, PAGE.replace('Outpost', 'Outpust'));
    await utimes(page, mtime, mtime);
    const changed = await onWire('/', { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.body.toString()).toContain('Outpust');
  });

  it('never sends a variant that is older than its file', async () => {
    const page = join(dir, 'index.html');
    await writeFile(page, PAGE.replace('Outpost', 'Newer one'));
    const later = new Date(Date.now() + 60_000);
    await utimes(page, later, later);
    const { headers, body } = await onWire('/', { 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toContain('Newer one');
  });

  it('leaves small files and files that do not shrink alone', async () => {
    await expect(readFile(join(dir, 'assets', 'app-1a2b.js.br'))).rejects.toThrow('ENOENT');
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
