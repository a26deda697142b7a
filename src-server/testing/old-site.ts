/** Site folders as released versions left them: of an old schema, with rows in the tables that later steps rewrite. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createSecondColumns } from '../analytics/seconds.ts';
import { encodeArrays } from '../db/array-codec.ts';
import { migrate } from '../db/migrate.ts';
import { MIGRATIONS } from '../db/migrations/index.ts';
import { DAY_MS } from '../durations.ts';
import { newSiteFile, SITE_FOLDERS, sitePaths, writeSiteFile } from '../integrity/site-file.ts';
import { createSignalFile } from '../signals/index.ts';
import { Random } from '../simulator/physiology/random.ts';

const SUBJECTS = 200;
const ROWS_OF_SUBJECT = 12;
const DAYS = 8;
const FIRST_MS = Date.UTC(2026, 2, 2, 12);

/** The last schema of each form that some later step rewrites; the first is the oldest in the field. */
export const OLD_SCHEMAS = [10, 180, 230, 280] as const;

/** The dump of schema 10, which stands for sites in the field, with many more rows, brought to `schema` by the released steps. */
export async function makeOldSite(dir: string, schema: number): Promise<void> {
  const paths = sitePaths(dir);
  for (const folder of SITE_FOLDERS) mkdirSync(join(paths.dir, folder), { recursive: true });
  const database = new BetterSqlite3(paths.database);
  try {
    database.exec(readFileSync(new URL('../db/fixtures/site-0010.sql', import.meta.url), 'utf8'));
    database.pragma('journal_mode = WAL');
    await addSignalFile(database, paths.signalsDir);
    database.exec(MORE_ROWS);
    const migrations = MIGRATIONS.filter(({ version }) => version <= schema);
    migrate(database, { backupsDir: join(dir, 'none'), nowTs: FIRST_MS, migrations });
    if (schema >= 40 && schema < 240) database.exec(CLOCK_READINGS);
    if (schema >= 20 && schema < 240) addDays(database);
  } finally {
    database.close();
  }
  await writeSiteFile(dir, newSiteFile('Old clinic', FIRST_MS));
}

/** Gives the recording of the dump a file. */
async function addSignalFile(database: BetterSqlite3.Database, signalsDir: string): Promise<void> {
  const row = database.prepare<[], { id: string; udid: string; startUs: number }>('SELECT * FROM recording').get()!;
  const channels = [
    {
      type: 'ECG',
      dimensions: ['v'],
      unit: 'V',
      nominalRateHz: 250,
      scale: [1e-6],
      offset: [0],
      sampleBits: 16 as const,
    },
  ];
  const writer = await createSignalFile(join(signalsDir, `${row.id}.sig`), {
    version: 1,
    recordingId: row.id,
    deviceRecordingId: 123,
    udid: row.udid,
    hardwareId: '3',
    firmwareId: '1.2.3',
    physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
    sensorConfig: { sensingType: 'MPU_ANALOG' },
    channels,
    syncPoints: [],
    source: { format: 'EDF', fileName: 'night.edf', sha256: randomBytes(32).toString('hex') },
  });
  const columns = [Int16Array.from({ length: 15_000 }, (_, i) => (i * 7) % 2000)];
  await writer.append({ channel: 0, startUs: row.startUs, periodUs: 4000, count: 15_000, columns });
  const { startUs, stopUs, sizeBytes, sha256, sampleCounts } = await writer.finish();
  database
    .prepare(
      'UPDATE recording SET startUs = ?, stopUs = ?, sizeBytes = ?, sha256 = ?, sampleCounts = ?, channels = ? WHERE id = ?',
    )
    .run(startUs, stopUs, sizeBytes, sha256, JSON.stringify(sampleCounts), JSON.stringify(channels), row.id);
}

const COUNT = (name: string, count: number) =>
  `${name}(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ${name} WHERE i < ${count})`;

const MORE_ROWS = `
WITH RECURSIVE ${COUNT('n', SUBJECTS)}
INSERT INTO subject (id, studyId, displayName, nameKey, timezone, metadataFields, createdTs, modifiedTs)
SELECT printf('00000000-0000-7000-8000-%012d', i), studyId, 'Subject ' || i, 'subject ' || i, 'US/Eastern', '[]', 1772442000000 + i, 1772442000000 + i
FROM (SELECT studyId FROM subject LIMIT 1), n;
INSERT OR IGNORE INTO subjectZone (subjectId, fromTs, timezone) SELECT id, 0, timezone FROM subject;

WITH RECURSIVE ${COUNT('n', ROWS_OF_SUBJECT)}
INSERT INTO message (id, studyId, subjectId, authorType, authorId, body, createdTs)
SELECT printf('00000001-%04d-7000-8000-', i) || substr(id, -12), studyId, id, 'SUBJECT', id,
  'A message of some length, as people write them, number ' || i, 1772442000000 + i * 3600000
FROM subject, n;

WITH RECURSIVE ${COUNT('n', ROWS_OF_SUBJECT)}
INSERT INTO annotation (id, studyId, subjectId, type, displayName, authorType, authorId, startTs, stopTs, eventId,
  eventDisplayName, relationshipId, reportedTs, createdTs, modifiedTs)
SELECT printf('00000002-%04d-7000-8000-', i) || substr(subject.id, -12), subject.studyId, subject.id, 'diary', 'Diary', 'SUBJECT', subject.id,
  1772442000000 + i * 86400000, 1772442060000 + i * 86400000, task.id, 'Diary', NULL, 1772442060000 + i * 86400000,
  1772442060000 + i * 86400000, 1772442060000 + i * 86400000
FROM subject, n, (SELECT id FROM task WHERE type = 'diary' LIMIT 1) AS task;

WITH RECURSIVE ${COUNT('n', ROWS_OF_SUBJECT)}
INSERT INTO fault (id, studyId, subjectId, faultTs, faultFlag, faultType, mobileAppVersion, sensorFirmwareId, sensorId, createdTs)
SELECT printf('00000003-%04d-7000-8000-', i) || substr(id, -12), studyId, id, 1772442000000 + i, 'ON', 'BATTERY', '1', '2', '12:E4:00:00:00:01', 1772442000000
FROM subject, n;
`;

const CLOCK_READINGS = `
INSERT INTO equipment (id, accountId, type, displayName, createdTs, modifiedTs)
SELECT 'hub', id, 'LINK_HUB', 'Hub', 0, 0 FROM account;
INSERT INTO deviceCredential (id, accountId, equipmentId, kind, serial, tokenHash, createdTs)
SELECT 'credential', id, 'hub', 'HUB', 'hub', 'hash', 0 FROM account;
WITH RECURSIVE ${COUNT('n', 20_000)}
INSERT INTO clockReading (id, credentialId, clock, udid, clockUs, hostUs, roundTripUs, receivedTs)
SELECT printf('00000004-0000-7000-8000-%012d', i), 'credential', 'SENSOR', '12:E4:00:00:00:01', i * 60000000 + 7, i * 60000000, 40, i * 60000
FROM n;
`;

/** Analysed days, with their columns in the rows, as they were before they had files. */
function addDays(database: BetterSqlite3.Database): void {
  const random = new Random(5);
  const subjectIds = database.prepare<[], string>('SELECT id FROM subject ORDER BY id LIMIT 3').pluck().all();
  const window = database.prepare(
    `INSERT INTO analyticsWindow (subjectId, date, startTs, stopTs, timezone, columns, sleep, inputsHash, algorithmVersion, computedTs)
    VALUES (?, ?, ?, ?, 'US/Eastern', ?, '[]', 'x', '1', 0)`,
  );
  const day = database.prepare(
    `INSERT INTO analyticsDay (subjectId, date, dayStartTs, dayStopTs, timezone, dataStartTs, dataStopTs, metrics, validSeconds,
      inputsHash, algorithmVersion, computedTs)
    VALUES (?, ?, ?, ?, 'US/Eastern', ?, ?, ?, ?, 'x', '1', 0)`,
  );
  for (const subjectId of subjectIds) {
    for (let i = 0; i < DAYS; i++) {
      const startMs = FIRST_MS + i * DAY_MS;
      const date = new Date(startMs).toISOString().slice(0, 10);
      const seconds = createSecondColumns(startMs, DAY_MS / 1000);
      for (let second = 0; second < 4000; second++) seconds.counts[second] = random.uniform();
      window.run(subjectId, date, startMs, startMs + DAY_MS, Buffer.from(encodeArrays(seconds)));
      const metrics = { SENSOR_WEAR_DURATION: 80_000 + i, MOVING_MAX_HRV: random.uniform() };
      const stop = startMs + DAY_MS;
      day.run(subjectId, date, startMs, stop, startMs, stop, JSON.stringify(metrics), '{"WEAR":80000}');
    }
  }
}
