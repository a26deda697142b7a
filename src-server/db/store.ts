/** The store: all repositories over one open database. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { Kysely } from 'kysely';
import { v7 } from 'uuid';
import { type DatabaseOptions, openSqlite } from './database.ts';
import { siteDialect } from './dialect.ts';
import { sqliteCode } from './errors.ts';
import { writeVerifiedCopy } from './migrate.ts';
import { Accounts } from './repositories/access/accounts.ts';
import { Tokens } from './repositories/access/tokens.ts';
import { Users } from './repositories/access/users.ts';
import { Analytics } from './repositories/data/analytics.ts';
import { Jobs } from './repositories/data/jobs.ts';
import { Recordings } from './repositories/data/recordings.ts';
import { StudyExports } from './repositories/data/study-exports.ts';
import { WebhookDeliveries } from './repositories/integrations/webhook-deliveries.ts';
import { Webhooks } from './repositories/integrations/webhooks.ts';
import { ClockReadings } from './repositories/lan/clock-readings.ts';
import { Clocks } from './repositories/lan/clocks.ts';
import { DataPaths } from './repositories/lan/data-paths.ts';
import { Devices } from './repositories/lan/devices.ts';
import { Duties } from './repositories/lan/duties.ts';
import { HeldRecordings } from './repositories/lan/held-recordings.ts';
import { Pairings } from './repositories/lan/pairings.ts';
import { Phones } from './repositories/lan/phones.ts';
import { Refusals } from './repositories/lan/refusals.ts';
import { Uploads } from './repositories/lan/uploads.ts';
import { Audit } from './repositories/site/audit.ts';
import { Outbox } from './repositories/site/outbox.ts';
import { Settings } from './repositories/site/settings.ts';
import { Annotations } from './repositories/study/annotations.ts';
import { Attention } from './repositories/study/attention.ts';
import { Equipment } from './repositories/study/equipment.ts';
import { Events } from './repositories/study/events.ts';
import { Faults } from './repositories/study/faults.ts';
import { Messages } from './repositories/study/messages.ts';
import { Studies } from './repositories/study/studies.ts';
import { Subjects } from './repositories/study/subjects.ts';
import type { Tables } from './schema.ts';
import { type CommittedChange, Session } from './session.ts';

export interface Repositories {
  accounts: Accounts;
  users: Users;
  tokens: Tokens;
  studies: Studies;
  subjects: Subjects;
  equipment: Equipment;
  faults: Faults;
  annotations: Annotations;
  attention: Attention;
  messages: Messages;
  events: Events;
  recordings: Recordings;
  uploads: Uploads;
  heldRecordings: HeldRecordings;
  dataPaths: DataPaths;
  clocks: Clocks;
  analytics: Analytics;
  jobs: Jobs;
  exports: StudyExports;
  audit: Audit;
  settings: Settings;
  outbox: Outbox;
  devices: Devices;
  webhooks: Webhooks;
  webhookDeliveries: WebhookDeliveries;
  pairings: Pairings;
  phones: Phones;
  clockReadings: ClockReadings;
  duties: Duties;
  refusals: Refusals;
}

export interface SlowQuery {
  /** Repository and method, such as `subjects.list`. */
  name: string;
  sql: string;
  durationMs: number;
  /** Of it, computed: see {@link StatementTiming}. */
  processorMs: number;
}

export interface StoreOptions extends DatabaseOptions {
  /** Epoch ms; default Date.now. */
  clock?: () => number;
  /**
   * Hears of every statement that computes longer than `slowQueryMs` (default 40), and of those that took so much longer
   * that something else is wrong: waiting for a busy computer makes no statement slow.
   */
  onSlowQuery?: (query: SlowQuery) => void;
  slowQueryMs?: number;
}

const SLOW_QUERY_MS = 40;
/** Rows of each index that are sampled: enough to rank indexes, bounded at any size (sqlite.org/pragma.html#pragma_optimize). */
const STATISTICS_SAMPLE_ROWS = 400;
/** Looks at every table, not only at those that this connection has read. */
const OPTIMIZE_ALL_TABLES = '0x10002';
/** A disk or a computer that holds a statement up for this many times longer is worth a word too. */
const HELD_UP_FACTOR = 50;

function makeRepositories(session: Session): Repositories {
  return {
    accounts: new Accounts(session),
    users: new Users(session),
    tokens: new Tokens(session),
    studies: new Studies(session),
    subjects: new Subjects(session),
    equipment: new Equipment(session),
    faults: new Faults(session),
    annotations: new Annotations(session),
    attention: new Attention(session),
    messages: new Messages(session),
    events: new Events(session),
    recordings: new Recordings(session),
    uploads: new Uploads(session),
    heldRecordings: new HeldRecordings(session),
    dataPaths: new DataPaths(session),
    clocks: new Clocks(session),
    analytics: new Analytics(session),
    jobs: new Jobs(session),
    exports: new StudyExports(session),
    audit: new Audit(session),
    settings: new Settings(session),
    outbox: new Outbox(session),
    devices: new Devices(session),
    webhooks: new Webhooks(session),
    webhookDeliveries: new WebhookDeliveries(session),
    pairings: new Pairings(session),
    phones: new Phones(session),
    clockReadings: new ClockReadings(session),
    duties: new Duties(session),
    refusals: new Refusals(session),
  };
}

/** Runs each method under its name, so that a slow statement can say whose it is. */
function named<T extends object>(name: string, repository: T, current: AsyncLocalStorage<string>): T {
  const methods = new Map<string | symbol, unknown>();
  return new Proxy(repository, {
    get(target, key) {
      const known = methods.get(key);
      if (known) return known;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const method = (...values: unknown[]): unknown =>
        current.run(`${name}.${String(key)}`, () => Reflect.apply(member, target, values) as unknown);
      methods.set(key, method);
      return method;
    },
  });
}

/** False too when the disk was mounted again read-only, as after errors of the disk. */
function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export class Store implements Repositories {
  readonly accounts: Accounts;
  readonly users: Users;
  readonly tokens: Tokens;
  readonly studies: Studies;
  readonly subjects: Subjects;
  readonly equipment: Equipment;
  readonly faults: Faults;
  readonly annotations: Annotations;
  readonly attention: Attention;
  readonly messages: Messages;
  readonly events: Events;
  readonly recordings: Recordings;
  readonly uploads: Uploads;
  readonly heldRecordings: HeldRecordings;
  readonly dataPaths: DataPaths;
  readonly clocks: Clocks;
  readonly analytics: Analytics;
  readonly jobs: Jobs;
  readonly exports: StudyExports;
  readonly audit: Audit;
  readonly settings: Settings;
  readonly outbox: Outbox;
  readonly devices: Devices;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly pairings: Pairings;
  readonly phones: Phones;
  readonly clockReadings: ClockReadings;
  readonly duties: Duties;
  readonly refusals: Refusals;
  readonly #sqlite: BetterSqlite3.Database;
  readonly #db: Kysely<Tables>;
  readonly #session: Session;
  readonly #current = new AsyncLocalStorage<string>();
  readonly #listeners = new Set<(change: CommittedChange) => void>();
  #revision = 0;
  #writeCount = 0;

  constructor(
    sqlite: BetterSqlite3.Database,
    options: Pick<StoreOptions, 'clock' | 'onSlowQuery' | 'slowQueryMs'> = {},
  ) {
    const slowQueryMs = options.slowQueryMs ?? SLOW_QUERY_MS;
    this.#sqlite = sqlite;
    this.#db = new Kysely<Tables>({
      dialect: siteDialect(sqlite, ({ sql, durationMs, processorMs, isWrite }) => {
        if (isWrite) this.#writeCount += 1;
        if (processorMs < slowQueryMs && durationMs < HELD_UP_FACTOR * slowQueryMs) return;
        options.onSlowQuery?.({ name: this.#current.getStore() ?? 'unnamed', sql, durationMs, processorMs });
      }),
    });
    this.#session = new Session(this.#db, options.clock ?? Date.now, (changes) => {
      this.#revision += 1;
      for (const change of changes) for (const listener of this.#listeners) listener(change);
    });
    const repositories = makeRepositories(this.#session);
    this.accounts = named('accounts', repositories.accounts, this.#current);
    this.users = named('users', repositories.users, this.#current);
    this.tokens = named('tokens', repositories.tokens, this.#current);
    this.studies = named('studies', repositories.studies, this.#current);
    this.subjects = named('subjects', repositories.subjects, this.#current);
    this.equipment = named('equipment', repositories.equipment, this.#current);
    this.faults = named('faults', repositories.faults, this.#current);
    this.attention = named('attention', repositories.attention, this.#current);
    this.annotations = named('annotations', repositories.annotations, this.#current);
    this.messages = named('messages', repositories.messages, this.#current);
    this.events = named('events', repositories.events, this.#current);
    this.recordings = named('recordings', repositories.recordings, this.#current);
    this.uploads = named('uploads', repositories.uploads, this.#current);
    this.heldRecordings = named('heldRecordings', repositories.heldRecordings, this.#current);
    this.dataPaths = named('dataPaths', repositories.dataPaths, this.#current);
    this.clocks = named('clocks', repositories.clocks, this.#current);
    this.analytics = named('analytics', repositories.analytics, this.#current);
    this.jobs = named('jobs', repositories.jobs, this.#current);
    this.exports = named('exports', repositories.exports, this.#current);
    this.audit = named('audit', repositories.audit, this.#current);
    this.settings = named('settings', repositories.settings, this.#current);
    this.outbox = named('outbox', repositories.outbox, this.#current);
    this.devices = named('devices', repositories.devices, this.#current);
    this.webhooks = named('webhooks', repositories.webhooks, this.#current);
    this.webhookDeliveries = named('webhookDeliveries', repositories.webhookDeliveries, this.#current);
    this.pairings = named('pairings', repositories.pairings, this.#current);
    this.phones = named('phones', repositories.phones, this.#current);
    this.duties = named('duties', repositories.duties, this.#current);
    this.clockReadings = named('clockReadings', repositories.clockReadings, this.#current);
    this.refusals = named('refusals', repositories.refusals, this.#current);
  }

  /**
   * Runs several repositories' writes as one. Inside, use the repositories given, never the store's own (they would wait
   * for this transaction), and await nothing but them.
   */
  async transaction<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await this.#session.write(async (session) => await work(makeRepositories(session)));
  }

  /** Calls back after each committed change; returns a function that ends it. */
  subscribe(listener: (change: CommittedChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rises with every statement that may change what is stored, audited or not: what was read at the same count still holds. */
  writeCount(): number {
    return this.#writeCount;
  }

  /** Rises with every audited write of this process: an answer computed at the same revision is still right. */
  get revision(): number {
    return this.#revision;
  }

  /** The database file. */
  get path(): string {
    return this.#sqlite.name;
  }

  /**
   * Shows from now on the database as it is at this instant, whatever others write, until it is closed. Only for a store
   * that is opened read-only; meanwhile the write-ahead log grows, so it should not be held for long.
   */
  holdSnapshot(): void {
    this.#sqlite.exec('BEGIN');
    this.#sqlite.prepare('SELECT 1 FROM sqlite_schema').all();
  }

  /** Version of SQLite and of the schema, size, and whether the file can be written to at this moment. */
  facts(): { sqliteVersion: string; schemaVersion: number; sizeBytes: number; isWritable: boolean } {
    const pragma = (name: string) => this.#sqlite.pragma(name, { simple: true }) as number;
    return {
      sqliteVersion: this.#sqlite.prepare<[], string>('SELECT sqlite_version()').pluck().get() as string,
      schemaVersion: pragma('user_version'),
      sizeBytes: pragma('page_count') * pragma('page_size'),
      isWritable: !this.#sqlite.readonly && mayWrite(this.path),
    };
  }

  /** How many rows each table has. */
  countRows(): Record<string, number> {
    const tables = this.#sqlite
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
      )
      .pluck()
      .all();
    const count = (name: string) =>
      this.#sqlite.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0;
    return Object.fromEntries(tables.map((name) => [name, count(name)]));
  }

  /** Full check of the file: damage of pages and indexes, rows that refer to nothing. Takes as long as reading it all. */
  integrityProblems(): string[] {
    const damage = this.#sqlite.pragma('integrity_check(100)') as { integrity_check: string }[];
    const problems = damage.map((row) => row.integrity_check).filter((text) => text !== 'ok');
    const broken = this.#sqlite.pragma('foreign_key_check') as {
      table: string;
      rowid: number | null;
      parent: string;
    }[];
    for (const row of broken)
      problems.push(`A row of ${row.table} refers to a row of ${row.parent} that is not there.`);
    return problems;
  }

  /**
   * Refreshes the statistics by which SQLite chooses among indexes, where tables have grown much since the last time.
   * Reads a bounded sample of each index, so it takes milliseconds at any size. Never throws: without statistics every
   * answer is right, only slower, and a full disk must not keep a site from opening.
   */
  refreshStatistics(): void {
    try {
      this.#sqlite.pragma(`analysis_limit = ${STATISTICS_SAMPLE_ROWS}`);
      this.#sqlite.pragma(`optimize = ${OPTIMIZE_ALL_TABLES}`);
    } catch (thrown) {
      if (!(thrown instanceof BetterSqlite3.SqliteError)) throw thrown;
    }
  }

  /**
   * Writes the file anew without what was deleted or overwritten in it, log included. Takes as long as copying it, and its
   * size in free space.
   * @returns false, and all of it may still be there, when there is no room for it or somebody reads the file
   */
  scrub(): boolean {
    try {
      this.#sqlite.pragma('secure_delete = ON');
      this.#sqlite.exec('VACUUM');
      const [checkpoint] = this.#sqlite.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return checkpoint?.busy === 0;
    } catch (thrown) {
      const code = sqliteCode(thrown) ?? '';
      if (/^SQLITE_(FULL|BUSY|LOCKED|IOERR)/.test(code)) return false;
      throw thrown;
    } finally {
      this.#sqlite.pragma('secure_delete = OFF');
    }
  }

  /** Writes a copy that is complete, checked and fsynced, or nothing. Beside readers and writers. */
  backup(path: string): void {
    writeVerifiedCopy(this.#sqlite, path);
  }

  /**
   * Folds the WAL back into the file and closes it. Where that cannot be done (a full disk) the WAL stays beside the file,
   * with everything that was committed, and the next opening reads it: closing itself never fails for it.
   */
  async close(): Promise<void> {
    if (!this.#sqlite.open) return;
    try {
      if (!this.#sqlite.readonly) this.#sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // Nothing is lost, and the file handle must be given back all the same.
    } finally {
      await this.#db.destroy();
      // Kysely destroys only what was used.
      if (this.#sqlite.open) this.#sqlite.close();
    }
  }
}

/** A new UUIDv7, for records whose id must be known before they are stored (a recording's file comes first). */
export function newId(): string {
  return v7();
}

/**
 * Opens (or creates) the database file and brings it to this program's schema.
 * @throws SITE_MISSING, SITE_EXISTS, SITE_CORRUPT, SITE_READ_ONLY, SITE_NEWER, SITE_MIGRATION_FAILED, DISK_FULL
 */
export function openDatabase(path: string, options: StoreOptions = {}): Store {
  const nowTs = options.clock?.();
  return new Store(openSqlite(path, { ...options, ...(nowTs !== undefined && { nowTs }) }), options);
}
