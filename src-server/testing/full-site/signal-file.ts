/**
 * Signal files of full sites. Most recordings hold one second at each end, in a valid file of some 2 KB that `verify` accepts:
 * a site needs hundreds of thousands of them, and what a list, a start or a backup costs does not depend on their length.
 * A few recordings hold a whole simulated night, for the viewer and for rates of reading.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { BlockEntry } from '../../signals/codec/block.ts';
import { SIGNAL_MAGIC } from '../../signals/container/magic.ts';
import { createSignalFile, type SignalFileSummary } from '../../signals/index.ts';
import { encodeContainerHeader, encodeFooter, encodePage, readBlockHead } from '../../signals/node-codec.ts';
import type { SignalHeader, SignalPage } from '../../signals/types.ts';
import { simulateSubject } from '../../simulator/physiology/subject.ts';

/** The bytes of a file with one second of samples at `startUs` and one that ends at or just before `stopUs`. */
export function shortSignalFile(
  header: SignalHeader,
  startUs: number,
  stopUs: number,
): { bytes: Buffer; summary: SignalFileSummary } {
  const parts = [encodeContainerHeader(SIGNAL_MAGIC, header)];
  const entries: BlockEntry[] = [];
  const sampleCounts: number[] = [];
  let offset = parts[0]?.length ?? 0;
  let lastUs = startUs;
  header.channels.forEach(({ nominalRateHz, dimensions, sampleBits }, channel) => {
    const periodUs = 1e6 / nominalRateHz;
    const count = Math.floor(nominalRateHz);
    for (const fromUs of [startUs, Math.round(stopUs - (count - 1) * periodUs)]) {
      const columns = dimensions.map((_, d) => Int16Array.from({ length: count }, (_unused, i) => (i * (d + 3)) % 500));
      const block = encodePage({ channel, startUs: fromUs, periodUs, count, columns }, sampleBits, entries.length);
      const head = readBlockHead(block, 0);
      if (!head) throw new Error('A page could not be read back.');
      entries.push({ ...head, offset });
      lastUs = Math.max(lastUs, head.lastUs);
      parts.push(block);
      offset += block.length;
    }
    sampleCounts.push(2 * count);
  });
  parts.push(encodeFooter(entries, sampleCounts, offset, entries.length));
  const bytes = Buffer.concat(parts);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, summary: { sizeBytes: bytes.length, sha256, startUs, stopUs: lastUs, sampleCounts } };
}

/** Writes the recordings of one subject's simulated day under the given headers, chest first; returns what they hold. */
export async function writeSimulatedFiles(
  folder: string,
  headers: readonly SignalHeader[],
  span: { startMs: number; stopMs: number },
  seed: number,
): Promise<SignalFileSummary[]> {
  const { recordings } = simulateSubject({ seed, timeZone: 'UTC', ...span, dailyCharging: false });
  const byChannels = [...recordings].sort((a, b) => b.header.channels.length - a.header.channels.length);
  const summaries: SignalFileSummary[] = [];
  for (const [index, header] of headers.entries()) {
    const recording = byChannels[index];
    if (!recording) continue;
    const { channels } = recording.header;
    const writer = await createSignalFile(join(folder, `${header.recordingId}.sig`), { ...header, channels });
    for (const page of recording.pages() as Iterable<SignalPage>) await writer.append(page);
    summaries.push(await writer.finish());
  }
  return summaries;
}
