import type { Express } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createApi } from '../create-api.ts';
import type { MountedRoutes } from '../framework/mount.ts';

let api: TestApi;
let document: { paths: Record<string, Record<string, { operationId: string }>>; components: { schemas: object } };
beforeAll(async () => {
  api = await startTestApi();
  document = (await api.client.call('getOpenApi')) as typeof document;
});
afterAll(() => api.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
  );

describe('the page of the interface', () => {
  it('shows every operation and every schema without credentials', async () => {
    const response = await fetch(`${api.url}/docs`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await response.text();
    for (const { path, method, operationId } of operations()) {
      const entry = html.slice(html.indexOf(`id="${operationId}"`));
      expect(entry, operationId).toContain(`${method}</span><code class="path">${path}</code>`);
    }
    for (const name of Object.keys(document.components.schemas)) expect(html).toContain(`id="schema-${name}"`);
    // A member, a limit, an enumeration and a rule appear on the page.
    expect(html).toMatch(/<code>age<\/code>.*?integer, &gt;= 18, &lt;= 125/);
    expect(html).toContain('&quot;MALE&quot; or &quot;FEMALE&quot;');
    expect(html).toContain('Order: recordingStartTs, then id.');
    expect(html).not.toMatch(/undefined|\[object Object\]/);
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    for (const link of new Set(links)) expect(html, link).toContain(`id="${link}"`);
  });

  it('loads nothing from other origins and has no inline script', async () => {
    const html = await (await fetch(`${api.url}/docs`)).text();
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| on\w+="/);
    for (const [, address] of html.matchAll(/<(?:script|link)[^>]* (?:src|href)="(\/[^"]+)"/g)) {
      const response = await fetch(api.url + address);
      expect(response.status, address).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/css|javascript/);
    }
  });
});

/** The parts of an Express layer that this test reads. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle: { stack?: Layer[] } & Partial<Pick<MountedRoutes, 'addresses'>>;
}

const toExpressPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1');

it('mounts no route that the document does not describe', () => {
  const found: string[] = [];
  const walk = (layers: readonly Layer[]) => {
    for (const { route, handle } of layers) {
      if (route) {
        for (const method of Object.keys(route.methods)) found.push(`${method.toUpperCase()} ${String(route.path)}`);
      } else if (handle.addresses) {
        for (const { method, path } of handle.addresses) found.push(`${method} ${toExpressPath(path)}`);
      } else if (handle.stack) walk(handle.stack);
    }
  };
  const app: Express = createApi({ ...api.deps, staticDir: api.deps.imagesDir });
  walk((app as unknown as { router: { stack: Layer[] } }).router.stack);
  const described = operations().map(({ method, path }) => `${method} ${toExpressPath(path)}`);
  // The page itself, the page and views of the desk, and the pages by which a phone installs the site's authority.
  const others = new Set([
    'GET /docs',
    'GET /docs/style.css',
    'GET /docs/script.js',
    'GET /,/index.html',
    'GET /{*view}',
    'GET /phone/trust',
    'GET /phone/trust/style.css',
    'GET /phone/trust/script.js',
    'GET /phone/trust/worker.js',
    'GET /phone/trust/authority.crt',
    'GET /phone/trust/authority.mobileconfig',
    'POST /phone/trust/seen',
  ]);
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter((one) => !others.has(one) && !described.includes(one))).toEqual([]);
  // One handler speaks tus with all its verbs and is not an Express route; device-failures.site.test.ts and
  // uploads-of-users.site.test.ts call each of them.
  const isTus = (one: string) => / \/(?:device|studies\/:studyId\/subjects\/:subjectId)\/uploads/.test(one);
  expect(described.filter((one) => !found.includes(one) && !isTus(one))).toEqual([]);
  expect(described.filter(isTus)).toHaveLength(10);
});
