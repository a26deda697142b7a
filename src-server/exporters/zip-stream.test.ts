import { execFileSync } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, DeflateRaw, deflateRawSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { openPromise } from 'yauzl';
import { sha256Hex } from '../files/content-hash.ts';
import { temporaryFolder } from '../testing/signal-fixtures.ts';
import { type PackedMember, ZipWriter } from './zip-writer.ts';

const TEXT = Buffer.from('0.000000\t-1.25\n'.repeat(5000));

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function packed(content: Buffer, isDeflated: boolean): PackedMember {
  const bytes = isDeflated ? deflateRawSync(content) : content;
  return {
    content: once(bytes),
    isDeflated,
    packedBytes: bytes.length,
    sizeBytes: content.length,
    crc32: crc32(content),
    sha256: sha256Hex(content),
  };
}

async function writeArchive(path: string): Promise<void> {
  const zip = new ZipWriter(createWriteStream(path), 'many');
  await zip.add('notes/æ.txt', ['one\n', 'two\n']);
  await zip.addPacked('motion.tsv', packed(TEXT, true));
  await zip.addPacked('samples.bin', packed(TEXT, false));
  await zip.add('stored.bin', [TEXT], 'STORED');
  await zip.add('empty.txt', []);
  await zip.finish();
}

const EXPECTED = new Map([
  ['notes/æ.txt', Buffer.from('one\ntwo\n')],
  ['motion.tsv', TEXT],
  ['samples.bin', TEXT],
  ['stored.bin', TEXT],
  ['empty.txt', Buffer.alloc(0)],
]);

const PYTHON = `
import sys, zipfile, hashlib
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    for i in z.infolist():
        print(i.filename, i.compress_type, oct(i.external_attr >> 16), i.date_time[:3], hashlib.sha256(z.read(i)).hexdigest())
`;

describe('an archive with packed members', () => {
  it('is read by yauzl and by Python, and depends on its content alone', async () => {
    const folder = temporaryFolder();
    try {
      const path = join(folder.path, 'a.zip');
      await writeArchive(path);
      const zip = await openPromise(path);
      const found = new Map<string, Buffer>();
      for await (const entry of zip.eachEntry())
        found.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
      expect(found).toEqual(EXPECTED);
      const lines = execFileSync('python3', ['-c', PYTHON, path], { encoding: 'utf8' }).trim().split('\n');
      const methods = [8, 8, 0, 0, 8];
      expect(lines).toEqual(
        [...EXPECTED].map(([name, bytes], i) => `${name} ${methods[i]} 0o100644 (1980, 1, 1) ${sha256Hex(bytes)}`),
      );
      await writeArchive(join(folder.path, 'b.zip'));
      expect(readFileSync(path).equals(readFileSync(join(folder.path, 'b.zip')))).toBe(true);
    } finally {
      folder.remove();
    }
  });

  it('tells sizes and CRC-32 of packed members before their content', async () => {
    const out = new PassThrough();
    const zip = new ZipWriter(out, 'many');
    const bytes = buffer(out);
    await zip.addPacked('a', packed(TEXT, true));
    await zip.finish();
    const header = await bytes;
    expect(header.readUInt16LE(6) & 8).toBe(0);
    expect(header.readUInt32LE(14)).toBe(crc32(TEXT));
    expect(header.readUInt32LE(22)).toBe(TEXT.length);
  });

  it.each(['DEFAULT', 'STORED'] as const)('fails with the error of a %s member', async (packing) => {
    const zip = new ZipWriter(new PassThrough().resume(), 'many');
    function* failing(): Generator<Uint8Array> {
      yield TEXT;
      throw new Error('unreadable');
    }
    await expect(zip.add('a', failing(), packing)).rejects.toThrow('unreadable');
    zip.abort(new Error('given up'));
  });
});

describe.each(['few', 'many'] as const)('an archive of %s members', (members) => {
  it.each(['_transform', '_flush'] as const)('fails with the error of its compressor in %s', async (step) => {
    const compressor: Transform = DeflateRaw.prototype;
    const failing = vi.spyOn(compressor, step).mockImplementation((...given: unknown[]) => {
      (given.at(-1) as (error: Error) => void)(new Error('cannot compress'));
    });
    try {
      const zip = new ZipWriter(new PassThrough().resume(), members);
      await expect(zip.add('a', [TEXT])).rejects.toThrow('cannot compress');
      zip.abort(new Error('given up'));
    } finally {
      failing.mockRestore();
    }
  });
});
