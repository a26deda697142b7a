import { expect, it } from 'vitest';
import { diagnostic } from '../../diagnostics.ts';
import { type BackupManifest, decodeManifest, encodeManifest, lackingFiles } from './manifest.ts';

const content = { sizeBytes: 1, sha256: 'a'.repeat(64) };
const MANIFEST: BackupManifest = {
  format: 1,
  id: '20260301T090000Z-0000abcd',
  siteId: 's',
  siteName: 'Clinic',
  createdTs: 1,
  reason: 'manual',
  programVersion: '0.1.0',
  schemaVersion: 170,
  auditHead: { sequence: 1, hash: 'h' },
  database: content,
  siteFile: content,
  files: [],
  problems: [],
};
const missing = diagnostic('BACKUP_WITHOUT', { file: 'signals/a.sig' });

it.each(['diagnostics', 'findings'])('reads what is missing in a backup from `%s`', (name) => {
  const { text, sum } = encodeManifest({ ...MANIFEST, [name]: [missing] });
  const decoded = decodeManifest(text, sum, 'here');
  expect(decoded.diagnostics).toEqual([missing]);
  expect(lackingFiles(decoded)).toEqual(['signals/a.sig']);
});
