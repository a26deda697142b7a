import { statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_TYPES } from '../../analytics/channels.ts';
import { metricsDocument } from '../../analytics/dictionary/document.ts';
import { FURTHER_CHANNEL_TYPES } from '../../analytics/further-channels.ts';
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import { openStore } from '../../services/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';
import { createApi } from '../create-api.ts';
import { isDiskLow } from '../resources/site.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

describe('the state of the site', () => {
  it('describes its database, disk and address', async () => {
    const site = await api.client.call('getSite');
    const { schemaVersion, sizeBytes } = api.store.facts();
    expect(site).toMatchObject({
      displayName: 'Test site',
      version: '0.0.0-test',
      database: { state: 'healthy', schemaVersion, sizeBytes },
      addresses: [api.url],
    });
    const disk = await statfs(api.deps.signalsDir);
    expect(site.disk.totalBytes).toBe(disk.blocks * disk.bsize);
    expect(site.disk.freeBytes).toBeGreaterThan(0);
    expect(site.disk.freeBytes).toBeLessThanOrEqual(site.disk.totalBytes);
    expect(site.disk.isLow).toBe(isDiskLow(site.disk.freeBytes, site.disk.totalBytes));
  });

  it('reports a read-only database', async () => {
    const store = openStore(api.store.path, { readonly: true, clock: api.clock.now });
    const server = createServer(createApi({ ...api.deps, store }));
    try {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const client = createClient({ baseUrl, credentials: api.admin.credentials, validateResponses: true });
      expect((await client.call('getSite')).database.state).toBe('read-only');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
    }
  });

  it('warns of a disk with less than 5 GB or 5 % free', () => {
    const GB = 1e9;
    expect(isDiskLow(6 * GB, 100 * GB)).toBe(false);
    expect(isDiskLow(4.9 * GB, 50 * GB)).toBe(true);
    expect(isDiskLow(49 * GB, 1000 * GB)).toBe(true);
    expect(isDiskLow(51 * GB, 1000 * GB)).toBe(false);
  });
});

it('describes every daily metric and its required inputs', async () => {
  const { items, channels, methods } = await api.client.call('listMetricDefinitions');
  expect(items).toEqual(METRIC_NAMES);
  const known = methods.map(({ id }) => id);
  expect(channels.map(({ name }) => name)).toEqual([...CHANNEL_TYPES, ...FURTHER_CHANNEL_TYPES]);
  for (const { method } of [...items, ...channels]) expect(known).toContain(method);
  expect(items.every(({ definition, minimumData }) => definition !== '' && minimumData !== '')).toBe(true);
});

it('serves the data dictionary as a document', async () => {
  const response = await api.client.fetch('getMetricsDocument');
  expect(response.headers.get('content-type')).toContain('text/markdown');
  expect(await response.text()).toBe(metricsDocument());
});
