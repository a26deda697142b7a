import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { throwIfAborted } from '../export-options.ts';
import { isIntactPart, Part, writePart } from './part-file.ts';

describe('writing a part', () => {
  it('is cancelled while its content comes without waiting, and leaves no file', async () => {
    const folder = temporaryFolder();
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    /** Content that compresses to nearly nothing: much work, few bytes, no waiting. */
    function* content(): Generator<Uint8Array> {
      for (let chunk = 0; chunk < 200; chunk++) {
        throwIfAborted(abort.signal);
        const start = performance.now();
        while (performance.now() - start < 2);
        yield Uint8Array.of(1);
      }
    }
    try {
      const made = writePart(join(folder.path, 'a.part'), 'key', [{ name: 'a', content: content() }], () => []);
      await expect(made).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(readdirSync(folder.path)).toEqual([]);
    } finally {
      folder.remove();
    }
  });

  it('keeps content of several writes, as it was given', async () => {
    const folder = temporaryFolder();
    const path = join(folder.path, 'a.part');
    const chunks = [3_000_000, 0, 5, 1 << 20, 1].map((length, i) => Buffer.alloc(length, i + 1));
    try {
      await writePart(
        path,
        'key',
        [
          { name: 'a', content: chunks },
          { name: 'b', content: [] },
        ],
        () => ['damaged'],
      );
      expect([await isIntactPart(path, 'key'), await isIntactPart(path, 'other')]).toEqual([true, false]);
      const part = await Part.open(path);
      const read: Uint8Array[] = [];
      for await (const chunk of part.read('a').content) read.push(chunk);
      await part.close();
      expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true);
      expect([part.names, part.problems, part.read('b').sizeBytes]).toEqual([['a', 'b'], ['damaged'], 0]);
    } finally {
      folder.remove();
    }
  });
});
