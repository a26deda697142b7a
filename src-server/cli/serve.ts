import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCodeName, toOutpostError } from '../errors.ts';
import { type RunningSite, startSite } from '../site/server.ts';
import { isNewFolder, offerSetUp } from '../site/set-up/set-up.ts';
import { buildMissingDesk } from './build-desk.ts';
import { answer, progressOnDemand, say } from './output.ts';
import { endAfter, untilStopped } from './signals.ts';

/** States of a site that a backup can end. */
const RECOVERABLE: ReadonlySet<ErrorCodeName> = new Set(['SITE_CORRUPT', 'SITE_NEWER', 'SITE_MIGRATION_FAILED']);

/** Between two tries to open a site whose disk is back. */
const REOPEN_EVERY_MS = 2000;

export async function serve(options: {
  data: string;
  port: number;
  lan: boolean;
  lanPort?: number;
  setUp?: boolean;
  desk: boolean;
}): Promise<undefined> {
  const stopBuild = options.desk ? buildMissingDesk() : () => undefined;
  process.once('exit', stopBuild);
  if (options.setUp && (await isNewFolder(options.data))) {
    const { port } = await offerSetUp({
      dir: options.data,
      port: options.port,
      onReady: (url) => say(`No site in ${options.data} yet. Create it at this one-time address:\n${url}`),
    });
    // The set-up page redirects to this same address.
    options = { ...options, port };
  }
  const progress = progressOnDemand('Opening the site');
  const site = await startSite({
    dir: options.data,
    port: options.port,
    onProgress: progress.update,
    ...(options.lan ? { lan: { ...(options.lanPort === undefined ? {} : { port: options.lanPort }) } } : {}),
  })
    .catch((thrown: unknown) => {
      if (RECOVERABLE.has(toOutpostError(thrown).code))
        say(`See the newest good backup, and get back to work: outpost recover --data ${options.data}`);
      throw thrown;
    })
    .finally(() => progress.stop());
  if (site.lan.failure) say(site.lan.failure.message);
  // Before the answer: a program that started this one may end it as soon as it has read that.
  const stopped = untilStopped().then(() => true);
  answer({ url: site.url, lanUrls: site.lan.urls, fingerprint: site.lan.fingerprint ?? null });
  const again = {
    dir: options.data,
    port: Number(new URL(site.url).port),
    ...(options.lan && {
      lan: options.lanPort === undefined ? {} : { port: site.lan.network().port ?? options.lanPort },
    }),
  };
  let open: RunningSite | undefined = site;
  while (!(await Promise.race([stopped, open ? open.mustReopen : pause(REOPEN_EVERY_MS)]))) {
    await open?.close();
    open = await startSite(again).catch((thrown: unknown) => void say(toOutpostError(thrown).message));
    if (open) say('The disk of the site is back. The site is open again.');
  }
  stopBuild();
  say('Closing the site...');
  await endAfter(async () => await open?.close());
  return undefined;
}
