import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Download, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../chromium.ts';
import { PreventableEvent, StandInApp } from './app.ts';
import { invoke } from './ipc-main.ts';
import { PlacedWindow, type Rectangle } from './screen.ts';
import { DownloadItem, grantedPermissions, session } from './system.ts';

const app = StandInApp.instance;

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

let browser: Promise<BrowserContext> | undefined;
/** A script of the context goes to every page, also to those that come later. */
const installedPreloads = new Set<string>();

/** One Chromium with one profile for all windows, as Electron's default session; its address goes to the test. */
const openBrowser = (): Promise<BrowserContext> => {
  browser ??= (async () => {
    const port = await freePort();
    const context = await chromium.launchPersistentContext(join(app.getPath('userData'), 'chromium'), {
      executablePath: findChromium(),
      args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${port}`, '--remote-debugging-address=127.0.0.1'],
      viewport: null,
      locale: app.getLocale(),
      handleSIGINT: false,
      handleSIGTERM: false,
    });
    await context.exposeBinding('standInInvoke', ({ frame }, channel: string, args: unknown[]) =>
      invoke(frame, channel, args),
    );
    await context.addInitScript(BLOBS);
    app.closeBrowser = () => context.close();
    const devtools = `http://127.0.0.1:${port}`;
    process.send?.({ devtools });
    // A program that npm started has no channel to the test.
    const report = process.env.OUTPOST_STAND_IN_DEVTOOLS;
    if (report) writeFileSync(report, devtools);
    return context;
  })();
  return browser;
};

interface BlobPage {
  standInBlob?: (url: string) => Promise<string | undefined>;
}

/** Remembers what the page makes, so that its bytes can be read when it is saved. */
const BLOBS = `(() => {
  const blobs = new Map();
  const make = URL.createObjectURL.bind(URL);
  URL.createObjectURL = (blob) => {
    const url = make(blob);
    blobs.set(url, blob);
    return url;
  };
  globalThis.standInBlob = (url) =>
    new Promise((resolve) => {
      const blob = blobs.get(url);
      if (!blob) return resolve(undefined);
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result.split(',')[1] ?? '');
      reader.readAsDataURL(blob);
    });
})();`;

/** Wraps the preload as Electron's sandbox does: `electron` is the only module, the page sees only what is exposed. */
const preloadScript = (path: string): string => `(() => {
  const invoke = window.standInInvoke;
  delete window.standInInvoke;
  if (!invoke || window !== window.top) return;
  const electron = {
    contextBridge: {
      exposeInMainWorld(name, api) {
        Object.defineProperty(window, name, { value: Object.freeze({ ...api }), enumerable: true });
      },
    },
    ipcRenderer: { invoke: (channel, ...args) => invoke(channel, args) },
  };
  const require = (name) => {
    if (name === 'electron') return electron;
    throw new Error('module not found: ' + name);
  };
  const module = { exports: {} };
  (function (require, module, exports) {
${readFileSync(path, 'utf8')}
  })(require, module, module.exports);
})();`;

interface WebPreferences {
  preload?: string;
  contextIsolation?: boolean;
  sandbox?: boolean;
  nodeIntegration?: boolean;
}

interface WindowOptions extends Partial<Rectangle> {
  show?: boolean;
  webPreferences?: WebPreferences;
}

type WindowOpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };

class WebContents extends EventEmitter {
  page: Page | null = null;
  #openHandler: WindowOpenHandler = () => ({ action: 'allow' });
  /** Address that the main process itself is loading: no `will-navigate` for it, as in Electron. */
  loading: string | null = null;
  readonly #preferences: WebPreferences;
  #zoomLevel = 0;
  #session: CDPSession | null = null;
  #isKilled = false;
  #title = '';

  constructor(preferences: WebPreferences) {
    super();
    this.#preferences = preferences;
  }

  getLastWebPreferences(): WebPreferences {
    return this.#preferences;
  }

  /** Pages stay as large as they are; tests read what was asked for. */
  setZoomLevel(level: number): void {
    this.#zoomLevel = level;
  }

  getZoomLevel(): number {
    return this.#zoomLevel;
  }

  /** Chromium answers this outside of the page's own thread, so it also ends a page that hangs. */
  forcefullyCrashRenderer(): void {
    this.#isKilled = true;
    // The answer never comes: the page that should give it is gone.
    this.#session?.send('Page.crash').catch(() => undefined);
  }

  getURL(): string {
    return this.page?.url() ?? '';
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#openHandler = handler;
  }

  async attach(page: Page): Promise<void> {
    this.page = page;
    let allowsPopup = true;
    page.on('popup', (popup) => {
      if (!allowsPopup) void popup.close();
    });
    page.on('download', (download) => void this.#download(page, download));
    page.on('load', () => this.emit('did-finish-load'));
    // Known at any time in Electron; here it is asked for now and then.
    const followTitle = () =>
      page.title().then(
        (title) => {
          this.#title = title;
        },
        () => undefined,
      );
    page.on('framenavigated', () => setTimeout(() => void followTitle(), 500).unref());
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: this.#isKilled ? 'killed' : 'crashed' }));
    const devtools = await page.context().newCDPSession(page);
    this.#session = devtools;
    // Comes before the popup, and with the address that was asked for.
    devtools.on('Page.windowOpen', ({ url }) => {
      allowsPopup = this.#openHandler({ url }).action === 'allow';
    });
    await devtools.send('Page.enable');
    await this.#guardNavigation(devtools);
  }

  /** Electron asks the session about each file; without a path of the program it would ask the user itself. */
  async #download(page: Page, download: Download): Promise<void> {
    const url = download.url();
    const item = new DownloadItem(url, download.suggestedFilename());
    const event = new PreventableEvent();
    session.defaultSession.emit('will-download', event, item, this);
    // Its bytes are read in the page: where Chromium would store it is decided by the test, which is connected to it too.
    await download.cancel().catch(() => undefined);
    if (event.defaultPrevented || item.savePath === null) return;
    const bytes = await page.evaluate((address) => (globalThis as BlobPage).standInBlob?.(address), url);
    if (bytes !== undefined) writeFileSync(item.savePath, Buffer.from(bytes, 'base64'));
    item.emit('done', {}, bytes === undefined ? 'interrupted' : 'completed');
  }

  getTitle(): string {
    return this.#title;
  }

  async printToPDF(options: { preferCSSPageSize?: boolean; printBackground?: boolean }): Promise<Buffer> {
    if (!this.page) throw new Error('There is no page.');
    return await this.page.pdf(options);
  }

  /** Chromium keeps permissions by origin: all that are not granted are denied. */
  async #applyPermissions(url: string): Promise<void> {
    const { origin } = new URL(url);
    if (origin !== 'null') await this.page?.context().grantPermissions(grantedPermissions(url), { origin });
  }

  async #guardNavigation(session: CDPSession): Promise<void> {
    const { frameTree } = await session.send('Page.getFrameTree');
    session.on('Fetch.requestPaused', ({ requestId, request, frameId, redirectedRequestId }) => {
      const event = Object.assign(new PreventableEvent(), { url: request.url });
      const isOwnLoad = this.loading !== null && new URL(this.loading).href === request.url;
      if (frameId === frameTree.frame.id && !isOwnLoad)
        this.emit(redirectedRequestId ? 'will-redirect' : 'will-navigate', event);
      const answer = event.defaultPrevented
        ? session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
        : this.#applyPermissions(request.url).then(() => session.send('Fetch.continueRequest', { requestId }));
      // The page may be gone by the time of the answer.
      answer.catch(() => {});
    });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] });
  }
}

export class BrowserWindow extends PlacedWindow {
  readonly webContents: WebContents;
  readonly #ready: Promise<Page>;
  #destroyed = false;
  #visible: boolean;
  #focused = false;
  /** Share of a task that the task bar would show; -1 for none. */
  progress = -1;

  static getAllWindows(): unknown[] {
    return [...app.windows];
  }

  /** The first window that is shown: nobody focuses anything here. */
  static getFocusedWindow(): BrowserWindow | null {
    for (const window of app.windows) if (window instanceof BrowserWindow && window.isVisible()) return window;
    return null;
  }

  constructor(options: WindowOptions = {}) {
    super(options);
    const { webPreferences = {} } = options;
    if (
      webPreferences.nodeIntegration ||
      webPreferences.contextIsolation === false ||
      webPreferences.sandbox === false
    ) {
      throw new Error('The stand-in has only sandboxed windows.');
    }
    this.webContents = new WebContents(webPreferences);
    app.windows.add(this);
    app.emit('web-contents-created', {}, this.webContents);
    this.#visible = options.show ?? true;
    this.#ready = this.#create(options);
  }

  async #create({ webPreferences }: WindowOptions): Promise<Page> {
    const context = await openBrowser();
    if (webPreferences?.preload && !installedPreloads.has(webPreferences.preload)) {
      installedPreloads.add(webPreferences.preload);
      await context.addInitScript(preloadScript(webPreferences.preload));
    }
    const page = context.pages().find((p) => p.url() === 'about:blank') ?? (await context.newPage());
    const resizePage = () => {
      const { width, height } = this.getNormalBounds();
      return page.setViewportSize({ width, height });
    };
    await resizePage();
    this.on('resize', () => void resizePage().catch(() => undefined));
    await this.webContents.attach(page);
    page.once('domcontentloaded', () => this.emit('ready-to-show'));
    page.once('close', () => {
      this.#destroyed = true;
      this.emit('closed');
      app.windowClosed(this);
    });
    return page;
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#ready;
    this.webContents.loading = url;
    try {
      await page.goto(url, { waitUntil: 'load' });
    } finally {
      this.webContents.loading = null;
    }
  }

  async destroy(): Promise<void> {
    // A window that never opened has nothing to close.
    const page = await this.#ready.catch(() => null);
    if (page && !this.#destroyed) await page.close();
  }

  mayClose(): boolean {
    const event = new PreventableEvent();
    this.emit('close', event);
    return !event.defaultPrevented;
  }

  close(): void {
    if (this.mayClose()) void this.destroy();
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  /** As in Electron, this shows a hidden window. */
  override maximize(): void {
    super.maximize();
    this.show();
  }

  isVisible(): boolean {
    return this.#visible;
  }

  /** The page stays as it is: a browser without a screen has nothing to hide it from. */
  hide(): void {
    if (!this.#visible) return;
    this.blur();
    this.#visible = false;
    this.emit('hide');
  }

  show(): void {
    void this.#ready.then((page) => page.bringToFront()).catch(() => undefined);
    if (this.#visible) return;
    this.#visible = true;
    // A window that is shown has the focus.
    this.#focused = true;
    this.emit('show');
  }

  focus(): void {
    this.show();
    this.#focused = true;
    this.emit('focus');
    app.emit('browser-window-focus', {}, this);
  }

  blur(): void {
    if (!this.#focused) return;
    this.#focused = false;
    this.emit('blur');
  }

  isFocused(): boolean {
    return this.#focused && this.#visible;
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {
    this.show();
  }

  /** There is no task bar. Above 1 means that it is not known how far; other values would be a mistake of the caller. */
  setProgressBar(share: number): void {
    if (!(share >= -1 && (share <= 1 || share === 2))) throw new RangeError(`No share of a task: ${share}.`);
    this.progress = share;
  }

  setTitle(title: string): void {
    void this.#ready
      .then((page) =>
        page.evaluate((text) => {
          document.title = text;
        }, title),
      )
      // The page may navigate or close at any time, and then has its own title.
      .catch(() => undefined);
  }
}
