/** A running site: the folder, its engine and the HTTP listener on loopback. The same under Electron and headless. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { createApi } from '../api/create-api.ts';
import type { ApiDeps } from '../api/deps.ts';
import { OutpostError, toOutpostError } from '../errors.ts';
import { type Integrations, startIntegrations } from '../integrations/index.ts';
import { deviceAuthenticator } from '../lan/device-identity.ts';
import { RefusedAttempts } from '../lan/refused-attempts.ts';
import { UploadReceiver } from '../lan/upload/receiver.ts';
import { tusHandler } from '../lan/upload/tus-handler.ts';
import { VERSION } from '../version.ts';
import { ClockWatch } from './clock-watch.ts';
import { type Engine, type EngineOptions, startEngine } from './engine.ts';
import { openSite, type SiteFolder } from './folder.ts';
import { createHttpServer } from './http-server.ts';
import { SiteLan, type SiteLanOptions } from './lan.ts';

export interface SiteOptions extends EngineOptions {
  dir: string;
  /** 0 takes a free port. */
  port: number;
  /** How to listen on the local network; without it only this computer is answered. */
  lan?: SiteLanOptions;
  /** Folder of the built desk; default: the one of this program. It may appear later. */
  staticDir?: URL;
  log?: Logger;
  /** What goes to stderr without `log`: default `warn`. The variable OUTPOST_LOG decides over it. */
  logLevel?: 'warn' | 'error';
  /** Epoch ms; default Date.now. The demo tells its story through it. */
  clock?: () => number;
  /** Milliseconds of a clock that nobody moves. With `clock`, jumps of that one are noticed by it. */
  elapsed?: () => number;
}

export interface RunningSite {
  /** `http://127.0.0.1:<port>` */
  url: string;
  folder: SiteFolder;
  engine: Engine;
  lan: SiteLan;
  clockWatch: ClockWatch;
  /** Stops listening, puts running jobs back into the queue, closes the database and gives the lock back. Never throws. */
  close(): Promise<void>;
}

const BUILT_DESK = new URL('../../out/renderer', import.meta.url);
const CLOSE_GRACE_MS = 2000;

/**
 * Opens a site and serves it.
 * @throws the states of `openSite`, and PORT_TAKEN
 */
export async function startSite(options: SiteOptions): Promise<RunningSite> {
  const log =
    options.log ??
    pino({ level: process.env.OUTPOST_LOG ?? options.logLevel ?? 'warn' }, pino.destination({ fd: 2, sync: false }));
  const clock = options.clock ?? Date.now;
  const folder = await openSite(options.dir, {
    clock,
    onSlowQuery: (query) => log.warn(query, 'slow query'),
  });
  let engine: Engine | undefined;
  let integrations: Integrations | undefined;
  let lan: SiteLan | undefined;
  let refused: RefusedAttempts | undefined;
  let uploads: UploadReceiver | undefined;
  let clockWatch: ClockWatch | undefined;
  try {
    const watch = new ClockWatch({
      store: folder.store,
      clock,
      ...(options.elapsed && { elapsed: options.elapsed }),
      onProblem: (problem) => log.error({ err: problem }, 'clock'),
    });
    clockWatch = watch;
    // A clock that is given leaps as its story wants.
    if (!options.clock || options.elapsed) await watch.start();
    engine = await startEngine(folder, {
      onProblem: (problem) => log.error({ err: problem }, 'job queue'),
      ...options,
      clock,
    });
    const siteKey = Buffer.from(folder.site.urlSigningKey, 'hex');
    integrations = await startIntegrations({
      store: folder.store,
      siteKey,
      clock,
      siteName: folder.site.displayName,
      onProblem: (problem) => log.error({ err: problem }, 'integrations'),
    });
    const refusals = new RefusedAttempts({
      store: folder.store,
      clock,
      onProblem: (problem) => log.error({ err: problem }, 'refused attempts'),
    });
    refused = refusals;
    const receiver = new UploadReceiver({
      store: folder.store,
      inboxDir: folder.inboxDir,
      signalsDir: folder.signalsDir,
      disk: folder.disk,
      clock,
      isClockTrusted: () => watch.isTrusted,
      jobs: engine.jobs,
      refused: refusals,
      onProblem: (problem) => log.error({ err: problem }, 'uploads'),
    });
    uploads = receiver;
    await receiver.start();
    let url = '';
    const network = new SiteLan(folder, {
      clock,
      refused: refusals,
      onProblem: (problem) => log.error({ err: problem }, 'local network'),
    });
    lan = network;
    const deps: ApiDeps = {
      store: folder.store,
      jobs: engine.jobs,
      integrations,
      signalsDir: folder.signalsDir,
      inboxDir: folder.inboxDir,
      exportsDir: folder.exportsDir,
      imagesDir: folder.imagesDir,
      backupsDir: folder.backupsDir,
      disk: folder.disk,
      siteCreatedTs: folder.site.createdTs,
      clock,
      log,
      authenticateDevice: deviceAuthenticator(folder.site.id, folder.store.devices, refusals),
      refused: refusals,
      uploads: tusHandler(receiver, clock),
      secrets: { urlSigningKey: siteKey },
      staticDir: fileURLToPath(options.staticDir ?? BUILT_DESK),
      siteId: folder.site.id,
      siteName: folder.site.displayName,
      addresses: () => [url, ...network.urls],
      lan: network,
      version: VERSION,
    };
    const server = createHttpServer(createApi(deps));
    const running = engine;
    const sending = integrations;
    await network.start(options.lan, createApi({ ...deps, allowedHosts: () => network.hosts }, 'lan'));
    url = `http://127.0.0.1:${await listen(server, options.port)}`;
    return {
      url,
      folder,
      engine: running,
      lan: network,
      clockWatch: watch,
      close: () =>
        closeAll(log, [
          () => Promise.all([stop(server), network.close()]),
          () => watch.close(),
          () => sending.close(),
          () => receiver.close(),
          () => refusals.close(),
          () => running.close(),
          () => folder.close(),
        ]),
    };
  } catch (thrown) {
    await closeAll(log, [
      () => clockWatch?.close(),
      () => integrations?.close(),
      () => lan?.close(),
      () => uploads?.close(),
      () => refused?.close(),
      () => engine?.close(),
      () => folder.close(),
    ]);
    throw toOutpostError(thrown);
  }
}

/**
 * Runs every step, whatever the ones before it threw: what is left open would keep the lock of the site until the process
 * ends. A part that cannot write its last words (a full disk) loses nothing that was acknowledged, so that is only logged.
 */
async function closeAll(log: Logger, steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      log.error({ err: thrown }, 'closing the site');
    }
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE' || error.code === 'EACCES'
          ? new OutpostError(
              'PORT_TAKEN',
              `Port ${port} of this computer cannot be used: another program has it. Close that program, or choose another port with --port.`,
              { details: { port } },
            )
          : error,
      );
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Lets answers under way finish for a moment, then cuts what is left (a desk's live connection never ends by itself). */
async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(timer);
}
