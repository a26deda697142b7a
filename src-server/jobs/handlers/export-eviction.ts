/**
 * Bounds the exports folder. Every file in it can be recreated, so expired files are evicted, and the oldest ones when space runs
 * low. The row is updated before the file is deleted: a file without a row is removed in the next run.
 */

import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM } from '../../db/index.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { neutralName } from '../../exporters/study-export/neutral-name.ts';
import type { Store } from '../../services/index.ts';
import { removeLostParts } from './export-parts.ts';

export interface ExportLimits {
  /** Retention of study exports. */
  keptDays: number;
  /** Retention of exports of single recordings. */
  recordingKeptDays: number;
  /** Limit of the total size. */
  mostBytes: number;
  /** Files are evicted while the disk has less free space than this. */
  leastFreeBytes: number;
}

export const EXPORT_LIMITS: ExportLimits = {
  keptDays: 30,
  recordingKeptDays: 7,
  mostBytes: 50e9,
  leastFreeBytes: 2e9,
};

/** A file this young may still be downloaded: signed addresses are valid for an hour. */
const GRACE_MS = HOUR_MS;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** `<recording>.zip`, `<recording>.edf-<state>` and the like, `study-<study>-<export>.zip`, and the neutral names of de-identified files. */
const OWN_NAME = new RegExp(
  `^(?:(?:study-${UUID}-)?${UUID}|deidentified-(?:study|recording)-[0-9a-f]{16})\\.(?!partial$)[a-z0-9-]+$`,
);

interface ExportsFolder {
  store: Store;
  exportsDir: string;
}

interface FoundFile {
  name: string;
  sizeBytes: number;
  modifiedMs: number;
}

/** Applies the limits. Returns the names of the evicted files. */
export async function removeExports(
  { store, exportsDir }: ExportsFolder,
  limits: ExportLimits = EXPORT_LIMITS,
  nowMs: number = Date.now(),
): Promise<string[]> {
  const files = await finishedFiles(exportsDir);
  const records = new Map((await store.exports.kept()).map((record) => [record.file?.name ?? '', record]));
  const unfinished = (await store.jobs.unfinished()).map(({ id }) => id);
  const removed: string[] = [];
  const partsBytes = await removeLostParts(exportsDir, new Set(unfinished));
  let total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, partsBytes);
  const space = await statfs(exportsDir);
  let free = space.bavail * space.bsize;
  for (const file of files) {
    const record = records.get(file.name);
    const isOfStudy = /^(?:deidentified-)?study-/.test(file.name);
    // Between the rename of a finished file and its row, only the job knows of it.
    if (
      isOfStudy &&
      !record &&
      unfinished.some((id) => file.name.includes(id) || file.name.startsWith(neutralName('study', id)))
    )
      continue;
    const ageMs = nowMs - file.modifiedMs;
    const limitDays = isOfStudy ? limits.keptDays : limits.recordingKeptDays;
    const isLost = isOfStudy && !record;
    const isOld = ageMs > limitDays * DAY_MS;
    const isInTheWay = ageMs > GRACE_MS && (total > limits.mostBytes || free < limits.leastFreeBytes);
    if (!isLost && !isOld && !isInTheWay) continue;
    if (record) await store.exports.remove(record.id, isOld ? 'EXPIRED' : 'SPACE', SYSTEM);
    await rm(join(exportsDir, file.name), { force: true });
    removed.push(file.name);
    total -= file.sizeBytes;
    free += file.sizeBytes;
  }
  return removed;
}

/** Returns the files made by Outpost, oldest first, without partial files and files that a person put there. */
async function finishedFiles(exportsDir: string): Promise<FoundFile[]> {
  const files: FoundFile[] = [];
  for (const entry of await readdir(exportsDir, { withFileTypes: true })) {
    if (!entry.isFile() || !OWN_NAME.test(entry.name)) continue;
    const facts = await stat(join(exportsDir, entry.name)).catch(() => undefined);
    if (facts) files.push({ name: entry.name, sizeBytes: facts.size, modifiedMs: facts.mtimeMs });
  }
  return files.sort((a, b) => a.modifiedMs - b.modifiedMs);
}
