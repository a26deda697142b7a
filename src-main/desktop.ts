/**
 * The one desktop window and the site behind it: opens a site, shows it, and says in words why it could not. The site
 * itself is the same as in `outpost serve`.
 */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, dialog, type IpcMainInvokeEvent, ipcMain, shell } from 'electron';
import { OutpostError, toOutpostError } from '../src-server/errors.ts';
import { initSite } from '../src-server/site/folder.ts';
import { type RunningSite, startSite } from '../src-server/site/server.ts';
import { setUpProblem } from '../src-server/site/set-up/form.ts';
import { DemoMaker } from './demo-maker.ts';
import { CHANNELS, type DemoOutcome, type DesktopApi, type Outcome, type SiteWishes } from './desktop-api.ts';
import type { LaunchOptions } from './launch-options.ts';
import { failurePage } from './pages/failure-page.ts';
import { setUpPage } from './pages/set-up-page.ts';
import { menuWords, type PageLanguage } from './pages/words.ts';
import { type DesktopSettings, writeSettings } from './settings.ts';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';
import { forkUtilityProcess } from './utility-process.ts';

export interface DesktopOptions extends LaunchOptions {
  language: PageLanguage;
  /** File of the desktop's own settings. */
  settingsPath: string;
  /** Where electron-vite serves the desk while developing. It forwards the API to the site at its usual port. */
  developmentUrl?: string;
}

/** A second crash within this time is no accident: loading the page again would only crash it again. */
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
  /** Address of the start page on show, the only page besides the site that may call in. */
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

  /** Address at which the window shows the running site: while developing, that of the server that rebuilds the desk. */
  get deskUrl(): string | null {
    if (!this.#site) return null;
    return this.#options.developmentUrl ?? this.#site.url;
  }

  /** Opens the site and shows it; a failure is shown as a page with its words and buttons. */
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

  /** Ends the site: running jobs go back to the queue, the lock is released. */
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
      });
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

  async #createSite(site: SiteWishes): Promise<Outcome> {
    try {
      await initSite(this.#siteDir, { ...site, locale: this.#language === 'ja' ? 'ja_JP' : 'en_US' });
    } catch (thrown) {
      return { ok: false, ...setUpProblem(toOutpostError(thrown), this.#language) };
    }
    // The answer must be on its way before the page that waits for it goes.
    setImmediate(() => void this.open());
    return { ok: true };
  }

  async #chooseLanguage(language: PageLanguage, typed: Partial<SiteWishes>): Promise<void> {
    this.#language = language === 'ja' ? 'ja' : 'en';
    await this.#showStartPage(setUpPage(this.#siteDir, this.#language, typed));
  }

  /** The demo is a site of its own, beside the person's: nothing of it ever mixes with real data. */
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

  /** Electron rejects when a page moves on before it has loaded; that is the page's own matter. */
  async #load(address: string): Promise<void> {
    await this.#ensureWindow()
      .loadURL(address)
      .catch(() => {});
  }

  #ensureWindow(): BrowserWindow {
    if (this.#window) return this.#window;
    const window = new BrowserWindow({
      width: 1440,
      height: 900,
      minWidth: 1024,
      minHeight: 640,
      show: false,
      title: 'Outpost',
      backgroundColor: '#f3f5f4',
      webPreferences: {
        // A sandboxed preload must be CommonJS.
        preload: fileURLToPath(new URL('../preload/preload.cjs', import.meta.url)),
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
    });
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

  /** A crashed page comes back where it was, in a new window; when it crashes again soon, it is said in words. */
  async #replaceCrashed(crashed: BrowserWindow): Promise<void> {
    if (this.#window !== crashed) return;
    const address = crashed.webContents.getURL();
    const isRepeated = performance.now() - this.#crashedAtMs < REPEATED_CRASH_MS;
    this.#crashedAtMs = performance.now();
    this.#window = null;
    // The new window comes first: without any window the program would end.
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

  /** Registers one handler per method of the contract; calls from any other page than ours are refused. */
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
