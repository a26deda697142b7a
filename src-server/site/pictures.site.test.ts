import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../db/index.ts';
import { verifySite } from '../integrity/verify.ts';
import { addTestStudy } from '../testing/test-store.ts';
import { initSite, openSite } from './folder.ts';

let dir: string;
beforeEach(async () => {
  dir = join(mkdtempSync(join(tmpdir(), 'outpost-pictures-')), 'site');
  const password = 'correct horse';
  await initSite(dir, { account: 'Clinic', email: 'ada@example.org', password, timeZone: 'US/Eastern' });
});
afterEach(() => rmSync(join(dir, '..'), { recursive: true, force: true }));

describe('pictures of messages', () => {
  it('are deleted at the next start if they have no message, and verify reports a missing one', async () => {
    const site = await openSite(dir);
    const { studyId, subjectId, byUser } = await addTestStudy(site.store);
    const image = { file: `${newId()}.png`, mimeType: 'image/png', sizeBytes: 3 };
    await site.store.messages.post({ studyId, subjectId, body: 'Look', image }, byUser);
    // The picture without a message is deleted; a file that Outpost did not name is left alone.
    const names = [image.file, 'notes of the clinic.png', `${newId()}.png`, `${newId()}.png.partial`];
    for (const name of names) writeFileSync(join(site.imagesDir, name), 'png');
    await site.close();

    await (await openSite(dir)).close();
    expect(names.filter((name) => existsSync(join(site.imagesDir, name)))).toEqual(names.slice(0, 2));
    expect((await verifySite(dir)).problems).toEqual([]);

    rmSync(join(site.imagesDir, image.file));
    expect((await verifySite(dir)).problems).toMatchObject([
      { step: 'files', id: image.file, code: 'PICTURE_MISSING', message: expect.stringContaining('missing') },
    ]);
  });
});
