/** The pages that are there before a site is: with and without a window, and for a site that cannot be opened. */
import { join } from 'node:path';
import { failurePage } from '../../src-main/pages/failure-page.ts';
import { setUpPage } from '../../src-main/pages/set-up-page.ts';
import { sitesPage } from '../../src-main/pages/sites-page.ts';
import { siteLine } from '../../src-main/pages/sites-words.ts';
import type { ListedSite } from '../../src-main/recent-sites.ts';
import { OutpostError } from '../../src-server/errors.ts';
import { offerSetUp } from '../../src-server/site/set-up/set-up.ts';
import type { SetUpLanguage } from '../../src-server/site/set-up/words.ts';

export type StartPage = 'headless' | 'desktop' | 'failed' | 'sites';

export interface StartPages {
  address(page: StartPage, language: SetUpLanguage): string;
  close(): Promise<void>;
}

/** A folder as it may be on a clinic's computer: what is shown must not differ from one run to the next. */
const SHOWN_DIR = 'C:\\Users\\clinic\\AppData\\Roaming\\Outpost\\site';

/** Sites of a clinic in every state that needs words. */
const LISTED: ListedSite[] = [
  { dir: SHOWN_DIR, name: 'Harbour Clinic', openedMs: 0, state: { state: 'open' } },
  { dir: 'D:\\Studies\\Sleep 2025', name: 'Sleep and motion', openedMs: 0, state: { state: 'ready' } },
  { dir: '\\\\files\\research\\site', name: 'Research unit', openedMs: 0, state: { state: 'no-answer' } },
  { dir: 'E:\\site', name: 'Portable site', openedMs: 0, state: { state: 'no-folder' } },
  {
    dir: 'C:\\Users\\clinic\\Documents\\shared',
    name: 'Ward 3',
    openedMs: 0,
    state: { state: 'in-use', owner: { pid: 4711, host: 'ward-3', sinceTs: 0 }, isHere: true },
  },
];

export async function openStartPages(folder: string): Promise<StartPages> {
  const ready = Promise.withResolvers<string>();
  const stop = new AbortController();
  const offered = offerSetUp({
    dir: join(folder, 'site-to-be'),
    port: 0,
    onReady: ready.resolve,
    signal: stop.signal,
  }).catch(ready.reject);
  const headless = await ready.promise;
  const locked = new OutpostError('SITE_LOCKED', 'Process 4711 on this computer has the site open.');
  return {
    address: (page, language) =>
      ({
        headless: () => headless,
        desktop: () => setUpPage(SHOWN_DIR, language),
        sites: () =>
          sitesPage(
            LISTED.map((site) => siteLine(site, language)),
            language,
          ),
        failed: () => failurePage(locked, SHOWN_DIR, language),
      })[page](),
    close: async () => {
      stop.abort();
      await offered;
    },
  };
}
