import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { isReceiptSigned, readReceipt } from '../integrity/anchors/anchor.ts';
import { rewriteAudit } from '../testing/rewritten-audit.ts';
import { allJobsEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { zipContents } from '../testing/zip-contents.ts';
import { type RunningSite, startSite } from './server.ts';

let place: TestSite;
let site: RunningSite;
let client: Client;

async function start(): Promise<void> {
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
}

beforeAll(async () => {
  place = await makeTestSite();
  await start();
});
afterAll(async () => {
  await site.close();
  await place.remove();
});

it('signs audit exports with the key that the site shows', async () => {
  const made = await client.call('exportAccountAudit', { params: { accountId: place.accountId }, body: {} });
  const members = await zipContents(Buffer.from(await (await fetch(made.href)).arrayBuffer()));
  const { auditReceipt } = JSON.parse(String(members.get('export.json'))) as { auditReceipt: unknown };
  const receipt = readReceipt(auditReceipt)!;
  expect(receipt).toMatchObject({ sequence: made.upToSequence, hash: made.closingHash });
  expect(isReceiptSigned(receipt)).toBe(true);
  expect(isReceiptSigned({ ...receipt, sequence: receipt.sequence + 1 })).toBe(false);
  expect((await client.call('getSite')).audit.keyId).toBe(receipt.keyId);
});

it('shows on the desk when the trail was compared, and that rows were rewritten while it was closed', async () => {
  await client.call('verifySite');
  await allJobsEnd(client);
  expect((await client.call('getSite')).audit.compared).toMatchObject({ problems: [] });
  await site.close();
  rewriteAudit(place.dir, (rows) => {
    Object.assign(rows[3]!, { reason: 'forged' });
    return undefined;
  });
  await start();
  await client.call('verifySite');
  await allJobsEnd(client);
  const { compared } = (await client.call('getSite')).audit;
  expect(compared?.problems).toContainEqual(expect.objectContaining({ code: 'AUDIT_ANCHOR_OTHER' }));
  const { items } = await client.call('listAttention', { params: { accountId: place.accountId } });
  expect(items).toContainEqual(expect.objectContaining({ reason: 'AUDIT_CONTRADICTED' }));
});
