/** The pages outside of the desk: before there is a site, with and without a window; for a site that does not open; and of updates. */
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { setUpPage } from '../../src-main/pages/set-up-page.ts';
import { sitesPage } from '../../src-main/pages/sites-page.ts';
import { siteLine } from '../../src-main/pages/sites-words.ts';
import type { ListedSite } from '../../src-main/recent-sites.ts';
import { offerSetUp } from '../../src-server/site/set-up/set-up.ts';
import type { SetUpLanguage } from '../../src-server/site/set-up/words.ts';
import { type FailureName, failureAddress, failureAnswers, SHOWN_DIR } from './failure-pages.ts';
import { type UpdateState, updatesAddress } from './update-pages.ts';

export type StartPage = 'headless' | 'desktop' | 'sites' | `failed:${FailureName}` | `updates:${UpdateState}`;

export interface StartPages {
  /** Shows one; what its buttons ask the program is answered as the page's state says. */
  open(page: Page, startPage: StartPage, language: SetUpLanguage): Promise<void>;
  close(): Promise<void>;
}

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

/** Runs in the page, before its own script. */
function answerRecovery(answers: Record<string, unknown>): void {
  // It stays for later pages of the tab, which ask the program other things or are not in it.
  if (!location.href.startsWith('data:') || !location.href.includes('class%3D%22recovery%22')) return;
  const recover = async (step: string) => answers[step] ?? { kind: 'progress', percent: 0 };
  Object.assign(window, { outpostDesktop: { recover } });
}

/** The same for the set-up page, which asks what was typed in another language. */
function answerSetUp(): void {
  if (!location.href.startsWith('data:') || !location.href.includes('takeTypedPassword')) return;
  Object.assign(window, { outpostDesktop: { takeTypedPassword: () => Promise.resolve('') } });
}

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
  const address = (startPage: StartPage, language: SetUpLanguage): string => {
    if (startPage === 'headless') return headless;
    if (startPage === 'desktop') return setUpPage(SHOWN_DIR, language);
    if (startPage === 'sites') {
      return sitesPage(
        LISTED.map((site) => siteLine(site, language)),
        language,
      );
    }
    const [kind, state] = startPage.split(':');
    return kind === 'updates'
      ? updatesAddress(state as UpdateState, language)
      : failureAddress(state as FailureName, language);
  };
  return {
    open: async (page, startPage, language) => {
      const [kind, state] = startPage.split(':');
      const answers = kind === 'failed' ? failureAnswers(state as FailureName, language) : undefined;
      if (answers) await page.addInitScript(answerRecovery, answers);
      if (kind === 'desktop') await page.addInitScript(answerSetUp);
      await page.goto(address(startPage, language));
    },
    close: async () => {
      stop.abort();
      await offered;
    },
  };
}
