import type { NewSite } from '../src-server/site/folder.ts';
import type { SetUpLanguage } from '../src-server/site/set-up/words.ts';

/** IPC contract between the window and the main process, shared by preload, main process and pages. */

export interface DesktopInfo {
  version: string;
  platform: NodeJS.Platform;
  /** Folder of the open site. */
  siteDir: string;
}

/** Result of an action that can fail, with messages per field for forms. */
export type Outcome = { ok: true } | { ok: false; message: string; fields?: Record<string, string> };

/** Values of the set-up form. */
export type SiteWishes = Omit<NewSite, 'locale'>;

export type DemoOutcome = { ok: true; email: string; password: string } | { ok: false; message: string };

export interface DesktopApi {
  info(): Promise<DesktopInfo>;
  /** Opens an https or mailto address in the system's own program; anything else is refused. */
  openExternal(url: string): Promise<Outcome>;
  /** Shows the site's folder in the file manager. */
  showSiteFolder(): Promise<void>;
  /** For start pages only: */
  retry(): Promise<void>;
  retryOnFreePort(): Promise<void>;
  /** Asks for a folder and opens the site in it. Does nothing if cancelled. */
  chooseFolder(): Promise<void>;
  createSite(site: SiteWishes): Promise<Outcome>;
  /** Shows the page in another language, keeping the values entered. */
  chooseLanguage(language: SetUpLanguage, typed: Partial<SiteWishes>): Promise<void>;
  /** Creates a demo site if there is none, and returns its credentials. `retry` then opens it. */
  openDemo(): Promise<DemoOutcome>;
  quit(): Promise<void>;
}

/** IPC channels, one per method, so that pages cannot call anything else. */
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
