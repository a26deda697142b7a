import type { NewSite } from '../src-server/site/folder.ts';
import type { SetUpLanguage } from '../src-server/site/set-up/words.ts';

/** What the window may ask of the desktop: one declared contract for preload, main process and pages. */

export interface DesktopInfo {
  version: string;
  platform: NodeJS.Platform;
  /** Folder of the open site. */
  siteDir: string;
}

/** Answer to an action that may fail in words; for a form also by field. */
export type Outcome = { ok: true } | { ok: false; message: string; fields?: Record<string, string> };

/** What the form of a new site holds. */
export type SiteWishes = Omit<NewSite, 'locale'>;

export type DemoOutcome = { ok: true; email: string; password: string } | { ok: false; message: string };

export interface DesktopApi {
  info(): Promise<DesktopInfo>;
  /** Opens an https or mailto address in the system's own program; anything else is refused. */
  openExternal(url: string): Promise<Outcome>;
  /** Shows the site's folder in the file manager. */
  showSiteFolder(): Promise<void>;
  /** Of the start pages only: */
  retry(): Promise<void>;
  retryOnFreePort(): Promise<void>;
  /** Asks for a folder and starts again with it; nothing happens when the person cancels. */
  chooseFolder(): Promise<void>;
  createSite(site: SiteWishes): Promise<Outcome>;
  /** Shows the page in another language, with what was typed on it. */
  chooseLanguage(language: SetUpLanguage, typed: Partial<SiteWishes>): Promise<void>;
  /** Makes a demo site unless there is one, and answers how to sign in to it; `retry` then opens it. */
  openDemo(): Promise<DemoOutcome>;
  quit(): Promise<void>;
}

/** Channel names: one per method, so that a page can call nothing else. */
export const CHANNELS = {
  info: 'outpost:info',
  openExternal: 'outpost:open-external',
  showSiteFolder: 'outpost:show-site-folder',
  retry: 'outpost:retry',
  retryOnFreePort: 'outpost:retry-on-free-port',
  chooseFolder: 'outpost:choose-folder',
  createSite: 'outpost:create-site',
  chooseLanguage: 'outpost:choose-language',
  openDemo: 'outpost:open-demo',
  quit: 'outpost:quit',
} as const satisfies Record<keyof DesktopApi, string>;
