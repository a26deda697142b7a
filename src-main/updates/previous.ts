/** Keeps what installs the running version again, before another one takes its place. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { syncDirectory } from '../../src-server/files/durable-files.ts';
import type { KeptFile } from './attempt.ts';
import { type CheckedFolder, copyChecked, requireFile } from './update-folder.ts';
import {
  fileFor,
  LIST_FILE,
  readUpdateList,
  SIGNATURE_FILE,
  type ThisProgram,
  type UpdateList,
} from './update-list.ts';

export interface PreviousPlaces {
  /** Where updates are copied to, a folder for each version. */
  stagedDir: string;
  /** Where the version before is kept. */
  keptDir: string;
  /** The file that an AppImage was started from: the program itself. */
  appImage?: string;
}

async function sha512Of(path: string): Promise<{ sha512: string; sizeBytes: number }> {
  const hash = createHash('sha512');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sha512: hash.digest('base64'), sizeBytes };
}

/** Copies the program itself, whole and flushed. */
async function keepProgram(program: string, to: string): Promise<KeptFile> {
  const partial = `${to}.partial`;
  await copyFile(program, partial);
  const handle = await open(partial, 'r');
  await handle.sync().finally(() => handle.close());
  await rename(partial, to);
  return { path: to, ...(await sha512Of(to)) };
}

/** The installer of the running version in a folder that a signed list vouches for. */
async function keepInstaller(
  folder: string,
  list: UpdateList,
  program: ThisProgram,
  keptDir: string,
): Promise<KeptFile | undefined> {
  const release = list.releases.find(({ version }) => version === program.version);
  const file = release && fileFor(release, program);
  if (!file) return undefined;
  try {
    const path = await copyChecked(folder, keptDir, file);
    return { path, sizeBytes: file.sizeBytes, sha512: file.sha512 };
  } catch {
    return undefined;
  }
}

/**
 * Keeps the running version: an AppImage is the program itself; elsewhere its installer, of the update that brought it here or from the
 * folder. What was kept before goes once this one is there.
 * @returns undefined when there is none, so that nobody is promised a way back
 */
export async function keepPrevious(
  program: ThisProgram,
  checked: Pick<CheckedFolder, 'folder' | 'list'>,
  { stagedDir, keptDir, appImage }: PreviousPlaces,
): Promise<KeptFile | undefined> {
  await mkdir(keptDir, { recursive: true });
  let kept: KeptFile | undefined;
  if (appImage !== undefined) {
    kept = await keepProgram(appImage, join(keptDir, `Outpost-${program.version}.AppImage`));
  } else {
    const own = join(stagedDir, program.version);
    const ownList = await Promise.all([readFile(join(own, LIST_FILE)), readFile(join(own, SIGNATURE_FILE), 'latin1')])
      .then(([bytes, signatures]) => readUpdateList(bytes, signatures, program.keys))
      .catch(() => undefined);
    kept = ownList && (await keepInstaller(own, ownList, program, keptDir));
    kept ??= await keepInstaller(checked.folder, checked.list, program, keptDir);
  }
  if (!kept) return undefined;
  for (const name of await readdir(keptDir)) {
    if (name !== basename(kept.path)) await rm(join(keptDir, name), { recursive: true, force: true });
  }
  await syncDirectory(keptDir);
  return kept;
}

/** @throws UpdateRefused when the kept file is not what it was */
export async function requireKept({ path, sizeBytes, sha512 }: KeptFile): Promise<void> {
  await requireFile(path, { name: basename(path), sizeBytes, sha512 });
}
