/** Outpost's own signal files: verified in full, then streamed through with everything their header holds. */
import { basename } from 'node:path';
import { openSignalFile, verifySignalFile } from '../signals/index.ts';
import type { SignalPage } from '../signals/types.ts';
import { wireLocation } from './recording-header.ts';
import { damaged, empty, throwIfAborted } from './refusals.ts';
import type { ImportOptions, ImportSource } from './types.ts';

export async function openOwnSignalFile(path: string, options: ImportOptions): Promise<ImportSource> {
  const checked = await verifySignalFile(path);
  if (checked.problems.length > 0) throw damaged(path, `${checked.problems[0]}`);
  const file = await openSignalFile(path);
  try {
    if (file.sampleCounts.every((count) => count === 0)) throw empty(path, 'it has a header and no samples.');
    const { recordingId: _, ...header } = file.header;
    const physicalConfig = { ...header.physicalConfig };
    if (options.location !== undefined) physicalConfig.location = wireLocation(options.location);
    if (options.side !== undefined) physicalConfig.side = options.side.toUpperCase();
    const marks = await file.marks();
    let doneSamples = 0;
    const totalSamples = file.sampleCounts.reduce((sum, count) => sum + count, 0);
    async function* pages(): AsyncGenerator<SignalPage> {
      for await (const page of file.stream()) {
        throwIfAborted(options.signal);
        doneSamples += page.count;
        yield page;
      }
    }
    return {
      format: 'Outpost signal file',
      clock: { kind: 'UTC' },
      recordings: [
        {
          header: {
            ...header,
            physicalConfig,
            source: { format: 'Outpost signal file', fileName: basename(path), sha256: checked.sha256 },
          },
          pages,
          labels: [],
          marks,
          notes: [],
          progress: () => ({
            doneBytes: Math.round((doneSamples / totalSamples) * file.sizeBytes),
            totalBytes: file.sizeBytes,
          }),
        },
      ],
      labels: [],
      close: () => file.close(),
    };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}
