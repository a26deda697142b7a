/** Writes brotli and gzip variants beside the files of the built desk, so that the site never compresses a file while serving it. */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const COMPRESSIBLE = new Set(['.js', '.css', '.html', '.svg', '.json', '.wasm']);
/** A variant must save at least this much to be worth a file. */
const LEAST_SAVING_BYTES = 64;

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** A server may be reading the folder, so a variant appears complete or not at all. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.tmp`, bytes);
  await rename(`${path}.tmp`, path);
}

/** Compresses every text file below `directory`; source maps are left out, as only developers load them. */
export async function compressAssets(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(path);
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
      const variants = [
        [`${path}.br`, await brotliAsync(bytes, { params })],
        [`${path}.gz`, await gzipAsync(bytes, { level: constants.Z_BEST_COMPRESSION })],
      ] as const;
      for (const [variant, compressed] of variants) {
        if (compressed.length + LEAST_SAVING_BYTES < bytes.length) await writeWhole(variant, compressed);
      }
    }),
  );
}
