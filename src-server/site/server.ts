/**
 * Starts and closes a site: the folder, the services that work in the background, and the two HTTP listeners (loopback and
 * local network). Electron and the headless command use the same code.
 */
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { createApi } from '../api/create-api.ts';
import type { ApiDeps } from '../api/deps.ts';
import { attentionView } from '../api/resources/attention/attention.ts';
import { Docks } from '../docks/docks.ts';
import type { ListMounts } from '../docks/mounts.ts';
import { toOutpostError } from '../errors.ts';
import { type Integrations, startIntegrations } from '../integrations/index.ts';
import { WorkerPool } from '../jobs/workers/pool.ts';
import { deviceAuthenticator } from '../lan/device-identity.ts';
import { RefusedAttempts } from '../lan/refused-attempts.ts';
import { UploadReceiver } from '../lan/upload/receiver.ts';
import { tusHandler } from '../lan/upload/tus-handler.ts';
import { PROGRAM_FILES } from '../program-files.ts';
import type { JobKind } from '../study/jobs.ts';
import { VERSION } from '../version.ts';
import { AccessLog } from './access-log.ts';
import { analysisRunCommands } from './analysis-run-commands.ts';
import { backupFolders } from './backup-folders.ts';
import { ownCertificateCommands } from './certificates/commands.ts';
import { ClockWatch } from './clock-watch.ts';
import { SiteControl } from './control/control-server.ts';
import { CrashReports } from './crash-reports.ts';
import { DeskActivity } from './desk-activity.ts';
import { DigestSender } from './digests.ts';
import { DiskWatch } from './disk-watch.ts';
import { dockCommands } from './dock-commands.ts';
import { type Engine, type EngineOptions, startEngine } from './engine.ts';
import { openSite, type SiteFolder } from './folder.ts';
import { FolderWatch } from './folder-watch.ts';
import type { OpeningProgress } from './give-space-back.ts';
import { closeServer, createHttpServer, listenOnLoopback } from './http-server.ts';
import { SiteLan, type SiteLanOptions } from './lan.ts';
import { Scrubber, type ScrubberOptions } from './scrubber.ts';
import { Soundness, type SoundnessOptions } from './soundness.ts';
import { userCommands } from './user-commands.ts';

export interface SiteOptions extends EngineOptions {
  dir: string;
  /** 0 picks a free port. */
  port: number;
  /** Local network listener. Without it the site answers only on loopback. */
  lan?: SiteLanOptions;
  /** Folder of the built desk; default: the one in this installation. It may be created after the start. */
  staticDir?: URL;
  log?: Logger;
  /** Level of the log on stderr when `log` is absent; default `warn`. The OUTPOST_LOG variable takes precedence. */
  logLevel?: 'warn' | 'error';
  /** Receives the progress of work that only a site of an older version needs. */
  onProgress?: OpeningProgress;
  /** Epoch ms; default Date.now. The demo passes a simulated clock. */
  clock?: () => number;
  /** See {@link openSite}. */
  smallBytes?: number;
  /** When the background checks run. */
  soundness?: Pick<SoundnessOptions, 'delayMs' | 'settleMs'>;
  /** When and how fast everything is read. */
  scrub?: Pick<ScrubberOptions, 'delayMs' | 'share' | 'forMs'>;
  /** How often the folder is looked for; default 2 s. */
  folderCheckMs?: number;
  /** Drives where docked recorders are looked for; default: those of this computer. */
  mounts?: ListMounts;
  /** Monotonic milliseconds. A custom `clock` is checked for jumps only when this is given. */
  elapsed?: () => number;
  /** Monotonic milliseconds of throttles; default `performance.now`. Tests let a minute pass with it. */
  throttleTime?: () => number;
}

export interface RunningSite {
  /** `http://127.0.0.1:<port>` */
  url: string;
  folder: SiteFolder;
  engine: Engine;
  soundness: Soundness;
  scrubber: Scrubber;
  lan: SiteLan;
  clockWatch: ClockWatch;
  /** Number of files that devices are sending now. */
  filesUnderWay(): number;
  /** For what crashes outside of the site, such as a window. */
  crashes: CrashReports;
  /**
   * Resolves when the folder is back after its disk was pulled, but the files that are open are dead: close the site and start it again at
   * the same address.
   */
  mustReopen: Promise<void>;
  /** Stops listening, returns running jobs to the queue, closes the database and releases the lock. Never throws. */
  close(): Promise<void>;
}

interface SiteServices {
  folderWatch: FolderWatch;
  diskWatch: DiskWatch;
  clockWatch: ClockWatch;
  engine: Engine;
  soundness: Soundness;
  scrubber: Scrubber;
  integrations: Integrations;
  refused: RefusedAttempts;
  accessLog: AccessLog;
  uploads: UploadReceiver;
  docks: Docks;
  lan: SiteLan;
}

/** What has been started so far and must be closed. */
type StartedParts = Partial<SiteServices> & {
  server?: ReturnType<typeof createHttpServer>;
  control?: SiteControl;
  digests?: DigestSender;
};

interface StartContext {
  options: SiteOptions;
  folder: SiteFolder;
  log: Logger;
  clock: () => number;
  siteKey: Buffer;
  crashes: CrashReports;
  stopWatchingProcess: () => void;
  reopen: PromiseWithResolvers<void>;
  activity: DeskActivity;
  /** Filled while the site starts. */
  started: StartedParts;
}

const CLOSE_GRACE_MS = 2000;
/** A part that takes longer is named in the log: a stop that waits for ever says for what. */
const SLOW_CLOSE_MS = 10_000;

/** Jobs that people and devices wait for; a check of a backup or of the site reads as a scrub does. */
const isInTheWay = (kind: JobKind): boolean => kind !== 'verify';

/**
 * Opens a site and serves it.
 * @throws PORT_TAKEN, and the errors of `openSite`
 */
export async function startSite(options: SiteOptions): Promise<RunningSite> {
  const log =
    options.log ??
    pino({ level: process.env.OUTPOST_LOG ?? options.logLevel ?? 'warn' }, pino.destination({ fd: 2, sync: false }));
  const clock = options.clock ?? Date.now;
  const folder = await openSite(options.dir, {
    clock,
    ...(options.smallBytes !== undefined && { smallBytes: options.smallBytes }),
    onSlowQuery: (query) => log.warn(query, 'slow query'),
    ...(options.onProgress && { onProgress: options.onProgress }),
  });
  if (folder.shrinkProblem) log.warn(folder.shrinkProblem.message);
  const siteKey = Buffer.from(folder.site.urlSigningKey, 'hex');
  const crashes = new CrashReports(folder.dir);
  crashes.beginRun();
  const stopWatchingProcess = crashes.watchProcess();
  const reopen = Promise.withResolvers<void>();
  const base = { options, folder, log, clock, siteKey, crashes, reopen, activity: new DeskActivity() };
  const context: StartContext = { ...base, stopWatchingProcess, started: {} };
  try {
    await folder.store.settings.noteProgramVersion(VERSION, folder.site.id);
    const services = await startServices(context);
    const url = await startListeners(context, services);
    const { engine, soundness, scrubber, lan, clockWatch, uploads } = services;
    soundness.start();
    await scrubber.start();
    const filesUnderWay = () => uploads.filesUnderWay;
    return {
      ...{ url, folder, engine, soundness, scrubber, lan, clockWatch, crashes, filesUnderWay },
      mustReopen: reopen.promise,
      close: () => closeSite(context),
    };
  } catch (thrown) {
    await closeSite(context);
    throw toOutpostError(thrown);
  }
}

async function startServices({
  options,
  folder,
  log,
  clock,
  siteKey,
  crashes,
  reopen,
  started,
  activity,
}: StartContext): Promise<SiteServices> {
  const { store } = folder;
  const logProblem = (source: string) => (problem: unknown) => log.error({ err: problem }, source);
  const folderWatch = new FolderWatch({
    dir: folder.dir,
    databasePath: store.path,
    databaseDescriptor: folder.databaseDescriptor,
    refuseWrites: (error) => {
      log.error(error.message);
      store.refuseWrites(error);
    },
    acceptWrites: () => store.acceptWrites(),
    onReplaced: reopen.resolve,
    ...(options.folderCheckMs !== undefined && { intervalMs: options.folderCheckMs }),
  });
  started.folderWatch = folderWatch;
  folder.anchors.onProblem = logProblem('audit anchors');
  const clockWatch = new ClockWatch({
    store,
    clock,
    ...(options.elapsed && { elapsed: options.elapsed }),
    onProblem: logProblem('clock'),
  });
  started.clockWatch = clockWatch;
  // A simulated clock jumps on purpose.
  if (!options.clock || options.elapsed) await clockWatch.start();
  const engine = await startEngine(folder, {
    onProblem: logProblem('job queue'),
    ...options,
    clock,
    isSiteAway: () => !folderWatch.check(),
    onAnalyticsCrash: ({ reason, lastOutput, aliveMs }) =>
      crashes.write({ part: 'analytics', reason, output: lastOutput, aliveMs }),
  });
  started.engine = engine;
  const diskWatch = new DiskWatch({
    disk: folder.disk,
    reserve: folder.reserve,
    measure: () => engine.workers.run('measureSite', { dir: folder.dir }),
    onProblem: logProblem('disk'),
  });
  started.diskWatch = diskWatch;
  diskWatch.start();
  const checkers = new WorkerPool({ entry: (options.entries ?? PROGRAM_FILES).worker, threads: 1 });
  const soundness = new Soundness({
    folder,
    workers: checkers,
    clock,
    onDamage: () => engine.jobs.close(),
    onProblem: logProblem('soundness'),
    ...options.soundness,
  });
  started.soundness = soundness;
  const integrations = await startIntegrations({
    store,
    siteKey,
    clock,
    siteName: folder.site.displayName,
    onProblem: logProblem('integrations'),
  });
  started.integrations = integrations;
  const refused = new RefusedAttempts({ store, clock, onProblem: logProblem('refused attempts') });
  started.refused = refused;
  const accessLog = new AccessLog({ store, siteKey, clock, onProblem: logProblem('access log') });
  started.accessLog = accessLog;
  const uploads = new UploadReceiver({
    store,
    inboxDir: folder.inboxDir,
    signalsDir: folder.signalsDir,
    disk: folder.disk,
    clock,
    isClockTrusted: () => clockWatch.isTrusted,
    jobs: engine.jobs,
    refused,
    onProblem: logProblem('uploads'),
  });
  started.uploads = uploads;
  await uploads.start();
  const docks = new Docks({
    store,
    jobs: engine.jobs,
    siteDir: folder.dir,
    inboxDir: folder.inboxDir,
    signalsDir: folder.signalsDir,
    disk: folder.disk,
    recognise: (task) => engine.workers.run('recogniseFile', task),
    clock,
    onProblem: logProblem('docks'),
    ...(options.mounts && { mounts: options.mounts }),
  });
  started.docks = docks;
  await docks.start();
  const lan = new SiteLan(folder, {
    clock,
    elapsed: throttleTime(options),
    refused,
    onProblem: logProblem('local network'),
  });
  started.lan = lan;
  const scrubber = new Scrubber({
    folder,
    workers: checkers,
    soundness,
    enqueue: (kind, payload, change) => engine.jobs.enqueue(kind, payload, change),
    isBusy: () => activity.isActive || uploads.filesUnderWay > 0 || engine.jobs.isRunning(isInTheWay),
    isAway: () => folderWatch.problem !== undefined,
    clock,
    onProblem: logProblem('scrub'),
    ...options.scrub,
  });
  started.scrubber = scrubber;
  return {
    folderWatch,
    diskWatch,
    clockWatch,
    engine,
    soundness,
    scrubber,
    integrations,
    refused,
    accessLog,
    uploads,
    docks,
    lan,
  };
}

/** Not the clock of the site: throttles must not wait when that is set. */
function throttleTime({ throttleTime: given }: SiteOptions): () => number {
  return given ?? (() => performance.now());
}

/** Listens on the local network and on loopback. Returns the loopback address. */
async function startListeners(context: StartContext, services: SiteServices): Promise<string> {
  const { options, started } = context;
  const { lan } = services;
  let url = '';
  const deps = apiDeps(context, services, () => [url, ...lan.urls]);
  const digests = new DigestSender({
    store: deps.store,
    clock: context.clock,
    siteName: deps.siteName,
    viewOf: (user) => attentionView(deps, user),
    onProblem: (problem) => context.log.error({ err: problem }, 'digests'),
  });
  started.digests = digests;
  const { activity } = context;
  const server = createHttpServer(activity.watch(createApi(deps)));
  await lan.start(options.lan, activity.watch(createApi({ ...deps, allowedHosts: () => lan.hosts }, 'lan')));
  const port = await listenOnLoopback(server, options.port);
  started.server = server;
  url = `http://127.0.0.1:${port}`;
  started.control = await startControl(context, services);
  digests.start();
  return url;
}

/** Without it, commands say that the site is in use; everything else works. */
async function startControl(
  { folder, log }: StartContext,
  { lan, docks, engine }: SiteServices,
): Promise<SiteControl | undefined> {
  try {
    return await SiteControl.start(folder.dir, {
      ...ownCertificateCommands(lan.certificates),
      ...userCommands(folder.store),
      ...dockCommands(docks, folder.store),
      ...analysisRunCommands(folder.store, (id) => engine.jobs.cancel(id)),
    });
  } catch (thrown) {
    log.error({ err: thrown }, 'commands of this computer');
    return undefined;
  }
}

function apiDeps(
  { options, folder, log, clock, siteKey, crashes }: StartContext,
  {
    folderWatch,
    diskWatch,
    engine,
    soundness,
    scrubber,
    integrations,
    refused,
    accessLog,
    uploads,
    docks,
    lan,
  }: SiteServices,
  addresses: () => string[],
): ApiDeps {
  const { site, store } = folder;
  return {
    store,
    anchors: folder.anchors,
    jobs: engine.jobs,
    integrations,
    signalsDir: folder.signalsDir,
    inboxDir: folder.inboxDir,
    exportsDir: folder.exportsDir,
    imagesDir: folder.imagesDir,
    backupsDir: folder.backupsDir,
    backupFolders: backupFolders(folder, engine),
    recognise: (task) => engine.workers.run('recogniseFile', task),
    disk: folder.disk,
    largestToFree: () => diskWatch.largest,
    docks,
    siteCreatedTs: site.createdTs,
    clock,
    elapsed: throttleTime(options),
    soundness: () => soundness.state,
    scrub: () => scrubber.report,
    startScrub: () => void scrubber.look({ isAsked: true }),
    crashReports: () => crashes.list(),
    problem: () => folderWatch.problem,
    columnMove: () => engine.columnMover.progress,
    log,
    authenticateDevice: deviceAuthenticator(site.id, store.devices, refused),
    refused,
    accessLog,
    uploads: tusHandler(uploads, clock),
    secrets: { urlSigningKey: siteKey },
    staticDir: fileURLToPath(options.staticDir ?? PROGRAM_FILES.desk),
    phoneDir: fileURLToPath(PROGRAM_FILES.phone),
    siteId: site.id,
    siteName: site.displayName,
    addresses,
    lan,
    version: VERSION,
  };
}

/**
 * Closes what was started, the listeners first and the folder last. Every step runs even if an earlier one throws: a folder
 * left open would keep the site locked until the process exits. Failures are only logged, since a final write that fails
 * (for example on a full disk) loses no acknowledged data.
 */
async function closeSite({ folder, log, crashes, stopWatchingProcess, started }: StartContext): Promise<void> {
  const { server, control, lan, clockWatch, integrations, uploads, docks, refused, engine, soundness, scrubber } =
    started;
  const steps: Readonly<Record<string, () => unknown>> = {
    listeners: () => Promise.all([server && closeServer(server, CLOSE_GRACE_MS), control?.close(), lan?.close()]),
    clock: () => clockWatch?.close(),
    'folder watch': () => started.folderWatch?.close(),
    'disk watch': () => started.diskWatch?.close(),
    digests: () => started.digests?.close(),
    integrations: () => integrations?.close(),
    uploads: () => uploads?.close(),
    docks: () => docks?.close(),
    'refused attempts': () => refused?.close(),
    'access log': () => started.accessLog?.close(),
    scrub: () => scrubber?.close(),
    soundness: () => soundness?.close(),
    jobs: () => engine?.close(),
    folder: () => folder.close(),
    process: stopWatchingProcess,
    'end of run': () => crashes.endRun(),
  };
  for (const [part, close] of Object.entries(steps)) {
    const slow = setTimeout(() => log.warn(`Closing the site waits for: ${part}.`), SLOW_CLOSE_MS);
    try {
      await close();
    } catch (thrown) {
      log.error({ err: thrown }, 'closing the site');
    }
    clearTimeout(slow);
  }
}
