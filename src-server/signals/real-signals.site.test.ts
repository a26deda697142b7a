import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type RealSignal, realEcg, realMotion, realWrist } from '../testing/real-signals.ts';
import { channelOf, headerOf, temporaryFolder } from '../testing/signal-fixtures.ts';
import { createSignalFile, openSignalFileSync } from './index.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const sets: [string, RealSignal[]][] = [
  ['MIT-BIH ECG', realEcg('mitdb-2')],
  ['MARSH ECG', realEcg('marsh')],
  ['SENS thigh', realMotion('sens').slice(0, 2)],
  ['HARTH thigh and back', realMotion('harth')],
  ['BioStamp limbs', realMotion('biostamp')],
  ['MC10 wrists', realWrist()],
];

describe.each(sets)('%s', (label, signals) => {
  it.runIf(signals.length > 0)('come back exactly, in at most 55 % of raw 16-bit samples', async () => {
    let rawBytes = 0;
    let fileBytes = 0;
    for (const { name, rateHz, columns } of signals) {
      const path = join(folder.path, `${label} ${name}.sig`);
      const dimensions = columns.length === 1 ? ['v'] : ['x', 'y', 'z'];
      const writer = await createSignalFile(path, headerOf([channelOf('ANY', dimensions, rateHz)]));
      const pageSamples = Math.round(60 * rateHz);
      const total = columns[0]!.length;
      for (let first = 0; first < total; first += pageSamples) {
        const cut = columns.map((column) => column.subarray(first, first + pageSamples));
        await writer.append({
          channel: 0,
          startUs: (first * 1e6) / rateHz,
          periodUs: 1e6 / rateHz,
          count: cut[0]!.length,
          columns: cut,
        });
      }
      fileBytes += (await writer.finish()).sizeBytes;
      rawBytes += total * columns.length * 2;
      const file = openSignalFileSync(path);
      let first = 0;
      for (const page of file.pages(0)) {
        page.columns.forEach((column, d) => {
          const wanted = columns[d]!.subarray(first, first + page.count);
          expect(Buffer.compare(Buffer.from(column.buffer), Buffer.from(wanted.slice().buffer)), name).toBe(0);
        });
        first += page.count;
      }
      file.closeSync();
      expect(first).toBe(total);
    }
    expect(fileBytes / rawBytes).toBeLessThanOrEqual(0.55);
  });
});
