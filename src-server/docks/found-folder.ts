/** What is known of a watched folder between two looks at it. */
import type { FileKind, FileSet } from '../importers/file-sets.ts';
import type { FileFault } from '../vocabulary/docks.ts';
import type { Recognised } from './recognise.ts';

export interface UnreadableFile {
  name: string;
  why: FileFault;
}

/** Why something cannot be read. Times in ms of the clock of the looks. */
export interface SeenFault {
  why: FileFault;
  sinceMs: number;
  /** For minutes: nothing waits for it any more, and a person should know of it. */
  isLasting: boolean;
}

interface TriedFault extends SeenFault {
  /** When it was tried last. */
  triedMs: number;
}

export interface SeenFile {
  sizeBytes: number;
  modifiedMs: number;
  /** `foreign`: no recording that can be taken; `part`: it may belong to others. */
  state: 'growing' | 'waiting' | 'foreign' | 'unreadable' | 'recording' | 'part';
  kind?: FileKind;
  /** Set once its content was read. */
  contentId?: string;
  found?: Recognised;
  fault?: TriedFault;
  /** By which templates a text was looked at. */
  templatesKey?: string;
}

export interface FoundFolder {
  path: string;
  /** False while it cannot be read: a network drive that is away. */
  isThere: boolean;
  /** By the path below the folder. */
  files: Map<string, SeenFile>;
  /** Files that belong together, by what they are called. */
  sets: Map<string, SeenSet>;
  /** Files that are part of a set, or could still become one: they are not offered alone. */
  heldBack: Set<string>;
  /** When something came, grew or went last in a folder of this one, by its path; in ms of the clock of the looks. */
  changedMs: Map<string, number>;
  /** Sizes of unfinished files under temporary names, by path. */
  temporary: Map<string, number>;
  /** Folders below that cannot be read, with all that is in them. */
  closed: Map<string, SeenFault>;
  /** What sets were found in which list of files. */
  listings: Map<string, Listing>;
  /** There are more files or levels than are looked at. */
  isCut: boolean;
}

export interface SetMember {
  /** Base name. */
  name: string;
  /** Below the folder. */
  path: string;
  id: string;
  sizeBytes: number;
}

export interface SeenSet {
  /** Below the folder; stays the same when files arrive later. */
  displayName: string;
  isWhole: boolean;
  /** Base names of files that its header names and that are not there. */
  missing: string[];
  /** Base names of files of it, and of files beside it that may be of it, that cannot be read and are waited for no longer. */
  unreadable: UnreadableFile[];
  /** Those whose content was read. */
  members: SetMember[];
  state: 'waiting' | 'recording';
  found?: Recognised;
}

/** The sets of a list of files, which is read again only when the list changes. */
export interface Listing {
  key: string;
  sets: FileSet[];
}

/** Files and folders below that cannot be read now, by path. */
export const unreadableIn = (folder: FoundFolder): UnreadableFile[] =>
  faultsIn(folder).map(({ name, fault: { why } }) => ({ name, why }));

/** Those of them that could not be read for minutes, and since when, in ms of the clock of the looks. */
export const lastinglyUnreadableIn = (folder: FoundFolder): { name: string; sinceMs: number }[] =>
  faultsIn(folder).flatMap(({ name, fault: { isLasting, sinceMs } }) => (isLasting ? [{ name, sinceMs }] : []));

function faultsIn({ files, closed }: FoundFolder): { name: string; fault: SeenFault }[] {
  const ofFolders = [...closed].map(([name, fault]) => ({ name: `${name}/`, fault }));
  const ofFiles = [...files].flatMap(([name, { fault }]) => (fault ? [{ name, fault }] : []));
  return [...ofFolders, ...ofFiles];
}
