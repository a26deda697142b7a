/** A recording that is there now, on a plugged-in recorder or in a watched folder. */
import type { DockAction, TransferSource } from '../vocabulary/docks.ts';
import type { FoundDrive } from './find-drives.ts';
import type { FoundFolder } from './find-files.ts';
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
}

/** A watched folder with what the last look found there. */
export interface SeenFolder {
  rule: WatchedFolder;
  seen: FoundFolder;
}

/** What is found now, by id. A recording in two places is one; the recorder is named before a folder. */
export function foundNow(
  drives: Iterable<FoundDrive>,
  folders: Iterable<SeenFolder>,
  action: DockAction,
): Map<string, Found> {
  const all = new Map<string, Found>();
  for (const { rule, seen } of folders) {
    for (const [name, { found }] of seen.files) {
      if (!found || all.has(found.id)) continue;
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

/** Under what name the copy is imported, which its recording keeps. A folder's names may hold what must not become a path. */
export function importName({ source, displayName, recognised: { model, serial, sessionId } }: Found): string {
  if (source === 'DOCK') return `${[model, serial, sessionId].join('_')}.cwa`;
  const name = displayName.split('/').at(-1) ?? '';
  return /^[^\p{Cc}/\\]{1,200}$/u.test(name) && !name.startsWith('.') ? name : 'recording';
}
