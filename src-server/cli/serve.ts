import { startSite } from '../site/server.ts';
import { answer, say } from './output.ts';
import { untilStopped } from './signals.ts';

export async function serve(options: {
  data: string;
  port: number;
  lan: boolean;
  lanPort?: number;
}): Promise<undefined> {
  const site = await startSite({
    dir: options.data,
    port: options.port,
    ...(options.lan ? { lan: { ...(options.lanPort === undefined ? {} : { port: options.lanPort }) } } : {}),
  });
  if (site.lan.failure) say(site.lan.failure.message);
  answer({ url: site.url, lanUrls: site.lan.urls, fingerprint: site.lan.fingerprint ?? null });
  await untilStopped();
  say('Closing the site ...');
  await site.close();
  return undefined;
}
