/**
 * The desktop window and its site: opens and shows a site, or a page that explains why it could not. The site itself is the
 * same as in `outpost serve`.
 */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { app, clipboard, shell } from 'electron';
import { OutpostError, toOutpostError } from '../src-server/errors.ts';
import { initSite } from '../src-server/site/folder.ts';
import { isRestored } from '../src-server/site/restored-sites.ts';
import { type RunningSite, startSite } from '../src-server/site/server.ts';
import { setUpProblem } from '../src-server/site/set-up/form.ts';
import { BluetoothPrompts } from './bluetooth-prompts.ts';
import { Closing } from './closing.ts';
import { deepLinkTo } from './deep-links.ts';
import { DemoMaker } from './demo-maker.ts';
import { DeskCommands } from './desk-commands.ts';
import { DeskSession } from './desk-session.ts';
import { DeskWindow } from './desk-window.ts';
import type { DemoOutcome, DesktopApi, Outcome, SiteWishes } from './desktop-api.ts';
import { Downloads } from './downloads.ts';
import { answerCalls } from './ipc.ts';
import type { LaunchOptions } from './launch-options.ts';
import { LinkOpener } from './link-opener.ts';
import { installContextMenu } from './menu.ts';
import { OpenedFiles } from './opened-files.ts';
import { failurePage } from './pages/failure-page.ts';
import { preparingPage } from './pages/preparing-page.ts';
import { setUpPage } from './pages/set-up-page.ts';
import type { PageLanguage } from './pages/words.ts';
import { type Receiving, receivingOf } from './receiving.ts';
import { Recovery } from './recovery.ts';
import type { SettingsFile } from './settings.ts';
import { SiteChooser } from './site-chooser.ts';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';
import { TypedPassword } from './typed-password.ts';
import { Updates } from './updates/updates.ts';
import { forkUtilityProcess } from './utility-process.ts';
import { WindowCrashes } from './window-crashes.ts';
import type { ZoomStep } from './window-keeper.ts';

export interface DesktopOptions extends LaunchOptions {
  language: PageLanguage;
  /** The desktop's own settings; their folder holds the demo too. */
  settings: SettingsFile;
  /** Address of electron-vite's development server, which proxies the API to the site's default port. */
  developmentUrl?: string;
  /** A start without a window, at log-in. A page that needs an answer opens it. */
  isInBackground: boolean;
}

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
  readonly #crashes: WindowCrashes;
  #siteDir: string;
  #port: number;
  #language: PageLanguage;
  #site: RunningSite | null = null;
  readonly #window: DeskWindow;
  readonly #chooser: SiteChooser;
  readonly #openedFiles = new OpenedFiles();
  readonly #typedPassword = new TypedPassword();
  readonly session: DeskSession;
  readonly links: LinkOpener;
  readonly downloads: Downloads;
  readonly bluetooth = new BluetoothPrompts();
  #isStarted = false;
  readonly commands = new DeskCommands();
  readonly updates: Updates;
  /** Address of the start page shown, the only page besides the site that may use IPC. */
  #startPage: string | null = null;
  #opening: Promise<void> | null = null;

  constructor(options: DesktopOptions) {
    this.#options = options;
    this.#crashes = new WindowCrashes(options.settings);
    this.session = new DeskSession(options.settings, () => this.#site);
    this.#demo = new DemoMaker(dirname(options.settings.path));
    this.#siteDir = options.siteDir;
    this.#port = options.port;
    this.#language = options.language;
    const closing = new Closing(
      options.settings,
      () => this.#site !== null,
      () => this.#language,
    );
    this.#window = new DeskWindow({
      settings: options.settings,
      language: () => this.#language,
      onCreated: (window) => {
        closing.guard(window);
        installContextMenu(window, () => this.#language, this.commands);
      },
      afterCrash: (address, isRepeated, reason) => {
        this.#crashes.add(reason);
        this.#site?.crashes.write({ part: 'window', reason });
        return this.#pageAfterCrash(address, isRepeated);
      },
      isShown: !options.isInBackground,
    });
    this.#chooser = new SiteChooser({
      settings: options.settings,
      language: () => this.#language,
      openDir: () => this.#site?.folder.dir ?? null,
      showStartPage: (address) => this.#showStartPage(address),
      showDesk: () => this.#showDesk(),
      open: (dir) => this.openDir(dir),
      isEmptyOrMissing,
      wasRestored: async (dir) => this.#site !== null && (await isRestored(this.#site.folder, dir)),
    });
    this.links = new LinkOpener({
      language: () => this.#language,
      siteId: () => this.#site?.folder.site.id ?? null,
      isDeskShown: () => this.#site !== null && this.#startPage === null,
      isOpening: () => !this.#isStarted || this.#opening !== null,
      show: () => this.show(),
      showDesk: (path) => this.#goTo(path),
      showSites: (notice) => this.showSites(notice),
    });
    this.downloads = new Downloads({
      settings: options.settings,
      siteUrl: () => this.deskUrl,
      window: () => this.#window.current,
      showProgress: (share) => this.#window.showSaving(share),
    });
    const recovery = new Recovery({
      siteDir: () => this.#siteDir,
      language: () => this.#language,
      onMoved: (siteDir) => {
        this.#siteDir = siteDir;
      },
    });
    this.updates = new Updates({
      settings: options.settings,
      userData: dirname(options.settings.path),
      language: () => this.#language,
      site: () => this.#site,
      showStartPage: (address) => this.#showStartPage(address),
      leave: () => (this.#site ? this.#showDesk() : this.open()),
    });
    const api = {
      info: async () => ({ version: app.getVersion(), platform: process.platform, siteDir: this.#siteDir }),
      openExternal: (url) => this.#openExternal(url),
      showSiteFolder: async () => this.showSiteFolder(),
      openedFiles: () => this.#openedFiles.next(),
      readOpenedFile: (id, offset) => this.#openedFiles.read(id, offset),
      forgetOpenedFiles: async (ids) => this.#openedFiles.forget(ids),
      windowCrash: async () => this.#crashes.unread,
      markWindowCrashRead: async () => this.#crashes.markRead(),
      ...this.session.calls,
      nextSavings: (seenVersion) => this.downloads.saver.next(seenVersion),
      endSaving: async (id) => this.downloads.saver.end(id),
      showSaved: async (id) => {
        const path = this.downloads.saver.pathOf(id);
        if (path !== null) shell.showItemInFolder(path);
      },
      nextBluetoothPrompt: (seenVersion) => this.bluetooth.next(seenVersion),
      answerBluetoothPrompt: async (id, answer) => this.bluetooth.answer(id, answer),
      setCommands: async (commands) => this.commands.set(commands),
      nextCommand: () => this.commands.next(),
      retry: () => this.open(),
      retryOnFreePort: () => {
        this.#port = 0;
        return this.open();
      },
      chooseFolder: () => this.#chooser.chooseFolder(),
      showSites: () => this.showSites(),
      sites: () => this.#chooser.sites(),
      openSite: (dir) => this.#chooser.openSite(dir),
      forgetSite: (dir) => this.#chooser.forgetSite(dir),
      newSite: () => this.#chooser.newSite(),
      createSite: (site) => this.#createSite(site),
      chooseLanguage: (language, typed) => this.#chooseLanguage(language, typed),
      takeTypedPassword: async () => this.#typedPassword.take(),
      openDemo: () => this.#openDemo(),
      recover: (step, passphrase) => recovery.answer(step, passphrase),
      updates: (step, words) => this.updates.answer(step, words),
      quit: async () => app.quit(),
    } satisfies DesktopApi;
    answerCalls(api, (address, pages) => this.#isTrusted(address, pages));
  }

  get language(): PageLanguage {
    return this.#language;
  }

  /** Whether devices can deliver now. */
  get receiving(): Receiving {
    return receivingOf(this.#site);
  }

  /** Address of the running site in the window, or of the development server. */
  get deskUrl(): string | null {
    if (!this.#site) return null;
    return this.#options.developmentUrl ?? this.#site.url;
  }

  /** Opens and shows the site, or a failure page with actions. Concurrent calls share one attempt. */
  open(): Promise<void> {
    this.#isStarted = true;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Brings the window back. */
  show(): void {
    this.#window.show();
  }

  /** Offers files for import in the desk, once somebody is signed in. Arguments that name no file are passed over. */
  async offerFiles(paths: readonly string[], workingDir: string): Promise<void> {
    if ((await this.#openedFiles.add(paths, workingDir)) > 0) this.show();
  }

  zoom(step: ZoomStep): void {
    this.#window.zoom(step);
  }

  /** Whether somebody sees the window. */
  get isInUse(): boolean {
    return this.#window.isFocused;
  }

  /** Brings the window back with a page of the desk. */
  async showPage(path: string): Promise<void> {
    this.show();
    await this.#goTo(path);
  }

  /** Copies a link to the page of the desk that is shown. */
  copyLink(): void {
    const desk = this.deskUrl;
    const address = this.#window.address;
    if (!this.#site || desk === null || this.#startPage !== null || !isSiteUrl(address, desk)) return;
    const { pathname, search } = new URL(address);
    const link = deepLinkTo(this.#site.folder.site.id, `${pathname}${search}`);
    if (link !== null) clipboard.writeText(link);
  }

  showSiteFolder(): void {
    void shell.openPath(this.#siteDir);
  }

  /** Shows the recent sites. The open one keeps receiving. */
  async showSites(notice?: string): Promise<void> {
    this.show();
    await this.#chooser.show(notice);
  }

  /** Shows the page of updates. The open site keeps receiving. */
  async showUpdates(): Promise<void> {
    this.show();
    await this.updates.show();
  }

  /** Closes the open site and opens another one. */
  async openDir(siteDir: string): Promise<void> {
    // An attempt under way is for the folder before.
    await this.#opening;
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
    if (!(await this.updates.mayOpen())) return this.show();
    const { settings, lanPort } = this.#options;
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
      }).finally(() => this.#window.showProgress(null));
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (await this.updates.notOpened(error)) return this.show();
      const { recent } = this.#chooser;
      // A folder that held a site gets no new one: its disk may just not be connected.
      const isNew =
        error.code === 'SITE_MISSING' && !recent.has(this.#siteDir) && (await isEmptyOrMissing(this.#siteDir));
      await this.#showStartPage(
        isNew
          ? setUpPage(this.#siteDir, language)
          : failurePage(error, this.#siteDir, language, recent.sites.length > 0),
      );
      this.show();
      return;
    }
    this.#reopenAfterPull(this.#site);
    await this.updates.opened();
    const { dir, site } = this.#site.folder;
    await settings.change({ siteDir: dir });
    await this.#chooser.recent.add({ dir, name: site.displayName, openedMs: Date.now() });
    await this.#showDesk(this.links.firstPage());
    // It may ask something, and the site is open by now.
    void this.links.follow();
  }

  /** After its disk was pulled and came back, opens the site again at its address, where people are still signed in. */
  #reopenAfterPull(site: RunningSite): void {
    void site.mustReopen.then(() => {
      if (this.#site !== site) return;
      this.#port = Number(new URL(site.url).port);
      return this.open();
    });
  }

  /** Shows the desk of the open site, in place of a start page too. */
  async #showDesk(path = '/'): Promise<void> {
    const desk = this.deskUrl;
    if (desk === null) return;
    this.#startPage = null;
    await this.#window.load(new URL(path, desk).href);
  }

  /** Shows a page of the desk, within the page that is there if somebody is signed in. */
  async #goTo(path: string): Promise<void> {
    if (this.#startPage !== null || !this.commands.open(path)) await this.#showDesk(path);
  }

  /** Shows that a site of an older version is being prepared, and how far it is, in the title and on the task bar. */
  #showProgress(done: number, total: number): void {
    const page = preparingPage(this.#language);
    if (this.#startPage !== page) void this.#showStartPage(page);
    this.#window.showProgress(done / Math.max(total, 1));
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
    await this.#showStartPage(setUpPage(this.#siteDir, this.#language, this.#typedPassword.hold(typed)));
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
    this.commands.set([]);
    await this.#window.load(address);
  }

  /** Returns the page that was shown, or after repeated crashes one that says so. */
  #pageAfterCrash(address: string, isRepeated: boolean): string {
    const desk = this.deskUrl;
    if (!isRepeated && this.#startPage !== null && address === this.#startPage) return address;
    if (desk !== null && !isRepeated && isSiteUrl(address, desk)) return address;
    const often = `This happened ${this.#crashes.countOfWeek} times in the last 7 days.`;
    const error = new OutpostError(
      'INTERNAL',
      `The window stopped working. The site itself was not affected. ${often}`,
    );
    this.#startPage = failurePage(error, this.#siteDir, this.#language);
    return this.#startPage;
  }

  #isTrusted(address: string, pages: 'site' | 'start'): boolean {
    if (this.#startPage !== null) return address === this.#startPage;
    const desk = this.deskUrl;
    return pages === 'site' && desk !== null && isSiteUrl(address, desk);
  }
}
