import { expect, it } from 'vitest';
import { summaryOf } from '../../../integrity/backup/summary.ts';
import { toBackup } from './backup-status.ts';

const content = { sizeBytes: 1, sha256: '0'.repeat(64) };
const manifest = {
  ...{ format: 1 as const, id: '20260301T020000Z-00000000', siteId: 's', siteName: 'Clinic', createdTs: 0 },
  ...{ reason: 'manual' as const, programVersion: '0', schemaVersion: 1, auditHead: { sequence: 1, hash: '' } },
  ...{ database: content, siteFile: content, problems: [] },
};

it('counts recordings without their companion files', () => {
  const paths = ['signals/a.sig', 'signals/a.clock', 'signals/b.sig', 'images/c.png', 'inbox/quarantine/d.sig'];
  const files = paths.map((path) => ({ ...content, path }));
  const found = { id: manifest.id, path: '/b', summary: summaryOf({ ...manifest, files }) };
  expect(toBackup(found, '/b', 's').countRecordings).toBe(2);
});
