/**
 * The files that a backup has to hold, as the rows of the site name them. A full site has some hundred thousand, which stay in memory
 * until the manifest is written, so a file is one object, which becomes its entry of the manifest.
 */
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { columnPath } from '../../files/column-files.ts';
import { type Content, sha256Hex } from '../../files/content-hash.ts';
import { QUARANTINE, uploadPaths } from '../../files/inbox.ts';
import type { Store } from '../../services/index.ts';
import { clockMapText, mapThrough } from '../../signals/index.ts';
import type { SyncPoint } from '../../study/recording.ts';
import { ERASURES_FILE } from '../erasure/list.ts';
import { sitePaths } from '../site-file.ts';
import type { BackupFile } from './manifest.ts';
import { statOf } from './targets.ts';

const SLICE = 1000;
const COLUMN_SLICE = 5000;

export interface PlannedFile {
  /** Place in a site, with forward slashes. */
  path: string;
  sizeBytes: number;
  /** What the row, or an earlier backup, says of its content. */
  sha256?: string;
  /** Where it may have been moved to since the copy of the database was made. */
  movedTo?: string[];
  /** Its absence is not an error. */
  isOptional?: boolean;
}

/** The content that a planned file must have, as far as it is known. */
export function knownOf(planned: PlannedFile): Content | undefined {
  return isKnown(planned) ? planned : undefined;
}

const isKnown = (planned: PlannedFile): planned is PlannedFile & Content => planned.sha256 !== undefined;

/** The entry of the manifest for a file whose content is the known one. */
export function entryOf(planned: PlannedFile, { sizeBytes, sha256 }: Content): BackupFile {
  const isPlain = planned.movedTo === undefined && planned.isOptional === undefined;
  return isPlain && isKnown(planned) ? planned : { path: planned.path, sizeBytes, sha256 };
}

/** Returns where a planned file lies now, and its size there; nothing when it is missing. */
export function placesIn(siteDir: string): (planned: PlannedFile) => { path?: string; original?: Stats } {
  const root = join(siteDir, '/');
  return ({ path, movedTo }) => {
    const source = root + path;
    const original = statOf(source);
    if (original) return { path: source, original };
    for (const moved of movedTo ?? []) {
      const found = statOf(moved);
      if (found) return { path: moved, original: found };
    }
    return {};
  };
}

/** @param knownBefore contents of pictures by their places, from an earlier backup */
export async function planFiles(
  store: Store,
  siteDir: string,
  knownBefore: () => Promise<ReadonlyMap<string, Content>>,
): Promise<PlannedFile[]> {
  const plan: PlannedFile[] = [];
  let after = '';
  for (;;) {
    const rows = await store.recordings.filesAfter(after, SLICE);
    const knots = await store.clocks.knotsOf(rows.map(({ id }) => id));
    for (const { id, sizeBytes, sha256 } of rows) {
      const corrected = knots.get(id);
      if (corrected) plan.push(clockMapOf(id, corrected));
      plan.push({ path: `signals/${id}.sig`, sizeBytes, sha256 });
      after = id;
    }
    if (rows.length < SLICE) break;
  }
  const listed = statOf(join(siteDir, ERASURES_FILE));
  if (listed) plan.push({ path: ERASURES_FILE, sizeBytes: listed.size });
  await addColumnFiles(store, plan);
  plan.push(...(await waitingFiles(store, siteDir)));
  const contents = await store.messages.imageContents();
  // Pictures that an older version stored have no hash of their own until the site has read them once.
  const pictures = contents.some(({ sha256 }) => sha256 === undefined) ? await knownBefore() : undefined;
  for (const { file, ...known } of contents) {
    const path = `images/${file}`;
    if (known.sha256 !== undefined) {
      plan.push({ path, sizeBytes: known.sizeBytes, sha256: known.sha256 });
      continue;
    }
    const sizeBytes = statOf(join(siteDir, path))?.size ?? 0;
    const before = pictures?.get(path);
    plan.push({ path, sizeBytes, ...(before?.sizeBytes === sizeBytes && { sha256: before.sha256 }) });
  }
  return plan;
}

/** Second columns of analysed days. A file stays for a week after its row was replaced, so that a running backup has it. */
async function addColumnFiles(store: Store, plan: PlannedFile[]): Promise<void> {
  for (let after = ''; ; ) {
    const contents = await store.analytics.columnFilesAfter(after, COLUMN_SLICE);
    for (const { sizeBytes, sha256 } of contents) {
      plan.push({ path: columnPath(sha256), sizeBytes, sha256 });
      after = sha256;
    }
    if (contents.length < COLUMN_SLICE) return;
  }
}

/** Without it, the recording has the sensor's times, which may be years off. Its content follows from the row of the correction. */
function clockMapOf(id: string, knots: SyncPoint[]): PlannedFile {
  const text = clockMapText(mapThrough(knots));
  // The text is ASCII.
  return { path: `signals/${id}.clock`, sizeBytes: text.length, sha256: sha256Hex(text) };
}

/**
 * Files in quarantine: the site has acknowledged them, so their devices may have deleted their copies. Files that are still being
 * received or checked for the first time are left out: after a restore, their devices send them again.
 */
async function waitingFiles(store: Store, siteDir: string): Promise<PlannedFile[]> {
  const { inboxDir, signalsDir } = sitePaths(siteDir);
  const uploads = await store.uploads.list({ states: ['QUARANTINED', 'REJECTED', 'RECEIVED'] });
  return uploads
    .filter(({ state, decidedBy }) => state !== 'RECEIVED' || decidedBy !== undefined)
    .map(({ id, state, recordingId, sizeBytes, sha256 }) => ({
      path: `inbox/${QUARANTINE}/${id}.sig`,
      sizeBytes,
      sha256,
      movedTo: [uploadPaths(inboxDir, id).data, join(signalsDir, `${recordingId}.sig`)],
      // The file of a rejected upload is deleted after a while.
      ...(state === 'REJECTED' && { isOptional: true }),
    }));
}
