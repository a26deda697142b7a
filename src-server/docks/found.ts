/** A recording that is there now, on a plugged-in recorder or in a watched folder. */
import { portableName } from '../files/portable-name.ts';
import type { DockAction, TransferSource } from '../vocabulary/docks.ts';
import type { FoundDrive } from './find-drives.ts';
import type { FoundFolder, SetMember, UnreadableFile } from './found-folder.ts';
import type { Recognised } from './recognise.ts';

export interface WatchedFolder {
  path: string;
  studyId: string;
  action: DockAction;
}

export interface Found {
  source: TransferSource;
  /** Absolute; other than `displayName`, it is shown to nobody. */
  path: string;
  /** Label of the drive, or path of the file below its folder. */
  displayName: string;
  label?: string;
  recognised: Recognised;
  action: DockAction;
  folder?: WatchedFolder;
  /** The files of a set, all that are taken together. */
  members?: SetMember[];
  /** Base names of files that the set names and does not have. */
  missing?: string[];
  /** Files of the set, or beside it, that cannot be read: they are not part of what is taken. */
  unreadable?: UnreadableFile[];
  /** Of a set whose other files were taken before these came. */
  late?: { names: string[]; studyId?: string; subjectId?: string };
}

/** A watched folder with what the last look found there. */
export interface SeenFolder {
  rule: WatchedFolder;
  seen: FoundFolder;
}

/**
 * What is found now, by id. A recording in two places is one; the recorder is named before a folder.
 * @param offersOf of a set, with what was taken of it before
 */
export function foundNow(
  drives: Iterable<FoundDrive>,
  folders: Iterable<SeenFolder>,
  action: DockAction,
  offersOf: (folder: SeenFolder) => Found[],
): Map<string, Found> {
  const all = new Map<string, Found>();
  for (const folder of folders) {
    const { rule, seen } = folder;
    for (const offer of offersOf(folder)) if (!all.has(offer.recognised.id)) all.set(offer.recognised.id, offer);
    for (const [name, { found }] of seen.files) {
      if (!found || seen.heldBack.has(name) || all.has(found.id)) continue;
      const path = `${rule.path}/${name}`;
      all.set(found.id, {
        source: 'FOLDER',
        path,
        displayName: name,
        recognised: found,
        action: rule.action,
        folder: rule,
      });
    }
  }
  for (const { found, state, path, label } of drives) {
    if (!found || state !== 'RECORDING') continue;
    const displayName = label ?? nameOf(found);
    all.set(found.id, {
      source: 'DOCK',
      path,
      displayName,
      ...(label !== undefined && { label }),
      recognised: found,
      action,
    });
  }
  return all;
}

export const nameOf = ({ model, serial }: Pick<Recognised, 'model' | 'serial'>): string =>
  [model, serial].filter((part) => part !== undefined).join(' ') || '?';

/** Under what name the copy is imported, which its recording keeps. */
export function importName({ source, displayName, recognised: { model, serial, sessionId } }: Found): string {
  if (source === 'DOCK') return `${[model, serial, sessionId].join('_')}.cwa`;
  return safeName(displayName.split('/').at(-1) ?? '');
}

/** A folder's names may hold what must not become a path. */
export const safeName = (name: string): string => portableName(name) || 'recording';
