/**
 * Two hubs, two phones and an importer fill a disk of 200 MB for ten minutes, while an honest hub delivers and a person works at the
 * desk each second; then another program takes the rest. MINUTES shortens the attack, FILE_SYSTEM=tmpfs spares the loop device.
 */
import { hostileDisk } from '../../src-server/testing/hostile-disk.ts';
import { smallDisk } from '../../src-server/testing/small-disk.ts';
import { barRow, comparedTo, median } from './rows.ts';
import type { BenchRow } from './types.ts';

export async function run(): Promise<BenchRow[]> {
  const minutes = Number(process.env.MINUTES ?? 10);
  const fileSystem = process.env.FILE_SYSTEM === 'tmpfs' ? 'tmpfs' : 'ext4';
  const disk = await smallDisk({ megabytes: 200, fileSystem });
  if (!disk) return [];
  try {
    const outcome = await hostileDisk({
      disk,
      attackMs: minutes * 60_000,
      filledMs: 20_000,
      usualUploads: 6,
      fileSeconds: 300,
      bytesPerSecond: 25_000,
      uploadPauseMs: 4000,
      deskEveryMs: 1000,
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });
    const lines = [
      ...outcome.deskFailures,
      ...outcome.uploadFailures.map((text) => `upload: ${text}`),
      ...outcome.problems,
      JSON.stringify(outcome.attacks),
    ];
    for (const line of lines) process.stderr.write(`${line}\n`);
    const usual = median(outcome.usualMs);
    const slowest = Math.max(...outcome.attackedMs);
    const { deskWrites, signIns, deskReads } = outcome;
    const work = `of ${deskWrites} writes, ${signIns} sign-ins and ${deskReads} reads at the desk`;
    return [
      barRow(`refused ${work}`, outcome.deskFailures.length, '', 0),
      { name: 'slowest write at the desk', value: outcome.slowestDeskMs, unit: 'ms', pass: true },
      {
        name: `slowest of ${outcome.attackedMs.length} honest uploads`,
        value: slowest,
        unit: 'ms',
        ...comparedTo(`median of ${outcome.usualMs.length} before`, usual, slowest),
        bar: '<= 2 x',
        pass: slowest <= 2 * usual,
      },
      { name: 'least free while attacked', value: outcome.leastFreeBytes / 1e6, unit: 'MB', pass: true },
      barRow('problems when closed, opened full, opened with room, and verified', outcome.problems.length, '', 0),
    ];
  } finally {
    await disk.remove();
  }
}
