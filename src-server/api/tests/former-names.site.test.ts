/** Members that were renamed: sent under both names, and read from files that an earlier version wrote. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIAGNOSTICS, diagnostic, FORMER_MEMBER_NAMES } from '../../diagnostics.ts';
import { encodeManifest } from '../../integrity/backup/manifest.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { FORMER_NAMES } from '../contract/former-names.ts';
import { routes } from '../contract/index.ts';
import { buildOpenApi } from '../contract/openapi.ts';
import type { RouteContract } from '../contract/route.ts';
import { addFormerNames, hasFormerNames } from '../framework/former-names.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const FILE = 'signals/0192f0c1-0000-7000-8000-000000000001.sig';
const missing = diagnostic('BACKUP_WITHOUT', { file: FILE });
const damaged = diagnostic('BACKUP_FILE_CHANGED', { file: FILE });

/** Writes a backup in the format before schema 180. */
function writeFormerBackup(id: string): void {
  const folder = join(api.deps.backupsDir, `backup-${id}`);
  mkdirSync(folder);
  const content = { sizeBytes: 1, sha256: 'a'.repeat(64) };
  const manifest = {
    format: 1 as const,
    id,
    siteId: api.siteId,
    siteName: 'Test site',
    createdTs: api.clock.now(),
    reason: 'manual' as const,
    programVersion: '0.1.0',
    schemaVersion: 170,
    auditHead: { sequence: 1, hash: 'a' },
    database: content,
    siteFile: content,
    files: [],
    problems: [missing.message],
    findings: [missing],
  };
  const { text, sum } = encodeManifest(manifest);
  writeFileSync(join(folder, 'manifest.json'), text);
  writeFileSync(join(folder, 'manifest.sha256'), sum);
  const check = { checkedTs: 7, problems: [damaged.message], findings: [damaged] };
  writeFileSync(join(folder, 'checked.json'), JSON.stringify(check));
}

describe('a renamed member', () => {
  it('has the same former name in stored JSON and in responses', () => {
    expect(FORMER_NAMES).toEqual(FORMER_MEMBER_NAMES);
  });

  it('is copied at every depth, and no other member is', () => {
    const sent = { id: 1, items: [{ diagnostic: { code: 'X' }, checks: { diagnostics: [2] } }], name: 'diagnostic' };
    expect(addFormerNames(sent)).toEqual({
      id: 1,
      items: [{ diagnostic: { code: 'X' }, finding: { code: 'X' }, checks: { diagnostics: [2], findings: [2] } }],
      name: 'diagnostic',
    });
  });

  it('is deprecated under its former name in every schema of the OpenAPI document', () => {
    const { components } = buildOpenApi('1.2.3') as {
      components: { schemas: Record<string, { properties?: Record<string, { deprecated?: boolean }> }> };
    };
    const renamed = Object.entries(components.schemas).filter(([, { properties = {} }]) =>
      Object.keys(FORMER_NAMES).some((name) => name in properties),
    );
    expect(renamed.map(([name]) => name).sort()).toEqual([
      'AuditEntry',
      'Backup',
      'BackupStatus',
      'Mail',
      'TestMailResult',
      'Webhook',
      'WebhookAttempt',
    ]);
    for (const [name, { properties = {} }] of renamed) {
      for (const [present, former] of Object.entries(FORMER_NAMES)) {
        expect(properties[former]?.deprecated, `${name}.${former}`).toBe(present in properties ? true : undefined);
      }
    }
  });

  it('is recognized in the responses of each route that has one', () => {
    const found = Object.entries(routes as Record<string, RouteContract>).flatMap(([id, { response }]) =>
      response && hasFormerNames(response) ? [id] : [],
    );
    expect(found.sort()).toEqual([
      'getBackupStatus',
      'getWebhook',
      'listAccountAudit',
      'listBackups',
      'listOutbox',
      'listStudyAudit',
      'listWebhookDeliveries',
      'listWebhooks',
      'sendTestMail',
      'testWebhook',
    ]);
  });

  it('is sent under both names', async () => {
    const result = await api.client.call('sendTestMail', { body: {} });
    expect(result).toMatchObject({ isSent: false, diagnostic: { code: 'MAIL_NO_SERVER' } });
    expect(result.finding).toEqual(result.diagnostic);
    const { items } = await api.client.call('listOutbox', { params: { accountId: api.accountId } });
    expect(items[0]).toMatchObject({
      error: DIAGNOSTICS.MAIL_NO_SERVER,
      diagnostic: { code: 'MAIL_NO_SERVER' },
      finding: { code: 'MAIL_NO_SERVER' },
    });
  });
});

it('reads the diagnostics of a backup that an earlier version wrote and verified', async () => {
  writeFormerBackup('20260301T090000Z-0000abcd');
  const { items } = await api.client.call('listBackups', {});
  expect(items).toMatchObject([
    {
      state: 'damaged',
      problems: [missing.message],
      diagnostics: [missing],
      findings: [missing],
      check: { checkedTs: 7, diagnostics: [damaged], findings: [damaged] },
    },
  ]);
  expect(await api.client.call('getBackupStatus')).not.toHaveProperty('lastTs');
});
