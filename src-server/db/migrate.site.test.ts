import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecondColumns } from '../analytics/seconds.ts';
import { diagnostic } from '../diagnostics.ts';
import { openStore } from '../services/index.ts';
import { smallDisk } from '../testing/small-disk.ts';
import { encodeArrays } from './array-codec.ts';
import { isUnchecked, readDatabaseCheck, writeDatabaseCheck } from './check-record.ts';
import { openSqlite } from './database.ts';
import { latestSchemaVersion, migrate, pendingMigrations, writeVerifiedCopy } from './migrate.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { packChanges } from './packed-changes.ts';
import { SYSTEM } from './session.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-migrate-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A small old site, one dump per released schema. */
function oldSite(version: string): string {
  const path = join(folder, 'site.db');
  const database = new BetterSqlite3(path);
  database.exec(readFileSync(new URL(`fixtures/site-${version}.sql`, import.meta.url), 'utf8'));
  database.close();
  return path;
}

const BROKEN: Migration = {
  version: 99_990,
  name: 'broken',
  sql: 'CREATE TABLE halfway (id TEXT) STRICT; INSERT INTO nowhere VALUES (1);',
};

describe('an old site', () => {
  it('of schema 10 is backed up, migrated and keeps its data', async () => {
    const path = oldSite('0010');
    const store = openStore(path);
    expect(store.facts().schemaVersion).toBe(latestSchemaVersion());
    const [account] = await store.accounts.list();
    expect(account!.displayName).toBe('Old clinic');
    const [study] = await store.studies.list(account!.id);
    const [subject] = await store.subjects.list(study!.id);
    expect(subject).toMatchObject({
      displayName: 'Zoë',
      timezone: 'US/Eastern',
      metadataFields: [{ displayName: 'Arm', value: 'A' }],
    });
    expect(await store.recordings.listForSubject(subject!.id)).toMatchObject([
      { udid: '12:E4:00:00:00:01', recordingId: 123 },
    ]);
    expect(await store.audit.verify()).toEqual([]);
    expect(await store.jobs.countWaiting()).toBe(0);
    await store.close();
    const [backup] = readdirSync(join(folder, 'backups'));
    const copy = new BetterSqlite3(join(folder, 'backups', backup!), { readonly: true });
    expect(copy.pragma('user_version', { simple: true })).toBe(10);
    expect(copy.prepare('SELECT displayName FROM subject').pluck().get()).toBe('Zoë');
    copy.close();
  });

  it('of schema 10 has its subjects enrolled on the local date of their creation', async () => {
    const path = oldSite('0010');
    const before = new BetterSqlite3(path);
    // 21:30 of the day before in New York.
    before.prepare('UPDATE subject SET createdTs = ?').run(Date.UTC(2026, 2, 10, 1, 30));
    before.close();
    const store = openStore(path);
    const [account] = await store.accounts.list();
    const [study] = await store.studies.list(account!.id);
    for (const { id } of await store.subjects.list(study!.id)) {
      expect(await store.participation.standing(id)).toMatchObject({
        ...{ status: 'ENROLLED', statusDate: '2026-03-09', enrolledDate: '2026-03-09', isConsentDue: false },
      });
      expect(await store.participation.steps(id)).toMatchObject([{ kind: 'STATUS', position: 1, date: '2026-03-09' }]);
    }
    await store.close();
  });

  it('of schema 80 keeps the errors of mails and gives a fixed sentence its code', async () => {
    const path = join(folder, 'site.db');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 80);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    database.exec("INSERT INTO account VALUES ('a', 'Clinic', 0)");
    const add = database.prepare(
      "INSERT INTO outbox (id, accountId, recipient, subject, body, state, lastError, createdTs) VALUES (?, 'a', 'x@example.org', 's', 'b', 'failed', ?, 7)",
    );
    add.run('1', 'No mail server listens at 127.0.0.1:25.');
    add.run('2', 'It had waited for more than 3 days before it could be sent.');
    database.close();
    const store = openStore(path);
    expect((await store.outbox.list('a')).map(({ diagnostic }) => diagnostic)).toEqual([
      { message: 'It had waited for more than 3 days before it could be sent.', code: 'MAIL_TOO_LATE' },
      { message: 'No mail server listens at 127.0.0.1:25.' },
    ]);
    await store.close();
  });

  it('of schema 170 keeps the codes and facts of its mails and webhook attempts', async () => {
    const path = join(folder, 'site.db');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 170);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    const { message, ...facts } = diagnostic('RECEIVER_REFUSED', { host: 'example.org', status: 500 });
    database.exec("INSERT INTO account VALUES ('a', 'Clinic', 0)");
    database
      .prepare(
        "INSERT INTO outbox (id, accountId, recipient, subject, body, state, lastError, finding, createdTs) VALUES ('1', 'a', 'x@example.org', 's', 'b', 'failed', ?, ?, 7)",
      )
      .run(message, JSON.stringify(facts));
    database.exec(
      "INSERT INTO webhook (id, accountId, displayName, url, actions, studyIds, sealedSecret, eventSequence, createdTs, modifiedTs) VALUES ('w', 'a', 'Hook', 'https://example.org', '[]', '[]', 'v1.', 0, 1, 1)",
    );
    database.exec(
      "INSERT INTO webhookDelivery (id, webhookId, body, state, nextAttemptTs, giveUpTs, createdTs) VALUES ('d', 'w', '{}', 'waiting', 9, 9, 1)",
    );
    database
      .prepare(
        "INSERT INTO webhookAttempt (deliveryId, startedTs, durationMs, error, finding) VALUES ('d', 1, 2, ?, ?)",
      )
      .run(message, JSON.stringify(facts));
    database.close();
    const store = openStore(path);
    expect((await store.outbox.list('a')).map((mail) => mail.diagnostic)).toEqual([{ message, ...facts }]);
    const attempts = await store.webhookDeliveries.attemptsOf(['d']);
    expect(attempts.get('d')).toMatchObject([{ diagnostic: { message, ...facts } }]);
    await store.close();
  });

  it('of schema 20 has its unsent password mails marked as secret, and no others', async () => {
    const path = join(folder, 'site.db');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 20);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    database.exec("INSERT INTO account VALUES ('a', 'Clinic', 0)");
    const add = database.prepare(
      "INSERT INTO outbox VALUES (?, 'a', 'x@example.org', ?, 'body', 'waiting', 0, NULL, 7, NULL)",
    );
    for (const subject of ['Clinic: set your password', 'Clinic：パスワードの設定', 'The archive is ready']) {
      add.run(subject, subject);
    }
    database.close();
    const store = openStore(path);
    const mails = await store.outbox.list('a');
    expect(mails.map(({ subject, holdsSecret, queuedTs }) => [subject, holdsSecret, queuedTs]).sort()).toEqual([
      ['Clinic: set your password', true, 7],
      ['Clinic：パスワードの設定', true, 7],
      ['The archive is ready', false, 7],
    ]);
    await store.close();
  });

  it('of schema 180 reads analysed columns from its rows, and makes no file before they are moved', async () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 180);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    const subjectId = database.prepare<[], string>('SELECT id FROM subject').pluck().get()!;
    const columns = Buffer.from(encodeArrays(createSecondColumns(0, 86_400)));
    database
      .prepare("INSERT INTO analyticsWindow VALUES (?, '1970-01-01', 0, 86400000, 'UTC', ?, '[]', 'x', '1', 0)")
      .run(subjectId, columns);
    database.close();
    const store = openStore(path);
    expect(await store.analytics.windowBytes(subjectId, '1970-01-01')).toEqual(columns);
    expect((await store.analytics.seconds(subjectId, '1970-01-01'))?.count).toBe(86_400);
    expect(await store.analytics.columnsInRows()).toEqual({ count: 1, sizeBytes: columns.length });
    expect(readdirSync(folder)).not.toContain('columns');
    await store.close();
  });

  it('of schema 390 keeps the uploads of its devices, with every index', async () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 390);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    const [accountId] = database.prepare<[], string>('SELECT id FROM account').pluck().all();
    const insert = database.prepare(
      `INSERT INTO deviceUpload (id, accountId, credentialId, deviceId, recordingId, sensorId, state, sizeBytes, receivedBytes,
        sha256, formatVersion, startUs, syncPoints, code, createdTs, modifiedTs)
       VALUES (?, ?, 'credential', 'hub-1', ?, 'SN-1', ?, 900, 300, ?, 1, 5, '[]', ?, 6, 7)`,
    );
    insert.run('u1', accountId, 'r1', 'RECEIVING', 'a'.repeat(64), null);
    insert.run('u2', accountId, 'r2', 'REFUSED', 'b'.repeat(64), 'FILE_DAMAGED');
    const indexes = () =>
      database
        .prepare<[], string>(
          "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'deviceUpload' ORDER BY name",
        )
        .pluck()
        .all();
    const rows = () => database.prepare<[], object>('SELECT * FROM deviceUpload ORDER BY id').all();
    const [before, indexesBefore] = [rows(), indexes()];
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 1 });
    expect(rows()).toEqual(before.map((row) => ({ ...row, userId: null })));
    expect(indexes()).toEqual(indexesBefore);
    database.close();
    const store = openStore(path);
    expect(await store.uploads.require('u1')).toMatchObject({ credentialId: 'credential', receivedBytes: 300 });
    await store.close();
  });

  it('of schema 230 keeps its clock readings, metrics and audit entries in a smaller form', async () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 230);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    const one = (sql: string) => database.prepare<[], string>(sql).pluck().get()!;
    const [subjectId, accountId] = [one('SELECT id FROM subject'), one('SELECT id FROM account')];
    const add = (table: string, rows: readonly object[]) => {
      for (const row of rows) {
        const names = Object.keys(row);
        const marks = names.map(() => '?').join();
        database.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${marks})`).run(...Object.values(row));
      }
    };
    add(
      'equipment',
      ['A', 'B'].map((id) => ({ id, accountId, type: 'LINK_HUB', displayName: id, createdTs: 0, modifiedTs: 0 })),
    );
    add(
      'deviceCredential',
      ['A', 'B'].map((id) => ({
        id: `c${id}`,
        accountId,
        equipmentId: id,
        kind: 'HUB',
        serial: id,
        tokenHash: id,
        createdTs: 0,
      })),
    );
    const reading = (credentialId: string, udid: string, n: number) => ({
      credentialId,
      clock: udid === '' ? ('DEVICE' as const) : ('SENSOR' as const),
      udid,
      clockUs: n * 1e9 + 7,
      hostUs: n * 1e9,
      roundTripUs: 40 + n,
      receivedTs: n * 1e6,
    });
    const readings = [0, 1, 2].flatMap((n) =>
      ['cA', 'cB'].flatMap((id) => [reading(id, '', n), reading(id, 'AA:01', n), reading(id, 'AA:02', n + 5)]),
    );
    add(
      'clockReading',
      readings.map((row, i) => ({ id: `r${i}`, ...row })),
    );
    const days = [
      {
        metrics: { SENSOR_WEAR_DURATION: 84_220, MOVING_AVG_GAIT_CADENCE: 104.94273351997964 },
        validSeconds: { WEAR: 84_220 },
      },
      { metrics: { SENSOR_WEAR_DURATION: 3, MOVING_AVG_GAIT_CADENCE: 5e-324 }, validSeconds: { WEAR: 3 } },
      { metrics: { MOVING_MAX_HRV: 4.290551662445068 }, validSeconds: {} },
      { metrics: {}, validSeconds: {} },
    ].map((day, i) => ({ date: `2026-01-0${i + 1}`, ...day }));
    const times = { dayStartTs: 1, dayStopTs: 2, timezone: 'UTC', dataStartTs: 1, dataStopTs: 2, computedTs: 9 };
    const made = { inputsHash: 'h', algorithmVersion: '9' };
    add(
      'analyticsDay',
      days.map(({ date, metrics, validSeconds }) => ({
        subjectId,
        date,
        ...times,
        ...made,
        metrics: JSON.stringify(metrics),
        validSeconds: JSON.stringify(validSeconds),
      })),
    );
    const auditBefore = database.prepare('SELECT * FROM audit ORDER BY sequence').all() as object[];
    expect(auditBefore.length).toBeGreaterThan(0);
    database.close();

    const store = openStore(path);
    const listed = [
      ...(await store.clockReadings.listForSensor('AA:01', 0, 1e15)),
      ...(await store.clockReadings.listForSensor('AA:02', 0, 1e15)),
      ...(await store.clockReadings.listForDevice('cA', 0, 1e15)),
      ...(await store.clockReadings.listForDevice('cB', 0, 1e15)),
    ];
    const order = (row: object) => JSON.stringify(Object.entries({ udid: '', ...row }).sort());
    expect(listed.map(order).sort()).toEqual(readings.map(order).sort());
    const [found] = await store.clocks.readings('AA:02', { fromUs: 6e9, toUs: 6.5e9 });
    expect(found).toMatchObject({ point: { sensorUs: 6e9 + 7, hostUs: 6e9 } });
    expect(await store.analytics.days(subjectId)).toEqual(
      days.map((day) => ({ subjectId, ...day, ...times, ...made })),
    );
    expect(await store.analytics.wearOf([subjectId])).toEqual([
      { subjectId, date: '2026-01-01', wearSeconds: 84_220 },
      { subjectId, date: '2026-01-02', wearSeconds: 3 },
    ]);
    // Entries that exist are not rewritten; a new one with long changes is packed and answered the same.
    const changes = { body: { new: 'a long text. '.repeat(50) }, other: { old: null, new: 1 } };
    await store.audit.note(SYSTEM, { action: 'x', entityType: 'site', entityId: 's', changes });
    expect((await store.audit.list({ entityId: 's' }))[0]!.changes).toEqual(changes);
    expect(await store.audit.verify()).toEqual([]);
    await store.close();
    const after = new BetterSqlite3(path);
    const rows = after.prepare('SELECT * FROM audit ORDER BY sequence').all() as { packedChanges: Buffer | null }[];
    expect(rows.slice(0, -1)).toEqual(auditBefore.map((row) => ({ ...row, packedChanges: null, erasedBy: null })));
    expect(rows.at(-1)!.packedChanges!.length).toBeLessThan(120);
    // Other content under a valid form does not match the hash.
    after.exec('DROP TRIGGER auditNoUpdate');
    const { packedChanges } = packChanges(JSON.stringify({ body: { new: 'another text. '.repeat(50) } }));
    after.prepare('UPDATE audit SET packedChanges = ? WHERE packedChanges IS NOT NULL').run(packedChanges);
    after.close();
    const changed = openStore(path);
    expect(await changed.audit.verify()).toMatchObject([{ code: 'AUDIT_CHANGED', sequence: rows.length }]);
    await changed.close();
  });

  it('of schema 280 keeps what its sensors measured, in a row that recordings share', async () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 280);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    const channels = [{ type: 'ECG', dimensions: ['v'], nominalRateHz: 250 }];
    database.prepare('UPDATE recording SET channels = ?').run(JSON.stringify(channels));
    const [first] = database.prepare<[], Record<string, string>>('SELECT * FROM recording').all();
    const points = [{ sensorUs: 5, hostUs: 7 }];
    const others = [
      { id: 'same', syncPoints: JSON.stringify(points) },
      { id: 'thigh', physicalConfig: '{"location":"ANTERIOR_THIGH","side":"LEFT"}' },
    ].map((changed) => ({ ...first, contentSha256: changed.id.padEnd(64, '0'), ...changed }));
    for (const row of others) {
      const marks = Object.keys(row).map((name) => `@${name}`);
      database.prepare(`INSERT INTO recording (${Object.keys(row).join()}) VALUES (${marks.join()})`).run(row);
    }
    database.close();

    const store = openStore(path);
    const setup = {
      physicalConfig: JSON.parse(first!.physicalConfig!),
      sensorConfig: { sensingType: 'MPU_ANALOG' },
      channels,
    };
    expect(await store.recordings.require(first!.id!)).toMatchObject({
      ...setup,
      syncPoints: [],
      sampleCounts: [900_000],
    });
    expect(await store.recordings.require('same')).toMatchObject({ ...setup, syncPoints: points });
    const physicalConfig = { location: 'ANTERIOR_THIGH', side: 'LEFT' };
    expect(await store.recordings.require('thigh')).toMatchObject({ ...setup, physicalConfig });
    const listed = await store.recordings.listForSubject(first!.subjectId!);
    expect(listed.map((recording) => recording.physicalConfig.side).sort()).toEqual(['LEFT', 'NONE', 'NONE']);
    await store.close();
    const migrated = new BetterSqlite3(path, { readonly: true });
    expect(migrated.prepare('SELECT count(*) FROM sensorSetup').pluck().get()).toBe(2);
    migrated.close();
  });

  it('of schema 230 is not taken for a damaged one after a crash', () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const released = MIGRATIONS.filter(({ version }) => version <= 230);
    migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: released });
    database.close();
    writeFileSync(`${path}-wal`, 'x');
    openSqlite(path).close();
    expect(readDatabaseCheck(path)?.problems ?? []).toEqual([]);
  });

  it('stays at the last good step and keeps the backup when a step fails', () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    try {
      migrate(database, { backupsDir: join(folder, 'backups'), nowTs: 0, migrations: [...MIGRATIONS, BROKEN] });
      expect.unreachable();
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'SITE_MIGRATION_FAILED', message: expect.stringContaining('backups') });
    }
    expect(database.pragma('user_version', { simple: true })).toBe(latestSchemaVersion());
    expect(database.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'halfway'").pluck().get()).toBe(0);
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
    database.close();
  });

  it('is rejected when the text of an applied step differs', () => {
    const path = oldSite('0010');
    const database = new BetterSqlite3(path);
    const changed = MIGRATIONS.map((step) => (step.version === 10 ? { ...step, sql: `${step.sql} ` } : step));
    expect(() => pendingMigrations(database, changed)).toThrow(
      expect.objectContaining({ code: 'SITE_MIGRATION_FAILED' }),
    );
    database.close();
  });
});

describe('the schema', () => {
  it('has versions in tens and STRICT tables with indexed foreign keys', () => {
    expect(
      MIGRATIONS.every((step, i) => step.version % 10 === 0 && step.version > (MIGRATIONS[i - 1]?.version ?? 0)),
    ).toBe(true);
    const database = openSqlite(join(folder, 'new.db'), { mode: 'create' });
    const tables = (
      database.pragma('table_list') as { name: string; schema: string; type: string; strict: number }[]
    ).filter((table) => table.schema === 'main' && table.type === 'table' && !table.name.startsWith('sqlite_'));
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((table) => !table.strict).map((table) => table.name)).toEqual([]);
    database.close();
  });

  it('has its safety settings enabled after opening', () => {
    const database = openSqlite(join(folder, 'new.db'), { mode: 'create', busyTimeoutMs: 1234 });
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'trusted_schema'];
    expect(settings.map((name) => database.pragma(name, { simple: true }))).toEqual(['wal', 2, 1, 1234, 0]);
    database.close();
  });
});

describe('a database too large for a whole check at every start', () => {
  const damaged = { code: 'SITE_CORRUPT' };
  const reopen = () => openSqlite(join(folder, 'site.db'), { smallBytes: 0 }).close();

  it('is checked whole only where a crash or the last check left a doubt', () => {
    const path = join(folder, 'site.db');
    openSqlite(path, { mode: 'create' }).close();
    reopen();
    const bytes = readFileSync(path);
    const spoilt = Buffer.from(bytes);
    spoilt.fill(0xa5, 4096 * 20, 4096 * 24);
    writeFileSync(path, spoilt);
    reopen();
    // Damage that no recent transaction touched waits for the check in the background, whose mark outlives clean closes.
    writeFileSync(`${path}-wal`, 'left by a crash');
    reopen();
    reopen();
    expect(isUnchecked(path)).toBe(true);
    const check = { checkedTs: 1, durationMs: 1, sizeBytes: 1, auditSequence: 0, problems: ['damaged'] };
    writeDatabaseCheck(path, check);
    expect(reopen).toThrow(expect.objectContaining(damaged));
    expect(reopen).toThrow(expect.objectContaining(damaged));
    writeFileSync(path, bytes);
    reopen();
    expect([isUnchecked(path), readDatabaseCheck(path)?.problems]).toEqual([false, []]);
    // Tables that every request needs are looked at after a crash.
    const central = new BetterSqlite3(path, { readonly: true });
    const pages = central.prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'account'").pluck().all();
    central.close();
    for (const page of pages) spoilt.fill(0xa5, (page - 1) * 4096, page * 4096);
    writeFileSync(path, spoilt);
    reopen();
    writeFileSync(`${path}-wal`, 'left by a crash');
    expect(reopen).toThrow(expect.objectContaining(damaged));
    writeFileSync(path, bytes);
    reopen();
    writeFileSync(path, bytes.subarray(0, bytes.length - 4096));
    expect(reopen).toThrow(expect.objectContaining(damaged));
    writeFileSync(path, bytes);
    reopen();
  });
});

const probe = await smallDisk();
await probe?.remove();

it.runIf(probe !== undefined)(
  'an old site without room for its copy is refused with the figures, unchanged',
  async () => {
    const disk = (await smallDisk())!;
    try {
      const path = join(disk.path, 'site.db');
      copyFileSync(oldSite('0010'), path);
      disk.fill();
      const before = readFileSync(path);
      const refused = expect.objectContaining({
        code: 'DISK_FULL',
        details: { neededBytes: before.length, freeBytes: expect.any(Number) as number },
      });
      const database = new BetterSqlite3(path);
      try {
        expect(() => migrate(database, { backupsDir: disk.path, nowTs: 0 })).toThrow(refused);
      } finally {
        database.close();
      }
      expect(readFileSync(path).equals(before)).toBe(true);
    } finally {
      await disk.remove();
    }
  },
);

describe('a copy', () => {
  it('is complete or absent', () => {
    const database = openSqlite(join(folder, 'site.db'), { mode: 'create' });
    writeVerifiedCopy(database, join(folder, 'copy.db'));
    expect(() => writeVerifiedCopy(database, join(folder, 'no-such-folder', 'copy.db'))).toThrow();
    database.close();
    expect(readdirSync(folder).sort()).toEqual(['copy.db', 'site.db']);
    const copy = new BetterSqlite3(join(folder, 'copy.db'), { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.close();
  });
});
