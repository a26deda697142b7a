/**
 * The desktop window and its site: opens and shows a site, or a page that explains why it could not. The site itself is the
 * same as in `outpost serve`.
 */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { app, BrowserWindow, dialog, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { OutpostError, toOutpostError } from '../src-server/errors.ts';
import { initSite } from '../src-server/site/folder.ts';
import { type RunningSite, startSite } from '../src-server/site/server.ts';
import { setUpProblem } from '../src-server/site/set-up/form.ts';
import { DemoMaker } from './demo-maker.ts';
import { CHANNELS, type DemoOutcome, type DesktopApi, type Outcome, type SiteWishes } from './desktop-api.ts';
import type { LaunchOptions } from './launch-options.ts';
import { failurePage } from './pages/failure-page.ts';
import { preparingPage } from './pages/preparing-page.ts';
import { setUpPage } from './pages/set-up-page.ts';
import { menuWords, type PageLanguage } from './pages/words.ts';
import { type DesktopSettings, writeSettings } from './settings.ts';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';
import { forkUtilityProcess } from './utility-process.ts';
import { windowOptions } from './window-options.ts';

export interface DesktopOptions extends LaunchOptions {
  language: PageLanguage;
  /** File of the desktop's own settings. */
  settingsPath: string;
  /** Address of electron-vite's development server, which proxies the API to the site's default port. */
  developmentUrl?: string;
}

/** After a second crash within this time, the page is not reloaded again. */
const REPEATED_CRASH_MS = 60_000;

const isEmptyOrMissing = async (dir: string): Promise<boolean> => {
  try {
    return (await readdir(dir)).length === 0;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
};

export class Desktop {
  readonly #options: DesktopOptions;
  readonly #demo: DemoMaker;
  #siteDir: string;
  #port: number;
  #language: PageLanguage;
  #site: RunningSite | null = null;
  #window: BrowserWindow | null = null;
  /** Address of the start page shown, the only page besides the site that may use IPC. */
  #startPage: string | null = null;
  #opening: Promise<void> | null = null;
  #crashedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DesktopOptions) {
    this.#options = options;
    this.#demo = new DemoMaker(dirname(options.settingsPath));
    this.#siteDir = options.siteDir;
    this.#port = options.port;
    this.#language = options.language;
    this.#answer({
      info: async () => ({ version: app.getVersion(), platform: process.platform, siteDir: this.#siteDir }),
      openExternal: (url) => this.#openExternal(url),
      showSiteFolder: async () => this.showSiteFolder(),
      retry: () => this.open(),
      retryOnFreePort: () => {
        this.#port = 0;
        return this.open();
      },
      chooseFolder: () => this.chooseFolder(),
      createSite: (site) => this.#createSite(site),
      chooseLanguage: (language, typed) => this.#chooseLanguage(language, typed),
      openDemo: () => this.#openDemo(),
      quit: async () => app.quit(),
    });
  }

  /** Address of the running site in the window, or of the development server. */
  get deskUrl(): string | null {
    if (!this.#site) return null;
    return this.#options.developmentUrl ?? this.#site.url;
  }

  /** Opens and shows the site, or a failure page with actions. Concurrent calls share one attempt. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  focus(): void {
    if (this.#window?.isMinimized()) this.#window.restore();
    this.#window?.focus();
  }

  showSiteFolder(): void {
    void shell.openPath(this.#siteDir);
  }

  async chooseFolder(): Promise<void> {
    const title = menuWords[this.#language].chooseSite;
    const { canceled, filePaths } = await dialog.showOpenDialog({
      title,
      properties: ['openDirectory', 'createDirectory'],
    });
    const [siteDir] = filePaths;
    if (canceled || siteDir === undefined) return;
    this.#siteDir = siteDir;
    await this.open();
  }

  /** Closes the site: running jobs return to the queue, and the lock is released. */
  async close(): Promise<void> {
    const site = this.#site;
    this.#site = null;
    this.#demo.stop();
    await site?.close();
  }

  async #open(): Promise<void> {
    await this.close();
    const { settingsPath, lanPort } = this.#options;
    const language = this.#language;
    try {
      this.#site = await startSite({
        dir: this.#siteDir,
        port: this.#port,
        lan: lanPort === undefined ? {} : { port: lanPort },
        fork: forkUtilityProcess,
        entries: {
          analytics: new URL('./analytics.js', import.meta.url),
          worker: new URL('./worker.js', import.meta.url),
        },
        staticDir: new URL('../renderer/', import.meta.url),
        onProgress: (done, total) => this.#showProgress(done, total),
      }).finally(() => this.#window?.setProgressBar(-1));
    } catch (thrown) {
      const error = toOutpostError(thrown);
      const isNew = error.code === 'SITE_MISSING' && (await isEmptyOrMissing(this.#siteDir));
      await this.#showStartPage(
        isNew ? setUpPage(this.#siteDir, language) : failurePage(error, this.#siteDir, language),
      );
      return;
    }
    const settings: DesktopSettings = { siteDir: this.#siteDir };
    await writeSettings(settingsPath, settings);
    this.#startPage = null;
    await this.#load(this.deskUrl ?? this.#site.url);
  }

  /** Shows that a site of an older version is being prepared, and how far it is, in the title and on the task bar. */
  #showProgress(done: number, total: number): void {
    const page = preparingPage(this.#language);
    if (this.#startPage !== page) void this.#showStartPage(page);
    const share = done / Math.max(total, 1);
    const window = this.#ensureWindow();
    window.setProgressBar(share);
    window.setTitle(`Outpost: ${Math.floor(100 * share)} %`);
  }

  async #createSite(site: SiteWishes): Promise<Outcome> {
    try {
      await initSite(this.#siteDir, { ...site, locale: this.#language === 'ja' ? 'ja_JP' : 'en_US' });
    } catch (thrown) {
      return { ok: false, ...setUpProblem(toOutpostError(thrown), this.#language) };
    }
    // Opening replaces the page, so the reply must be sent first.
    setImmediate(() => void this.open());
    return { ok: true };
  }

  async #chooseLanguage(language: PageLanguage, typed: Partial<SiteWishes>): Promise<void> {
    this.#language = language === 'ja' ? 'ja' : 'en';
    await this.#showStartPage(setUpPage(this.#siteDir, this.#language, typed));
  }

  /** Opens the demo, which is a separate site and never mixes with real data. */
  async #openDemo(): Promise<DemoOutcome> {
    try {
      const credentials = await this.#demo.ensure();
      this.#siteDir = this.#demo.dir;
      return { ok: true, ...credentials };
    } catch (thrown) {
      return { ok: false, message: toOutpostError(thrown).message };
    }
  }

  async #openExternal(address: unknown): Promise<Outcome> {
    if (typeof address !== 'string' || !isExternalUrl(address)) {
      return { ok: false, message: 'Only https and mailto addresses can be opened outside Outpost.' };
    }
    await shell.openExternal(address);
    return { ok: true };
  }

  async #showStartPage(address: string): Promise<void> {
    this.#startPage = address;
    await this.#load(address);
  }

  /** Loads an address. Electron rejects if the page navigates before it has loaded, which is not an error here. */
  async #load(address: string): Promise<void> {
    await this.#ensureWindow()
      .loadURL(address)
      .catch(() => {});
  }

  #ensureWindow(): BrowserWindow {
    if (this.#window) return this.#window;
    const window = new BrowserWindow(windowOptions());
    window.once('ready-to-show', () => window.show());
    window.on('closed', () => {
      if (this.#window === window) this.#window = null;
    });
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') void this.#replaceCrashed(window);
    });
    this.#window = window;
    return window;
  }

  /** Reopens a crashed page in a new window, or shows a failure page after repeated crashes. */
  async #replaceCrashed(crashed: BrowserWindow): Promise<void> {
    if (this.#window !== crashed) return;
    const address = crashed.webContents.getURL();
    const isRepeated = performance.now() - this.#crashedAtMs < REPEATED_CRASH_MS;
    this.#crashedAtMs = performance.now();
    this.#window = null;
    // Created before the old one is destroyed: without a window the program would quit.
    this.#ensureWindow();
    crashed.destroy();
    const desk = this.deskUrl;
    if (desk !== null && !isRepeated && isSiteUrl(address, desk)) {
      await this.#load(address);
      return;
    }
    const error = new OutpostError('INTERNAL', 'The window stopped working. The site itself was not affected.');
    await this.#showStartPage(failurePage(error, this.#siteDir, this.#language));
  }

  /** Registers one IPC handler per method. Calls from other pages are refused. */
  #answer(api: DesktopApi): void {
    const handle = <M extends keyof DesktopApi>(method: M, pages: 'any' | 'start') => {
      ipcMain.handle(CHANNELS[method], (event: IpcMainInvokeEvent, ...args: unknown[]) => {
        if (!this.#isTrusted(event, pages)) throw new OutpostError('FORBIDDEN', 'This page may not call the desktop.');
        return (api[method] as (...values: unknown[]) => unknown)(...args);
      });
    };
    for (const method of ['info', 'openExternal', 'showSiteFolder'] as const) handle(method, 'any');
    for (const method of [
      'retry',
      'retryOnFreePort',
      'chooseFolder',
      'createSite',
      'chooseLanguage',
      'openDemo',
      'quit',
    ] as const)
      handle(method, 'start');
  }

  #isTrusted(event: IpcMainInvokeEvent, pages: 'any' | 'start'): boolean {
    const frame = event.senderFrame;
    if (!frame || frame.parent) return false;
    if (this.#startPage !== null) return frame.url === this.#startPage;
    const desk = this.deskUrl;
    return pages === 'any' && desk !== null && isSiteUrl(frame.url, desk);
  }
}
