/**
 * Takes the recordings of a damaged site over into a new one, from their signal files alone. A recording that the new site knows and
 * has no good file of gets its file back; an unknown one goes to the subject who wore its sensor then, and where no assignment says
 * who that was, to a study of its own with one subject for each sensor. The damaged site is only read.
 */
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SYSTEM } from '../../db/index.ts';
import { toOutpostError } from '../../errors.ts';
import { hashFile, recordingContent, stopIfCancelled } from '../../files/content-hash.ts';
import { syncDirectory } from '../../files/durable-files.ts';
import { ORPHANED, QUARANTINE, UPLOADS } from '../../files/inbox.ts';
import { writeNew } from '../../integrity/content.ts';
import { sitePaths } from '../../integrity/site-file.ts';
import {
  buildOverview,
  type ClockMap,
  clockPath,
  hostTimeUs,
  openSignalFile,
  readClockMap,
  recoverSignalFile,
  verifySignalFile,
} from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import { destinationOf } from '../../study/upload-rules.ts';
import type { SiteFolder } from '../folder.ts';
import { recheckFile } from '../reconcile.ts';
import { setAside } from '../reconcile-uploads.ts';

export type RecoveryLanguage = 'en' | 'ja';

export interface AdoptOptions {
  language?: RecoveryLanguage;
  nowTs: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number; step: string }) => void;
}

export interface Adopted {
  /** Recordings that the new site did not know. */
  added: number;
  /** Of these, the ones whose subject no assignment tells. */
  unassigned: number;
  /** Recordings that it knew without a good file. */
  filesReturned: number;
  /** Files of which only a part was whole; the rest is left out. */
  partial: { file: string; message: string }[];
  /** Files without a sample that can be read, kept in `inbox/orphaned`. */
  unreadable: { file: string; message: string }[];
}

const WORDS = {
  en: { study: 'Rebuilt recordings', sensor: 'Sensor', unknown: 'Unknown sensor' },
  ja: { study: 'ファイルから復元した記録', sensor: 'センサー', unknown: '不明なセンサー' },
};

export async function adoptRecordings(folder: SiteFolder, damagedDir: string, options: AdoptOptions): Promise<Adopted> {
  const adopted: Adopted = { added: 0, unassigned: 0, filesReturned: 0, partial: [], unreadable: [] };
  const files = await signalFilesOf(damagedDir);
  const strangers = strangersOf(folder, options);
  for (const [index, path] of files.entries()) {
    stopIfCancelled(options.signal);
    options.onProgress?.({ done: index, total: files.length, step: 'reading the recordings of the damaged site' });
    await adopt({ folder, path, adopted, strangers, nowTs: options.nowTs });
  }
  await syncDirectory(folder.signalsDir);
  return adopted;
}

/** Everything in a site that can be a whole recording; what a device has only begun to send, it sends again. */
async function signalFilesOf(dir: string): Promise<string[]> {
  const { signalsDir, inboxDir } = sitePaths(dir);
  const files: string[] = [];
  for (const [place, suffix] of [
    [signalsDir, '.sig'],
    [join(inboxDir, QUARANTINE), '.sig'],
    [join(inboxDir, ORPHANED), '.sig'],
    [join(inboxDir, UPLOADS), '.part'],
  ] as const) {
    const names = (await readdir(place).catch(() => [])).filter((name) => name.endsWith(suffix));
    files.push(...names.sort().map((name) => join(place, name)));
  }
  return files;
}

interface Adoption {
  folder: SiteFolder;
  path: string;
  adopted: Adopted;
  strangers: Strangers;
  nowTs: number;
}

async function adopt({ folder, path, adopted, strangers, nowTs }: Adoption): Promise<void> {
  const { store, signalsDir, inboxDir } = folder;
  const isUpload = path.endsWith('.part');
  let header: SignalHeader;
  try {
    const file = await openSignalFile(path);
    header = file.header;
    await file.close();
  } catch (thrown) {
    if (!isUpload) await keepUnreadable(inboxDir, path, adopted, toOutpostError(thrown).message);
    return;
  }
  const id = header.recordingId;
  if ((await store.erasures.erasedAmong([{ recordingId: id, sensorId: '', startMs: 0 }])).size > 0) return;
  const known = await store.recordings.get(id);
  if (known?.fileState === 'PRESENT') return;
  // The rest of an upload that is not whole comes from the device again.
  if (isUpload && (await verifySignalFile(path)).problems.length > 0) return;
  const scratch = join(signalsDir, `${id}.sig.partial`);
  const target = join(signalsDir, `${id}.sig`);
  await rm(scratch, { force: true });
  await writeNew(createReadStream(path), scratch, { mode: 0o600 });
  const clock = await takeClock(path, target);
  if (known) {
    await rename(scratch, target);
    await syncDirectory(signalsDir);
    await recheckFile(store, id, target);
    if ((await store.recordings.require(id)).fileState === 'PRESENT') adopted.filesReturned += 1;
    return;
  }
  try {
    const found = await recoverSignalFile(scratch);
    const content = await hashFile(scratch);
    await rename(scratch, target);
    await syncDirectory(signalsDir);
    await buildOverview(target);
    const problems = [...found.problems, ...(clock.problem === undefined ? [] : [clock.problem])];
    const span = { startUs: found.startUs, stopUs: found.stopUs };
    const isKnownWearer = await addRow({ folder, header, content, span, clock, problems, found, strangers, nowTs });
    adopted.added += 1;
    if (!isKnownWearer) adopted.unassigned += 1;
    const [message] = problems;
    if (message !== undefined) adopted.partial.push({ file: basename(path), message });
  } catch (thrown) {
    for (const made of [scratch, target, clockPath(target)]) await rm(made, { force: true });
    const error = toOutpostError(thrown);
    if (error.code === 'DISK_FULL') throw error;
    await keepUnreadable(inboxDir, path, adopted, error.message);
  }
}

async function keepUnreadable(inboxDir: string, path: string, adopted: Adopted, message: string): Promise<void> {
  const name = basename(path);
  const scratch = join(inboxDir, name);
  await copyFile(path, scratch);
  const handle = await open(scratch, 'r+');
  await handle.sync().finally(() => handle.close());
  await mkdir(join(inboxDir, ORPHANED), { recursive: true });
  await setAside(inboxDir, scratch);
  await syncDirectory(join(inboxDir, ORPHANED));
  adopted.unreadable.push({ file: name, message });
}

/** The clock map beside a signal file; without one, its times are the sensor's own. */
async function takeClock(path: string, target: string): Promise<{ map?: ClockMap; problem?: string }> {
  if (!existsSync(clockPath(path))) return {};
  try {
    const map = await readClockMap(path);
    if (!map) return {};
    await rm(clockPath(target), { force: true });
    await writeNew(createReadStream(clockPath(path)), clockPath(target), { mode: 0o600 });
    return { map };
  } catch (thrown) {
    return { problem: `${toOutpostError(thrown).message} The times are those of the sensor's own clock.` };
  }
}

interface NewRow extends Omit<Adoption, 'path' | 'adopted'> {
  header: SignalHeader;
  content: { sizeBytes: number; sha256: string };
  span: { startUs: number; stopUs: number };
  clock: { map?: ClockMap };
  problems: string[];
  found: { sampleCounts: number[] };
}

/** @returns whether an assignment told whose recording it is */
async function addRow({ folder, header, content, span, clock, problems, found, strangers, nowTs }: NewRow) {
  const { store } = folder;
  const { map } = clock;
  const startUs = map ? Math.round(hostTimeUs(map, span.startUs)) : span.startUs;
  const stopUs = map ? Math.round(hostTimeUs(map, span.stopUs)) : span.stopUs;
  const wearer = await wearerOf(folder, header, { startUs, stopUs }, nowTs);
  const place = wearer ?? (await strangers.placeOf(header.udid));
  await store.transaction(async ({ studies, recordings, clocks, jobs }) => {
    const { id: deviceConfigId } = await studies.matchDeviceConfig(place.studyId, header, SYSTEM);
    await recordings.add(
      {
        id: header.recordingId,
        ...place,
        deviceConfigId,
        recordingId: header.deviceRecordingId,
        startUs,
        stopUs,
        udid: header.udid,
        hardwareId: header.hardwareId,
        firmwareId: header.firmwareId,
        physicalConfig: header.physicalConfig,
        sensorConfig: header.sensorConfig,
        ...content,
        channels: header.channels,
        sampleCounts: found.sampleCounts,
        syncPoints: header.syncPoints,
        // As for an upload: the same file from a hub is then known.
        contentSha256: recordingContent(content.sha256),
        sourceFormat: header.source.format,
        sourceFileName: header.source.fileName,
        notes: ['Rebuilt from its signal file.', ...problems],
      },
      SYSTEM,
    );
    if (map) {
      const sensorSpan = span.stopUs - span.startUs;
      await clocks.addCorrection({
        recordingId: header.recordingId,
        sensorStartUs: span.startUs,
        sensorStopUs: span.stopUs,
        startOffsetUs: startUs - span.startUs,
        driftPpm: sensorSpan > 0 ? ((stopUs - startUs) / sensorSpan - 1) * 1e6 : 0,
        knots: map.knots,
        leftOut: 0,
      });
    }
    const [fromMs, toMs] = [Math.floor(startUs / 1000), Math.floor(stopUs / 1000) + 1];
    await jobs.queue('analyse', { ...place, fromMs, toMs, recordingIds: [header.recordingId] }, SYSTEM);
  });
  return wearer !== undefined;
}

/** Who wore the sensor then, if an assignment says so without a doubt. */
async function wearerOf(
  { store }: SiteFolder,
  { udid }: SignalHeader,
  { startUs, stopUs }: { startUs: number; stopUs: number },
  nowTs: number,
): Promise<{ studyId: string; subjectId: string } | undefined> {
  const sensor = udid === '' ? undefined : await store.equipment.findByUdid(udid);
  if (!sensor) return undefined;
  const holdings = await store.equipment.holdings(sensor.id);
  const closed = new Set<string>();
  for (const studyId of new Set(holdings.map((holding) => holding.studyId))) {
    const { lifecycleState, lockedTs } = await store.studies.require(studyId);
    if (lifecycleState === 'COMPLETE' || lockedTs !== undefined) closed.add(studyId);
  }
  const others = await store.recordings.overlappingOfSensor(udid, { fromUs: startUs, toUs: stopUs });
  const destination = destinationOf(
    { startMs: startUs / 1000, stopMs: stopUs / 1000, isOtherSensor: false },
    holdings,
    others.map((other) => ({ id: other.id, startMs: other.startUs / 1000, stopMs: other.stopUs / 1000 })),
    nowTs,
    (studyId) => (closed.has(studyId) ? 'STUDY_COMPLETE' : undefined),
  );
  if ('code' in destination) return undefined;
  return { studyId: destination.studyId, subjectId: destination.subjectId };
}

interface Strangers {
  placeOf(udid: string): Promise<{ studyId: string; subjectId: string }>;
}

/** The study of recordings without a known subject, made when the first one needs it. */
function strangersOf({ store }: SiteFolder, { language = 'en', nowTs }: AdoptOptions): Strangers {
  const words = WORDS[language];
  const subjects = new Map<string, string>();
  let studyId: string | undefined;
  return {
    placeOf: async (udid) => {
      if (studyId === undefined) {
        const [account] = await store.accounts.list();
        const day = new Date(nowTs).toISOString().slice(0, 10);
        const displayName = `${words.study} ${day}`;
        studyId = (await store.studies.create({ accountId: account!.id, displayName }, SYSTEM)).id;
      }
      let subjectId = subjects.get(udid);
      if (subjectId === undefined) {
        const displayName = udid === '' ? words.unknown : `${words.sensor} ${udid}`;
        const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        subjectId = (await store.subjects.create(studyId, { displayName, timezone }, SYSTEM)).id;
        subjects.set(udid, subjectId);
      }
      return { studyId, subjectId };
    },
  };
}
