/** Hubs, phones, an importer and another program fill the disk of a site: the short form of `npm run bench -- hostile-disk`. */
import { expect, it } from 'vitest';
import { hostileDisk } from '../../testing/hostile-disk.ts';
import { smallDisk } from '../../testing/small-disk.ts';

it('lets the desk write, an honest hub deliver, and the site close and open on a disk that others fill', async (context) => {
  const disk = await smallDisk({ megabytes: 200, fileSystem: 'ext4' });
  if (!disk) {
    context.skip();
    return;
  }
  try {
    const outcome = await hostileDisk({
      disk,
      attackMs: 12_000,
      filledMs: 4000,
      usualUploads: 1,
      fileSeconds: 120,
      bytesPerSecond: 50_000,
      uploadPauseMs: 500,
      deskEveryMs: 250,
    });
    expect(outcome.deskFailures).toEqual([]);
    expect(outcome.deskWrites).toBeGreaterThan(10);
    expect(outcome.signIns).toBeGreaterThan(0);
    // How long they take is for the bench: here, none may be refused.
    expect(outcome.uploadFailures).toEqual([]);
    expect(outcome.attackedMs.length).toBeGreaterThan(0);
    expect(outcome.isShown).toBe(true);
    expect(outcome.problems).toEqual([]);
  } finally {
    await disk.remove();
  }
});
