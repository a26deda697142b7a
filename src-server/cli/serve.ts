import { startSite } from '../site/server.ts';
import { answer, say } from './output.ts';
import { untilStopped } from './signals.ts';

export async function serve(options: {
  data: string;
  port: number;
  lan: boolean;
  lanPort?: number;
}): Promise<undefined> {
  if (options.lanPort !== undefined)
    say('This version does not listen on the local network; --lan-port has no effect.');
  const site = await startSite({ dir: options.data, port: options.port });
  answer({ url: site.url, lanUrls: [], fingerprint: null });
  await untilStopped();
  say('Closing the site ...');
  await site.close();
  return undefined;
}
