/**
 * How a command finds and addresses a site that runs: a file in its folder with a port of this computer and a key. Only the account that
 * may read the folder can read it. The key is new at every start and seals what is sent in both directions, so that neither
 * another program at an old port nor a page in a browser learns or changes anything.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const CONTROL_FILE = 'control.json';

const controlFile = z.object({
  format: z.literal(1),
  port: z.int().min(1).max(65_535),
  /** 32 random bytes. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ControlFile = z.infer<typeof controlFile>;

/** Not flushed: a power cut ends the run that it leads to. */
export async function writeControlFile(dir: string, content: ControlFile): Promise<void> {
  const path = join(dir, CONTROL_FILE);
  await rm(`${path}.partial`, { force: true });
  await writeFile(`${path}.partial`, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(`${path}.partial`, path);
}

/** Undefined where none can be read. */
export async function readControlFile(dir: string): Promise<ControlFile | undefined> {
  try {
    return controlFile.parse(JSON.parse(await readFile(join(dir, CONTROL_FILE), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function removeControlFile(dir: string): Promise<void> {
  await rm(join(dir, CONTROL_FILE), { force: true });
}
