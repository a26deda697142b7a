import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { smallDisk } from '../testing/small-disk.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn } from '../testing/test-site.ts';
import { openSite } from './folder.ts';
import { startSite } from './server.ts';

it('fails an export on a full disk, removes all of it, and makes it once there is room', async (context) => {
  const disk = await smallDisk();
  if (!disk) {
    context.skip();
    return;
  }
  const place = await makeTestSite();
  const { studyId } = place;
  const exportsDir = join(disk.path, 'exports');
  await mkdir(exportsDir);
  const folder = await openSite(place.dir);
  for (let i = 0; i < 2; i++) {
    const options = { startUs: Date.UTC(2026, 0, 10, i) * 1000, durationSeconds: 600 };
    await addTestRecording(folder.store, folder.signalsDir, { studyId, subjectId: place.subjectIds[0]! }, options);
  }
  await folder.close();
  await rm(join(place.dir, 'exports'), { recursive: true });
  await symlink(exportsDir, join(place.dir, 'exports'));
  const site = await startSite({ dir: place.dir, port: 0 });
  try {
    const client = await signIn(site.url);
    const params = { studyId };
    disk.fill();
    const ids: string[] = [];
    // Together, since each waits between its attempts.
    for (const format of ['PARQUET', 'BIDS', 'ARCHIVE'] as const)
      ids.push((await client.call('requestStudyExport', { params, body: { format } })).id);
    for (const id of ids) {
      expect(await jobEnd(client, id)).toMatchObject({ state: 'failed', error: { code: 'DISK_FULL' } });
      const listed = await client.call('getStudyExport', { params: { studyId, exportId: id } });
      expect(listed).toMatchObject({ state: 'FAILED', error: { code: 'DISK_FULL' } });
    }
    expect(await readdir(exportsDir)).toEqual([]);
    // The site keeps working: its own disk is not full.
    await client.call('updateStudy', { params, body: { displayName: 'Named beside a full disk' } });
    disk.free();
    for (const [i, id] of ids.entries()) {
      await client.call('retryJob', { params: { jobId: id } });
      expect((await jobEnd(client, id)).state).toBe('done');
      const files = await readdir(exportsDir);
      expect([files.length, files.every((name) => name.endsWith('.zip'))]).toEqual([i + 1, true]);
    }
  } finally {
    await site.close();
    await place.remove();
    await disk.remove();
  }
});
