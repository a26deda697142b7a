/** Recordings of real size, whose samples are noise: files that neither compress nor share content. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { newId } from '../../../src-server/db/index.ts';
import { createSignalFile } from '../../../src-server/signals/index.ts';
import type { SignalHeader } from '../../../src-server/signals/types.ts';
import { openSite, type SiteFolder } from '../../../src-server/site/folder.ts';
import type { FullSite } from '../../../src-server/testing/full-site/site-folder.ts';
import { addRecordingRow } from '../../../src-server/testing/recording-row.ts';

const RATE_HZ = 250;
const PAGE_SECONDS = 60;
const PAGE_SAMPLES = PAGE_SECONDS * RATE_HZ;
/** Pages are taken from it at random. */
const NOISE = new Int16Array(randomBytes(2 * 64 * PAGE_SAMPLES).buffer.slice(0));

/** Adds recordings of `durationMs` until they have `bytes`, at least one. @returns their size */
export async function addNoiseRecordings(site: FullSite, bytes: number, durationMs: number): Promise<number> {
  const folder = await openSite(site.dir);
  try {
    let added = 0;
    while (added < bytes) added += await addOne(folder, site, durationMs);
    return added;
  } finally {
    await folder.close();
  }
}

let made = 0;

async function addOne(folder: SiteFolder, site: FullSite, durationMs: number): Promise<number> {
  const id = newId();
  made += 1;
  const startUs = (site.fromTs + made * durationMs) * 1000;
  const header: SignalHeader = {
    version: 1,
    recordingId: id,
    deviceRecordingId: made,
    udid: 'AA:BB:CC:00:00:01',
    hardwareId: 'H1',
    firmwareId: '1.0',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: { sensingType: 'MPU_ANALOG' },
    channels: [
      { type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: RATE_HZ, scale: [1e-6], offset: [0], sampleBits: 16 },
    ],
    syncPoints: [],
    source: { format: 'noise', fileName: `${made}.csv`, sha256: randomBytes(32).toString('hex') },
  };
  const writer = await createSignalFile(join(folder.signalsDir, `${id}.sig`), header);
  for (let second = 0; second < durationMs / 1000; second += PAGE_SECONDS) {
    const from = Math.floor(Math.random() * (NOISE.length - PAGE_SAMPLES));
    const columns = [NOISE.slice(from, from + PAGE_SAMPLES)];
    await writer.append({
      channel: 0,
      startUs: startUs + second * 1e6,
      periodUs: 1e6 / RATE_HZ,
      count: PAGE_SAMPLES,
      columns,
    });
  }
  const summary = await writer.finish();
  const place = { studyId: site.studyId, subjectId: site.subjectIds[made % site.subjectIds.length]! };
  await addRecordingRow(folder.store, place, header, summary);
  return summary.sizeBytes;
}
