/**
 * Whole sites of any size, made once and kept: `makeFullSite` makes one through initial services and direct rows, `keptSite`
 * keeps it in a cache folder, `copyOfSite` gives a run its own copy whose signal files are hard links.
 */
import { existsSync } from 'node:fs';
import { copyFile, cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { hashPassword, newId, SYSTEM } from '../../db/index.ts';
import { MIGRATIONS } from '../../db/migrations/index.ts';
import { DAY_MS } from '../../durations.ts';
import { writeDurably } from '../../files/durable-files.ts';
import { SITE_FOLDERS, type SiteFile, sitePaths } from '../../integrity/site-file.ts';
import { openStore } from '../../services/index.ts';
import type { SignalFileSummary } from '../../signals/index.ts';
import { openSite } from '../../site/folder.ts';
import { fillDatabase } from '../full-database.ts';
import { TEST_EMAIL, TEST_PASSWORD } from '../test-site.ts';
import { type FullDatabaseSize, isMissing, recordingOf, SENSOR_CONFIG, subjectOf, WORN } from './place.ts';
import { digestOf, idOf } from './rows.ts';
import { keptSimulatedDays, type SampleDay } from './sample-days.ts';
import { writeSimulatedFiles } from './signal-file.ts';

/** Raise it when the rows or files of a full site change. */
const GENERATOR_VERSION = 4;
const SENSORS = 2;
/** The newest recordings of these subjects hold whole simulated nights. */
const SIMULATED = { subjects: 2, days: 2 };

export interface SiteSize {
  subjects: number;
  days: number;
}

export interface FullSite extends SiteSize {
  /** The site folder. */
  dir: string;
  accountId: string;
  userId: string;
  studyId: string;
  subjectIds: string[];
  hubIds: string[];
  sensorIds: string[];
  /** Credentials of the hubs. */
  deviceIds: string[];
  webhookId: string;
  /** A recording with a whole night of samples, and its subject. */
  nightRecordingId: string;
  nightSubjectId: string;
  fromTs: number;
  /** The time at which the site is to be used: its clock must not be behind its rows. */
  nowTs: number;
}

/** The last instant of every full site. */
const NOW_TS = Date.UTC(2026, 5, 1, 6);

/** @throws on a text that is not like `200x365` */
export function parseSize(text: string): SiteSize {
  const [, subjects, days] = /^(\d+)x(\d+)$/.exec(text.replace(/[,_ ]/g, '')) ?? [];
  if (subjects === undefined || days === undefined)
    throw new Error(`${text} is not a size. Write subjects x days: 200x365.`);
  return { subjects: Number(subjects), days: Number(days) };
}

/** The cache folder of this operating system. */
export function cacheFolder(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'outpost-bench');
  const base = process.platform === 'win32' ? process.env.LOCALAPPDATA : process.env.XDG_CACHE_HOME;
  return join(base ?? join(homedir(), '.cache'), 'outpost-bench');
}

/** A started study with a program of a diary every day and a walk every other day. */
async function addStudy(database: string, size: SiteSize, clock: { now: number }) {
  const store = openStore(database, { mode: 'create', clock: () => clock.now });
  try {
    const account = await store.accounts.create({ displayName: 'Full clinic' }, SYSTEM);
    const user = await store.users.create(
      {
        accountId: account.id,
        email: TEST_EMAIL,
        passwordHash: await hashPassword(TEST_PASSWORD),
        firstName: 'Ada',
        lastName: 'Byron',
        locale: 'en_US',
        timezone: 'UTC',
        role: 'ADMIN',
      },
      SYSTEM,
    );
    const change = { actor: { type: 'USER', id: user.id } } as const;
    const study = await store.studies.create({ accountId: account.id, displayName: 'Three years at home' }, change);
    const [diaryId, activityId] = [newId(), newId()];
    const questions = [{ text: 'Any pain?', type: 'BOOLEAN', values: ['YES', 'NO'] }];
    const common = { mode: 'UNSUPERVISED', questions };
    const walkDays = Array.from({ length: Math.ceil(size.days / 2) }, (_, n) => 2 * n);
    await store.studies.putDefinition(
      study.id,
      {
        diaries: [{ id: diaryId, displayName: 'Evening diary', ...common }],
        activities: [
          { id: activityId, displayName: 'Six-minute walk', durationSec: 360, instructions: 'Walk.', ...common },
        ],
        deviceConfigs: WORN.map(({ physicalConfig }) => ({
          mode: 'UNSUPERVISED',
          physicalConfig,
          sensorConfig: SENSOR_CONFIG,
        })),
        program: {
          days: size.days,
          tasks: [
            { taskId: diaryId, type: 'diary', days: 'daily' },
            { taskId: activityId, type: 'activity', days: walkDays },
          ],
        },
      },
      change,
    );
    await store.studies.move(study.id, 'start', change);
    const target = { studyId: study.id, kind: 'study-definition', targetId: study.id } as const;
    const { sha256: contentSha256 } = await store.signatures.contentOf(target);
    await store.signatures.sign({ ...target, meaning: 'APPROVED', contentSha256 }, user, change);
    await store.studies.create({ accountId: account.id, displayName: 'In preparation' }, change);
    return { accountId: account.id, userId: user.id, studyId: study.id };
  } finally {
    await store.close();
  }
}

/** Writes the long recordings; returns what they hold, by recording. */
async function writeNights(signalsDir: string, size: FullDatabaseSize): Promise<Map<string, SignalFileSummary>> {
  const written = new Map<string, SignalFileSummary>();
  for (let index = 0; index < Math.min(SIMULATED.subjects, size.subjects); index++) {
    // Their device configs do not matter to a file.
    const subject = subjectOf(size, ['', ''], index);
    for (let day = Math.max(0, size.days - SIMULATED.days); day < size.days; day++) {
      if (subject.sensors.some((_, k) => isMissing(size, subject, k, day))) continue;
      const recordings = subject.sensors.map((_, k) => recordingOf(size, subject, k, day));
      const { startTs: startMs, stopTs: stopMs } = recordings[0]!;
      const headers = recordings.map(({ header }) => header);
      const summaries = await writeSimulatedFiles(signalsDir, headers, { startMs, stopMs }, 100 + index * 10 + day);
      headers.forEach(({ recordingId }, k) => {
        const summary = summaries[k];
        if (summary) written.set(recordingId, summary);
      });
    }
  }
  return written;
}

/**
 * Makes a site in an empty or new folder: 2 sensors per subject, one recording a day from each.
 * @param options `samples`: analytics to reuse, by default plain ones; `withNights`: simulates the nights, some seconds each
 */
export async function makeFullSite(
  dir: string,
  size: SiteSize,
  options: { samples?: readonly SampleDay[]; withNights?: boolean; onDay?: (day: number) => void } = {},
): Promise<FullSite> {
  const paths = sitePaths(dir);
  for (const folder of SITE_FOLDERS) await mkdir(join(paths.dir, folder), { recursive: true });
  const fromTs = Math.floor(NOW_TS / DAY_MS) * DAY_MS - size.days * DAY_MS;
  const ids = await addStudy(paths.database, size, { now: fromTs - DAY_MS });
  const site: SiteFile = {
    format: 1,
    id: newId(),
    displayName: 'Full clinic',
    createdTs: fromTs - DAY_MS,
    urlSigningKey: '07'.repeat(32),
  };
  await writeDurably(paths.siteFile, `${JSON.stringify(site, null, 2)}\n`, 0o600);
  const full: FullDatabaseSize = { ...ids, ...size, sensors: SENSORS, fromTs };
  const { withNights = false, ...fill } = options;
  const written = withNights ? await writeNights(paths.signalsDir, full) : new Map<string, SignalFileSummary>();
  const made = fillDatabase(paths.database, full, {
    ...fill,
    signalsDir: paths.signalsDir,
    written,
  });
  // A first start makes keys and statistics, and finds whether files and rows agree.
  const folder = await openSite(dir, { clock: () => NOW_TS });
  await folder.close();
  const problems = Object.entries(folder.reconciled).filter(([, found]) => (found as string[]).length > 0);
  if (problems.length > 0)
    throw new Error(`The site that was made is not whole: ${JSON.stringify(problems).slice(0, 300)}`);
  const nightRecordingId = [...written.keys()].at(-2) ?? '';
  const nightSubjectId = made.subjectIds[Math.min(SIMULATED.subjects, size.subjects) - 1] ?? '';
  const deviceIds = made.hubIds.map((hubId) => idOf(fromTs, 'credential', hubId));
  const webhookId = idOf(fromTs, 'webhook', ids.studyId);
  return {
    ...size,
    dir,
    ...ids,
    ...made,
    deviceIds,
    webhookId,
    nightRecordingId,
    nightSubjectId,
    fromTs,
    nowTs: NOW_TS,
  };
}

/** Returns the site of this size from the cache, and makes it first where it is not there. */
export async function keptSite(size: SiteSize, cache: string, say: (text: string) => void): Promise<FullSite> {
  // Migrations do not always land in the order of their numbers.
  const schema = digestOf(MIGRATIONS.map(({ sql }) => sql).join()).slice(0, 8);
  const key = `${size.subjects}x${size.days}-g${GENERATOR_VERSION}-s${schema}-a${ANALYTICS_VERSION}`;
  const folder = join(cache, key);
  const facts = join(folder, 'full-site.json');
  const read = async (): Promise<FullSite> => ({
    ...(JSON.parse(await readFile(facts, 'utf8')) as FullSite),
    dir: join(folder, 'site'),
  });
  if (existsSync(facts)) return read();
  await mkdir(cache, { recursive: true });
  say(`Making a site of ${size.subjects} subjects x ${size.days} days in ${folder} ...`);
  const samples = await keptSimulatedDays(join(cache, `days-a${ANALYTICS_VERSION}.opa`));
  const partial = await mkdtemp(join(cache, `${key}.partial-`));
  try {
    const step = Math.max(1, Math.ceil(size.days / 10));
    const onDay = (day: number) => {
      if ((day + 1) % step === 0) say(`  ${day + 1} of ${size.days} days`);
    };
    const site = await makeFullSite(join(partial, 'site'), size, { samples, withNights: true, onDay });
    await writeFile(join(partial, 'full-site.json'), JSON.stringify(site));
    await rename(partial, folder);
  } catch (thrown) {
    await rm(partial, { recursive: true, force: true });
    // Another process may have made it meanwhile.
    if (!existsSync(facts)) throw thrown;
  }
  return read();
}

/** Folders whose files never change. */
const IMMUTABLE = ['signals', 'columns'];

/** A copy for a run that writes. Files that never change are linked, so `into` should be on the same disk. */
export async function copyOfSite(site: FullSite, into: string): Promise<FullSite> {
  const dir = join(into, 'site');
  await mkdir(dir, { recursive: true });
  for (const name of await readdir(site.dir)) {
    if (IMMUTABLE.includes(name)) await linkTree(join(site.dir, name), join(dir, name));
    else await cp(join(site.dir, name), join(dir, name), { recursive: true });
  }
  return { ...site, dir };
}

async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else await link(source, target).catch(async () => await copyFile(source, target));
  }
}
