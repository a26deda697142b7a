/** Decompression bombs: small recording files that would unpack to gigabytes. */
import { createZstdCompress } from 'node:zlib';
import { type BlockEntry, LIMITS } from '../signals/codec/block.ts';
import { COLUMN_ENTRY_BYTES, writeColumnEntry } from '../signals/codec/columns.ts';
import { SIGNAL_MAGIC } from '../signals/container/magic.ts';
import { encodeBlock, encodeContainerHeader, encodeFooter, readBlockHead } from '../signals/node-codec.ts';
import { newRecordingId, type UploadFile } from './upload-client.ts';

const DIMENSIONS = 16;
const PERIOD_US = 4;
const ZEROS = Buffer.alloc(1 << 24);

/** A zstd frame of that many zero bytes, created without holding them in memory. */
async function frameOfZeros(bytes: number): Promise<Buffer> {
  const compress = createZstdCompress();
  const parts: Buffer[] = [];
  compress.on('data', (part: Buffer) => parts.push(part));
  for (let done = 0; done < bytes; done += ZEROS.length) {
    await new Promise<void>((resolve) => compress.write(ZEROS, () => resolve()));
  }
  await new Promise<void>((resolve) => compress.end(resolve));
  return Buffer.concat(parts);
}

/**
 * `many`: flat pages of the largest size, a few bytes each, which declare 34 GiB in all. `lying`: a page that declares a kilobyte
 * and inflates to a gigabyte.
 */
export async function makePageBomb(
  kind: 'many' | 'lying',
  place: { sensor: string; udid: string; startUs: number },
): Promise<UploadFile> {
  const recordingId = newRecordingId();
  const isMany = kind === 'many';
  const dimensions = isMany ? DIMENSIONS : 1;
  const count = isMany ? LIMITS.pageSamples : 1000;
  const planes = isMany ? 0 : 1;
  const header = encodeContainerHeader(SIGNAL_MAGIC, {
    version: 1,
    recordingId,
    deviceRecordingId: 1,
    udid: place.udid,
    hardwareId: 'H1',
    firmwareId: '2.0',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: {},
    channels: [
      {
        type: 'ECG',
        dimensions: Array.from({ length: dimensions }, (_, i) => `v${i}`),
        unit: 'V',
        nominalRateHz: 250,
        scale: Array(dimensions).fill(1e-6),
        offset: Array(dimensions).fill(0),
        sampleBits: 16,
      },
    ],
    syncPoints: [],
    source: { format: 'sensor', fileName: '', sha256: '' },
  });
  const table = Buffer.alloc(dimensions * COLUMN_ENTRY_BYTES);
  for (let i = 0; i < dimensions; i++) {
    writeColumnEntry({ order: 0, planes, widthBytes: 2, seed: 0 }, table, i * COLUMN_ENTRY_BYTES);
  }
  const frame = isMany ? Buffer.alloc(0) : await frameOfZeros(1 << 30);
  const parts = [header];
  const entries: BlockEntry[] = [];
  let offset = header.length;
  for (let page = 0; page < (isMany ? 1100 : 1); page++) {
    const startUs = place.startUs + page * count * PERIOD_US;
    const lastUs = startUs + (count - 1) * PERIOD_US;
    const facts = {
      kind: 1,
      flags: 0,
      channel: 0,
      sequence: page,
      startUs,
      periodUs: PERIOD_US,
      firstUs: startUs,
      lastUs,
    };
    const block = encodeBlock({ ...facts, count, rawLength: planes * count * dimensions }, [table, frame]);
    const head = readBlockHead(block, 0);
    if (!head) throw new Error('The page is not one.');
    entries.push({ ...head, offset });
    parts.push(block);
    offset += block.length;
  }
  parts.push(encodeFooter(entries, [entries.length * count], offset, entries.length));
  return { recordingId, sensor: place.sensor, bytes: Buffer.concat(parts), startUs: place.startUs };
}
