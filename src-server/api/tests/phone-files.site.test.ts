import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createApi } from '../create-api.ts';

let api: TestApi;
let dir: string;
/** The app as the local network sees it. */
let lan: Server;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'outpost-phone-files-'));
  for (const folder of ['assets', 'icons']) await mkdir(join(dir, folder));
  await writeFile(join(dir, 'index.html'), '<!doctype html><title>Phone</title>');
  await writeFile(join(dir, 'sw.js'), '// worker');
  await writeFile(join(dir, 'manifest.webmanifest'), '{"name":"Outpost"}');
  await writeFile(join(dir, 'assets', 'app-1a2b.js'), 'export {};');
  await writeFile(join(dir, 'icons', 'icon-192.png'), 'png');
  api = await startTestApi({ phoneDir: dir, staticDir: dir });
  lan = createServer(createApi(api.deps, 'lan'));
  await new Promise<void>((resolve) => lan.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  lan.closeAllConnections();
  lan.close();
  await api.close();
  await rm(dir, { recursive: true, force: true });
});

/** The desk is closed to the local network in all of these. */
const at = (path: string, listener: 'loopback' | 'lan' = 'lan', headers: Record<string, string> = {}) =>
  fetch((listener === 'lan' ? `http://127.0.0.1:${(lan.address() as AddressInfo).port}` : api.url) + path, {
    redirect: 'manual',
    headers,
  });

describe('the app of phones', () => {
  it.each(['lan', 'loopback'] as const)(
    'has a page on %s with its own headers, checked on each use',
    async (listener) => {
      const response = await at('/phone/', listener);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>Phone</title>');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      const policy = response.headers.get('content-security-policy')!;
      for (const part of ["default-src 'none'", "script-src 'self'", "worker-src 'self'", "frame-ancestors 'none'"])
        expect(policy.split(';')).toContain(part);
      expect(policy).not.toContain('unsafe');
      const permissions = response.headers.get('permissions-policy')!;
      for (const part of ['camera=(self)', 'bluetooth=(self)', 'microphone=()']) expect(permissions).toContain(part);
      const again = await at('/phone/', listener, {
        'if-none-match': response.headers.get('etag')!,
        'cache-control': 'max-age=0',
      });
      expect(again.status).toBe(304);
    },
  );

  it('leads from the address without a slash to the folder, which is the scope of its worker', async () => {
    const response = await at('/phone');
    expect([response.status, response.headers.get('location')]).toEqual([307, '/phone/']);
    expect((await at('/phone?from=qr')).headers.get('location')).toBe('/phone/?from=qr');
  });

  it('serves worker and manifest unkept and assets for ever', async () => {
    const worker = await at('/phone/sw.js');
    expect(worker.headers.get('cache-control')).toBe('no-cache');
    expect(worker.headers.get('content-type')).toMatch(/javascript/);
    const manifest = await at('/phone/manifest.webmanifest');
    expect(manifest.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
    expect((await at('/phone/assets/app-1a2b.js')).headers.get('cache-control')).toContain('immutable');
    expect((await at('/phone/icons/icon-192.png')).headers.get('content-type')).toBe('image/png');
  });

  it.each(['/phone/nothing', '/phone/assets/gone.js', '/phone/icons/gone.png', '/phone/icons', '/phone/index.html'])(
    'has nothing at %s',
    async (path) => {
      const response = await at(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        expect.stringMatching(/^application\/json/),
      ]);
    },
  );

  it('opens nothing of the desk', async () => {
    expect((await at('/')).status).toBe(403);
    expect(await (await at('/phone/..%2f..%2fetc%2fpasswd')).text()).not.toContain('root:');
  });
});
