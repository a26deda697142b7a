/** Finds recordings in a watched folder and below it. Links are not followed, and nothing is written there. */
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isPart, kindAlone } from '../importers/file-sets.ts';
import type { FileFault } from '../vocabulary/docks.ts';
import { findSets } from './find-sets.ts';
import type { FoundFolder, SeenFault, SeenFile } from './found-folder.ts';
import { identify, type RecognitionByContent, recogniseAs } from './recognise.ts';

const MOST_DEPTH = 10;
const MOST_FILES = 20_000;
/** Heads that one look reads, so that thousands of new files do not keep it from seeing a pulled drive. */
const MOST_READ = 200;
/** Files that could not be read before, and are tried again in one look: however many there are, new ones have their turn. */
const MOST_RETRIED = 50;
/** A folder in which nothing came, grew or went for so long is quiet: what belongs together is there. */
export const QUIET_MS = 120_000;
/** A file that cannot be read for so long holds nothing back any more: what is beside it is offered, and the file is named. */
export const UNREADABLE_MS = 300_000;
/** A lasting fault is tried again after so long. */
export const RETRY_MS = 300_000;
/** Folders that systems keep in the root of a drive. They hold no recordings, and mostly nobody may read them. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  'system volume information',
  '$recycle.bin',
  'recycler',
  'lost+found',
]);

export interface FindOptions {
  siteDir?: string;
  mostFiles?: number;
  byContent?: RecognitionByContent;
  /** Ms of a clock that never jumps; default: that of the process. */
  nowMs?: number;
  /** Default {@link QUIET_MS}. */
  quietMs?: number;
}

/** Looks once. A file counts when its size and time are those of the look before; a set, when its folder is quiet too. */
export async function findFiles(
  folder: string,
  before: FoundFolder | undefined,
  options: FindOptions = {},
): Promise<FoundFolder> {
  const result: FoundFolder = { ...nothingIn(folder), isThere: true };
  const nowMs = options.nowMs ?? performance.now();
  const root = resolve(folder);
  const mostFiles = options.mostFiles ?? MOST_FILES;
  const templatesKey = JSON.stringify(options.byContent?.templates ?? []);
  const budget = { toRead: MOST_READ, toRetry: MOST_RETRIED };
  const changed = new Set<string>();
  // With files whose kind or content is not known yet: any of them may belong to a set there.
  const unread = new Set<string>();
  const walk = async (directory: string, depth: number): Promise<void> => {
    if (options.siteDir !== undefined && directory === resolve(options.siteDir)) return;
    const entries = await readdir(directory, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      const name = relative(root, path).split(sep).join('/');
      if (isTemporary(entry.name)) {
        // Such as the next file of a set, while rsync or a cloud client writes it.
        const found = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
        if (!found) continue;
        result.temporary.set(name, found.size);
        if (before?.temporary.get(name) !== found.size) changed.add(dirname(name));
      } else if (entry.isDirectory()) {
        if (SYSTEM_FOLDERS.has(entry.name.toLowerCase())) continue;
        if (depth >= MOST_DEPTH) result.isCut = true;
        else {
          await walk(path, depth + 1).catch((thrown: unknown) => {
            // One that went meanwhile is none.
            if (codeOf(thrown) === 'ENOENT') return;
            result.closed.set(name, seenFault(thrown, before?.closed.get(name), nowMs));
          });
        }
      } else if (entry.isFile()) {
        if (result.files.size >= mostFiles) {
          result.isCut = true;
          return;
        }
        const seenBefore = before?.files.get(name);
        const file = await look(path, seenBefore, budget, { ...options, templatesKey, nowMs });
        if (!file) continue;
        result.files.set(name, file);
        if (file.state === 'waiting' || file.fault?.isLasting === false) unread.add(dirname(name));
        // A log of another program may grow for ever; it holds nothing back.
        const isOfNoSet = file.kind === 'UNKNOWN' && seenBefore && !before?.heldBack.has(name);
        if (file.state === 'growing' && !isOfNoSet) changed.add(dirname(name));
      }
    }
  };
  try {
    await walk(root, 0);
  } catch {
    return nothingIn(folder);
  }
  for (const name of before?.files.keys() ?? []) if (!result.files.has(name)) changed.add(dirname(name));
  for (const name of result.files.keys()) {
    const directory = dirname(name);
    result.changedMs.set(directory, changed.has(directory) ? nowMs : (before?.changedMs.get(directory) ?? nowMs));
  }
  await findSets(root, result, before, {
    isQuiet: (directory) =>
      !unread.has(directory) && nowMs - (result.changedMs.get(directory) ?? nowMs) >= (options.quietMs ?? QUIET_MS),
    byContent: options.byContent,
  });
  return result;
}

function nothingIn(path: string): FoundFolder {
  return {
    ...{ path, isThere: false, isCut: false, files: new Map(), sets: new Map(), heldBack: new Set() },
    ...{ changedMs: new Map(), temporary: new Map(), listings: new Map(), closed: new Map() },
  };
}

const codeOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? '';

/** Windows reports a file that another program locked as EBUSY, or as EPERM beside a denied one. */
function faultOf(thrown: unknown): FileFault {
  const code = codeOf(thrown);
  if (code === 'EACCES' || code === 'EPERM') return 'NO_ACCESS';
  if (code === 'EBUSY' || code === 'ETXTBSY' || code === 'EAGAIN') return 'IN_USE';
  return /^(?:ETIMEDOUT|ESTALE|EHOST\w+|ENET\w+|ENOTCONN|ECONN\w+)$/.test(code) ? 'AWAY' : 'DISK_ERROR';
}

function seenFault(thrown: unknown, before: SeenFault | undefined, nowMs: number): SeenFault {
  const sinceMs = before?.sinceMs ?? nowMs;
  return { why: faultOf(thrown), sinceMs, isLasting: nowMs - sinceMs >= UNREADABLE_MS };
}

/** Names that programs give to unfinished files. */
const isTemporary = (name: string): boolean =>
  name.startsWith('.') || /(?:\.part|\.partial|\.tmp|\.crdownload|~)$/i.test(name);

/** @param budget what the look may still read; lowered by what is read */
async function look(
  path: string,
  before: SeenFile | undefined,
  budget: { toRead: number; toRetry: number },
  { byContent, templatesKey, nowMs }: FindOptions & { templatesKey: string; nowMs: number },
): Promise<SeenFile | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) return undefined;
  const file = { sizeBytes: stats.size, modifiedMs: stats.mtimeMs };
  const isSettled = before?.sizeBytes === file.sizeBytes && before.modifiedMs === file.modifiedMs;
  if (!isSettled) {
    // What it is shows in its first bytes, long before it is whole.
    const isKnown = before?.kind !== undefined && before.kind !== 'UNKNOWN';
    const mayTell = before !== undefined && !isKnown && budget.toRead > 0 && stats.size > 0;
    if (mayTell) budget.toRead -= 1;
    const kind = mayTell ? await kindAlone(path).catch(() => undefined) : before?.kind;
    return { ...file, state: 'growing', ...(kind && { kind }) };
  }
  const isOfTemplates = before.state === 'foreign' || before.found?.table !== undefined;
  const isRead = before.state === 'foreign' || before.state === 'recording' || before.state === 'part';
  const isCurrent = !isOfTemplates || before.kind !== 'UNKNOWN' || before.templatesKey === templatesKey;
  if (isRead && isCurrent) return before;
  const knownKind = before.kind && { kind: before.kind };
  if (before.fault) {
    // One that could not be read stays what it is until its turn.
    const isDue = !before.fault.isLasting || nowMs - before.fault.triedMs >= RETRY_MS;
    if (!isDue || budget.toRetry <= 0) return before;
    budget.toRetry -= 1;
  } else {
    if (budget.toRead <= 0) return isRead ? before : { ...file, state: 'waiting', ...knownKind };
    budget.toRead -= 1;
  }
  try {
    const identified = await identify(path);
    const known = { ...file, kind: identified.kind, contentId: identified.id, templatesKey };
    if (isPart(identified.kind)) return { ...known, state: 'part' };
    const found = await recogniseAs(path, identified, byContent);
    const isRecording = found !== undefined && !found.isEmpty;
    return { ...known, state: isRecording ? 'recording' : 'foreign', ...(isRecording && { found }) };
  } catch (thrown) {
    const fault = { ...seenFault(thrown, before.fault, nowMs), triedMs: nowMs };
    return { ...file, state: 'unreadable', ...knownKind, fault };
  }
}
