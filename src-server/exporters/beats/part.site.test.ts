import { afterAll, expect, it } from 'vitest';
import type { ArrayStore } from '../../analytics/index.ts';
import { ArrayMemory, ArraySpill } from '../../jobs/analytics/array-spill.ts';
import { openSignalFile } from '../../signals/index.ts';
import { writeIntervalRecording } from '../../testing/interval-recording.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import { beatText } from './files.ts';
import { beatsMethod } from './method.ts';
import { beatContents } from './part.ts';

const START_US = Date.UTC(2026, 0, 10, 9) * 1000;
/** Five pieces of detected beats. */
const BEATS = 300_000;

const folder = temporaryFolder();
afterAll(() => folder.remove());

it('holds one piece of the detected beats at a time, however many a recording has', async () => {
  const beatsUs = Array.from({ length: BEATS }, (_, i) => START_US + i * 800_000);
  const { path } = await writeIntervalRecording(folder.path, beatsUs);
  const memory = new ArrayMemory(1 << 20);
  const spill = new ArraySpill(memory);
  let stored = 0;
  let taken = 0;
  let mostBytes = 0;
  const note = () => {
    mostBytes = Math.max(mostBytes, memory.bytes);
  };
  const store: ArrayStore = {
    put: (arrays) => {
      stored += 1;
      const handle = spill.put(arrays);
      note();
      return handle;
    },
    get: (handle) => {
      taken += 1;
      const arrays = spill.get(handle);
      note();
      return arrays;
    },
    read: (...of) => spill.read(...of),
  };
  const file = await openSignalFile(path);
  try {
    const method = await beatsMethod(path, {}, [], DEFAULT_ANALYSIS_PARAMETERS, {
      shownId: 'r',
      isDeidentified: false,
    });
    const forms: string[] = [];
    for (const { name, content } of beatContents(file, { name: 'r', corrections: [], method }, {}, store)) {
      forms.push(name);
      const before = taken;
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) {
        // A form that read all beats before its first row would have taken every piece here.
        if (chunks.length === 0) expect(taken - before, name).toBeLessThanOrEqual(1);
        chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      }
      if (name !== 'hea' && name !== 'beats.json') expect(taken - before, name).toBe(stored);
      if (name !== 'beats.csv') continue;
      const text = (await Array.fromAsync(beatText('csv', path))).join('');
      expect(Buffer.concat(chunks).toString() === text).toBe(true);
    }
    expect(forms).toEqual(['beats.csv', 'beats.json', 'rr.txt', 'hea', 'qrs']);
    expect(stored).toBeGreaterThanOrEqual(5);
    // A piece is larger than what this memory may hold, so it is always the only one.
    expect(mostBytes).toBeLessThan(3 << 20);
  } finally {
    await file.close();
    spill.close();
  }
});
