import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../diagnostics.ts';
import { type BackupManifest, decodeManifest, encodeManifest, lackingFiles, membersOf } from './manifest.ts';

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

describe('members of which no shared content is wanted', () => {
  const namesIn = (value: BackupManifest) => [...membersOf(value, new Set())].map(({ path }) => path);

  it('are the site file alone, without asking for every file and piece', () => {
    const unread = () => expect.fail('asked for');
    const files = new Proxy<BackupManifest['files']>([], { get: unread });
    const chunks = new Proxy<string[]>([], { get: unread });
    const database = { ...content, chunkBytes: 16_384, chunks };
    expect(namesIn({ ...MANIFEST, format: 2, database, files })).toEqual(['site.json']);
  });

  it('are the database too, where it is a member of its own', () => {
    const files = [{ path: 'signals/a.sig', ...content }];
    expect(namesIn({ ...MANIFEST, files })).toEqual(['site.db', 'site.json']);
  });
});
