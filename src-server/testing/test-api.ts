/** An API on a temporary site with an administrator, a study and subjects, for tests over real HTTP. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { basicAuthorization, type Client, type Credentials, createClient } from '../api/contract/client.ts';
import { createApi } from '../api/create-api.ts';
import type { ApiDeps } from '../api/deps.ts';
import { answerClientErrors } from '../api/framework/guards.ts';
import { hashPassword, newId, type SlowQuery, SYSTEM } from '../db/index.ts';
import { Docks } from '../docks/docks.ts';
import { HOUR_MS } from '../durations.ts';
import { DiskBudget } from '../files/disk-budget.ts';
import { recogniseFile } from '../importers/recognition/recognise.ts';
import { type Integrations, startIntegrations } from '../integrations/index.ts';
import { findCopies, returnFiles } from '../integrity/backup/return-files.ts';
import { unlockFolder } from '../integrity/backup/sealed/keys.ts';
import { changePassphrase, encryptFolder } from '../integrity/backup/sealed/passphrase.ts';
import { diskUseOf } from '../integrity/disk-use.ts';
import { type DeviceKind, deviceAuthenticator, deviceToken } from '../lan/device-identity.ts';
import { RefusedAttempts } from '../lan/refused-attempts.ts';
import { openStore, type Store } from '../services/index.ts';
import { AccessLog } from '../site/access-log.ts';
import { AuditAnchors } from '../site/audit-anchors.ts';
import type { Role } from '../study/permissions.ts';
import { TestJobs } from './test-jobs.ts';
import { testLan } from './test-lan.ts';
import { addTestRecording } from './test-recording.ts';

/** A clock that tests set. */
class TestClock {
  #now: number;
  #elapsed = 0;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now = (): number => this.#now;

  /** Monotonic. */
  elapsed = (): number => this.#elapsed;

  /** Time passes. */
  advance(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }

  /** The wall clock is set, and no time passes. */
  set(byMs: number): void {
    this.#now += byMs;
  }
}

interface TestUser {
  userId: string;
  email: string;
  password: string;
  credentials: Credentials;
  authorization: string;
}

type SignedInClient = Client & { authorization: string };

export interface TestApi {
  url: string;
  siteId: string;
  /** Signed in as the administrator; checks every answer against its schema. */
  client: Client;
  authorization: string;
  admin: TestUser;
  coordinator: TestUser;
  /** Member of the study with role MONITOR. */
  monitor: TestUser;
  accountId: string;
  studyId: string;
  subjectIds: string[];
  /** Empty unless `withRecording`. */
  recordingId: string;
  jobId: string;
  /** Credentials that worked once. */
  dead: { disabled: string; expired: string; loggedOut: string };
  /** The administrator of another account on the same site. */
  otherAccount: TestUser & { accountId: string };
  store: Store;
  jobs: TestJobs;
  clock: TestClock;
  logLines: string[];
  integrations: Integrations;
  /** Errors inside integrations; tests expect none. */
  problems: unknown[];
  deps: ApiDeps;
  /** The Authorization header of a new device; a hub is registered as equipment. */
  addDevice(kind: DeviceKind, serial: string, subjectId?: string): Promise<{ id: string; authorization: string }>;
  signIn(email?: string, password?: string): Promise<SignedInClient>;
  close(): Promise<void>;
}

export interface TestApiOptions {
  withRecording?: boolean;
  staticDir?: string;
  phoneDir?: string;
  /** Zones of the subjects, one subject each. */
  timeZones?: string[];
  /** Drives where docked recorders are looked for, when a test has `docks` look. */
  mounts?: { path: string; label?: string }[];
  /** What the reading of everything found. */
  scrub?: ReturnType<ApiDeps['scrub']>;
  /** How long a webhook's receiver may take. */
  webhookTimeoutMs?: number;
  /** Writes nothing of its own meanwhile: a test looks for writes of calls. */
  isQuiet?: boolean;
  /** Called for every SQL statement. */
  onQuery?: (query: SlowQuery) => void;
}

const PASSWORD = 'correct horse 1';
/** All test passwords are the same, so one hash serves them all. */
const passwordHash = hashPassword(PASSWORD);
/** 2026-01-15 12:00 UTC. */
const TEST_START_MS = Date.UTC(2026, 0, 15, 12);

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const dir = await mkdtemp(join(tmpdir(), 'outpost-api-'));
  const folders = {
    signalsDir: join(dir, 'signals'),
    inboxDir: join(dir, 'inbox'),
    exportsDir: join(dir, 'exports'),
    imagesDir: join(dir, 'images'),
    backupsDir: join(dir, 'backups'),
  };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const clock = new TestClock(TEST_START_MS);
  const store = openStore(join(dir, 'site.db'), {
    mode: 'create',
    clock: clock.now,
    ...(options.onQuery && { onSlowQuery: options.onQuery, slowQueryMs: 0 }),
  });
  const logLines: string[] = [];
  const jobs = new TestJobs(folders, clock.now);
  const siteId = newId();
  const siteKey = new Uint8Array(32).fill(7);
  const problems: unknown[] = [];
  const integrations = await startIntegrations({
    store,
    siteKey,
    clock: clock.now,
    siteName: 'Test site',
    onProblem: (problem) => problems.push(problem),
    webhookTimeoutMs: options.webhookTimeoutMs ?? 2000,
    mailTimeoutMs: 2500,
  });
  const refused = new RefusedAttempts({ store, clock: clock.now, onProblem: (problem) => problems.push(problem) });
  const accessLog = new AccessLog({
    ...{ store, siteKey, clock: clock.now },
    ...(options.isQuiet && { flushEveryMs: HOUR_MS }),
    onProblem: (problem) => problems.push(problem),
  });
  const docks = new Docks({
    ...{ store, jobs, siteDir: dir, ...folders, disk: new DiskBudget(dir), clock: clock.now },
    recognise: (task) => recogniseFile(task),
    onProblem: (problem) => problems.push(problem),
    mounts: async () => options.mounts ?? [],
  });
  let url = '';
  const anchors = await AuditAnchors.open({
    ...{ siteDir: dir, siteId, store, clock: clock.now },
    ...(options.isQuiet && { rowsBetween: Number.POSITIVE_INFINITY }),
  });
  const deps: ApiDeps = {
    anchors,
    soundness: () => ({ state: 'sound', isChecking: false }),
    scrub: () => options.scrub ?? { isReading: false, findings: [] },
    startScrub: () => undefined,
    crashReports: () => [],
    problem: () => undefined,
    columnMove: () => undefined,
    ...folders,
    backupFolders: {
      encrypt: (directory, passphrase) => encryptFolder(directory, dir, passphrase),
      changePassphrase,
      holdPassphrase: async (directory, passphrase) => {
        await unlockFolder(directory, passphrase);
        return 'held';
      },
      overwriteDeleted: () => Promise.resolve(store.overwriteDeleted()),
      measure: () => diskUseOf(dir),
      findCopies: () => findCopies(store, dir, []),
      returnFiles: async () => await returnFiles(dir, []),
    },
    recognise: (task) => recogniseFile(task),
    disk: new DiskBudget(dir),
    largestToFree: () => [],
    docks,
    store,
    jobs,
    integrations,
    clock: clock.now,
    elapsed: clock.elapsed,
    log: pino({ level: 'info' }, { write: (line: string) => logLines.push(line) }),
    secrets: { urlSigningKey: siteKey },
    authenticateDevice: deviceAuthenticator(siteId, store.devices, refused),
    refused,
    accessLog,
    lan: testLan({ store, siteId, clock: clock.now, elapsed: clock.elapsed, refused }),
    siteId,
    siteCreatedTs: TEST_START_MS,
    siteName: 'Test site',
    addresses: () => [url],
    version: '0.0.0-test',
    validateResponses: true,
    ...(options.staticDir ? { staticDir: options.staticDir } : {}),
    ...(options.phoneDir ? { phoneDir: options.phoneDir } : {}),
  };
  const server = createServer(createApi(deps));
  answerClientErrors(server);
  // A slow test must not reuse a keep-alive connection just as it times out.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const addUser = async (accountId: string, email: string, role: Role): Promise<TestUser> => {
    const { id } = await store.users.create(
      {
        accountId,
        email,
        firstName: 'Test',
        lastName: role,
        locale: 'en_US',
        timezone: 'US/Eastern',
        role,
        passwordHash: await passwordHash,
      },
      SYSTEM,
    );
    const { accessToken } = await store.tokens.create(id);
    const credentials = { userId: id, accessToken };
    return { userId: id, email, password: PASSWORD, credentials, authorization: basicAuthorization(credentials) };
  };

  const account = await store.accounts.create({ displayName: 'Test clinic' }, SYSTEM);
  const other = await store.accounts.create({ displayName: 'Other clinic' }, SYSTEM);
  const expired = await addUser(account.id, 'expired@example.org', 'ADMIN');
  clock.advance(14 * 24 * 60 * 60 * 1000);
  const admin = await addUser(account.id, 'admin@example.org', 'ADMIN');
  const coordinator = await addUser(account.id, 'coordinator@example.org', 'COORDINATOR');
  const monitor = await addUser(account.id, 'monitor@example.org', 'MONITOR');
  const disabled = await addUser(account.id, 'disabled@example.org', 'ADMIN');
  await store.users.disable(disabled.userId, SYSTEM);
  const loggedOut = await addUser(account.id, 'left@example.org', 'ADMIN');
  await store.tokens.revoke(loggedOut.userId, loggedOut.credentials.accessToken);

  const byAdmin = { actor: { type: 'USER', id: admin.userId } } as const;
  const study = await store.studies.create({ accountId: account.id, displayName: 'Test study' }, byAdmin);
  await store.studies.setMember(study.id, monitor.userId, 'MONITOR', byAdmin);
  const subjectIds: string[] = [];
  for (const [i, timezone] of (options.timeZones ?? ['US/Eastern', 'Asia/Tokyo']).entries()) {
    const subject = await store.subjects.create(study.id, { displayName: `Subject ${i + 1}`, timezone }, byAdmin);
    subjectIds.push(subject.id);
  }
  const place = { studyId: study.id, subjectId: subjectIds[0]! };
  const recording = options.withRecording ? await addTestRecording(store, folders.signalsDir, place) : undefined;
  const job = await jobs.enqueue('analyse', { ...place, fromMs: 0, toMs: 1, recordingIds: [] });

  const client = createClient({ baseUrl: url, credentials: admin.credentials, validateResponses: true });
  return {
    url,
    siteId,
    client,
    authorization: admin.authorization,
    admin,
    coordinator,
    monitor,
    accountId: account.id,
    studyId: study.id,
    subjectIds,
    recordingId: recording?.id ?? '',
    jobId: job.id,
    dead: { disabled: disabled.authorization, expired: expired.authorization, loggedOut: loggedOut.authorization },
    otherAccount: { ...(await addUser(other.id, 'other@example.org', 'ADMIN')), accountId: other.id },
    store,
    jobs,
    clock,
    logLines,
    integrations,
    problems,
    deps,
    addDevice: async (kind, serial, subjectId) => {
      const subject = subjectId === undefined ? {} : { subject: { studyId: study.id, subjectId } };
      const type = kind === 'HUB' ? 'LINK_HUB' : 'LINK_PHONE';
      const isOwnPhone = kind === 'PHONE' && subjectId !== undefined;
      if (!isOwnPhone && !(await store.equipment.get(serial)))
        await store.equipment.register({ accountId: account.id, id: serial, type }, byAdmin);
      const { device, secret } = await store.devices.add(
        { accountId: account.id, kind, serial, ...(isOwnPhone ? {} : { equipmentId: serial }), ...subject },
        byAdmin,
      );
      return { id: device.id, authorization: `Bearer ${deviceToken(siteId, device.id, secret)}` };
    },
    signIn: async (email = admin.email, password = PASSWORD) => {
      const signedIn = createClient({ baseUrl: url, validateResponses: true });
      const session = await signedIn.call('login', { body: { email, password } });
      signedIn.credentials = { userId: session.user.id, accessToken: session.accessToken };
      return Object.assign(signedIn, { authorization: basicAuthorization(signedIn.credentials) });
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await integrations.close();
      await refused.close();
      await anchors.close();
      await accessLog.close();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
