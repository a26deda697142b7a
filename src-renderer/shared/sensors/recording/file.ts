/** Turns the blocks of a recording into one file: header and footer are made last, the blocks stay where they are. */
import { BLOCK_PAGE, type BlockEntry } from '../../../../src-server/signals/codec/block.ts';
import { SIGNAL_MAGIC } from '../../../../src-server/signals/container/magic.ts';
import type { SignalCodec } from '../../../../src-server/signals/container/signal-codec.ts';
import type { SyncPoint } from '../../../../src-server/signals/types.ts';
import type { RecordingFile, RecordingRow, StoredBlock } from '../recording-store.ts';

/** Returns null when no sample was recorded. */
export async function makeFile(
  codec: SignalCodec,
  row: RecordingRow,
  blocks: readonly StoredBlock[],
  syncPointsOf: (startUs: number, stopUs: number) => SyncPoint[],
): Promise<RecordingFile | null> {
  const heads = blocks.map(({ bytes }) => {
    const head = codec.readBlockHead(bytes, 0);
    if (!head) throw new Error(`A stored block of the recording ${row.recordingId} is damaged.`);
    return head;
  });
  const pages = heads.filter(({ kind }) => kind === BLOCK_PAGE);
  if (pages.length === 0) return null;
  const startUs = Math.min(...pages.map(({ firstUs }) => firstUs));
  const stopUs = Math.max(...pages.map(({ lastUs }) => lastUs));
  const syncPoints = syncPointsOf(startUs, stopUs);
  const header = codec.encodeContainerHeader(SIGNAL_MAGIC, {
    version: 1,
    recordingId: row.recordingId,
    deviceRecordingId: 0,
    udid: '',
    hardwareId: row.hardwareId,
    firmwareId: row.firmwareId,
    physicalConfig: row.physicalConfig,
    sensorConfig: row.sensorConfig,
    channels: row.plan.map(({ channel }) => channel),
    syncPoints,
    source: { format: 'sensor', fileName: '', sha256: '' },
  });
  let offset = header.length;
  const entries = heads.map((head, i): BlockEntry => {
    const entry = { ...head, offset };
    offset += blocks[i]!.bytes.length;
    return entry;
  });
  const totals = row.plan.map((_, channel) =>
    pages.reduce((sum, page) => sum + (page.channel === channel ? page.count : 0), 0),
  );
  const footer = codec.encodeFooter(entries, totals, offset, entries.length);
  const file = fileBlob(header, blocks, footer);
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  const sha256 = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { header, footer, sizeBytes: offset + footer.length, sha256, startUs, stopUs, syncPoints };
}

/** The whole file: some hundred kilobytes, because a file holds half an hour at most. */
export function fileBlob(header: Uint8Array, blocks: readonly StoredBlock[], footer: Uint8Array): Blob {
  return new Blob([header, ...blocks.map(({ bytes }) => bytes), footer] as BlobPart[]);
}
