/** Finds recordings in a watched folder and below it. Links are not followed, and nothing is written there. */
import { lstat, readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { type Recognised, type RecognitionByContent, recognise } from './recognise.ts';

const MOST_DEPTH = 10;
const MOST_FILES = 20_000;
/** Heads that one look reads, so that thousands of new files do not keep it from seeing a pulled drive. */
const MOST_READ = 200;

interface SeenFile {
  sizeBytes: number;
  modifiedMs: number;
  /** `foreign`: no recording that can be taken. */
  state: 'growing' | 'waiting' | 'foreign' | 'unreadable' | 'recording';
  found?: Recognised;
}

export interface FoundFolder {
  path: string;
  /** False while it cannot be read: a network drive that is away. */
  isThere: boolean;
  /** By the path below the folder. */
  files: Map<string, SeenFile>;
  /** There are more files or levels than are looked at. */
  isCut: boolean;
}

/** Looks once. A file counts when its size and time are those of the look before. */
export async function findFiles(
  folder: string,
  before: FoundFolder | undefined,
  options: { siteDir?: string; mostFiles?: number; byContent?: RecognitionByContent } = {},
): Promise<FoundFolder> {
  const result: FoundFolder = { path: folder, isThere: true, files: new Map(), isCut: false };
  const root = resolve(folder);
  const mostFiles = options.mostFiles ?? MOST_FILES;
  let toRead = MOST_READ;
  const walk = async (directory: string, depth: number): Promise<void> => {
    if (options.siteDir !== undefined && directory === resolve(options.siteDir)) return;
    const entries = await readdir(directory, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (isTemporary(entry.name)) continue;
      if (entry.isDirectory()) {
        if (depth >= MOST_DEPTH) result.isCut = true;
        // A folder that this user may not read, or that went meanwhile, hides only itself.
        else await walk(path, depth + 1).catch(() => undefined);
      } else if (entry.isFile()) {
        if (result.files.size >= mostFiles) {
          result.isCut = true;
          return;
        }
        const name = relative(root, path).split(sep).join('/');
        const seen = await look(path, before?.files.get(name), toRead > 0, options.byContent);
        if (seen?.hasRead) toRead -= 1;
        if (seen) result.files.set(name, seen.file);
      }
    }
  };
  try {
    await walk(root, 0);
  } catch {
    return { path: folder, isThere: false, files: new Map(), isCut: false };
  }
  return result;
}

/** Names that programs give to unfinished files. */
const isTemporary = (name: string): boolean =>
  name.startsWith('.') || /(?:\.part|\.partial|\.tmp|\.crdownload|~)$/i.test(name);

async function look(
  path: string,
  before: SeenFile | undefined,
  mayRead: boolean,
  byContent: RecognitionByContent | undefined,
): Promise<{ file: SeenFile; hasRead: boolean } | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  const file = { sizeBytes: found.size, modifiedMs: found.mtimeMs };
  const isSettled = before?.sizeBytes === file.sizeBytes && before.modifiedMs === file.modifiedMs;
  if (!isSettled) return { file: { ...file, state: 'growing' }, hasRead: false };
  if (before.state === 'foreign' || before.state === 'recording') return { file: before, hasRead: false };
  if (!mayRead) return { file: { ...file, state: 'waiting' }, hasRead: false };
  try {
    const recognised = await recognise(path, byContent);
    const isRecording = recognised !== undefined && !recognised.isEmpty;
    return {
      file: { ...file, state: isRecording ? 'recording' : 'foreign', ...(isRecording && { found: recognised }) },
      hasRead: true,
    };
  } catch {
    return { file: { ...file, state: 'unreadable' }, hasRead: true };
  }
}
