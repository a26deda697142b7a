import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../chromium.ts';
import { PreventableEvent, StandInApp } from './app.ts';
import { invoke } from './ipc-main.ts';
import { PlacedWindow, type Rectangle } from './screen.ts';
import { grantedPermissions } from './system.ts';

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
    page.on('load', () => this.emit('did-finish-load'));
    page.on('crash', () => this.emit('render-process-gone', {}, { reason: this.#isKilled ? 'killed' : 'crashed' }));
    const session = await page.context().newCDPSession(page);
    this.#session = session;
    // Comes before the popup, and with the address that was asked for.
    session.on('Page.windowOpen', ({ url }) => {
      allowsPopup = this.#openHandler({ url }).action === 'allow';
    });
    await session.send('Page.enable');
    await this.#guardNavigation(session);
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
    this.#visible = false;
    this.emit('hide');
  }

  show(): void {
    void this.#ready.then((page) => page.bringToFront()).catch(() => undefined);
    if (this.#visible) return;
    this.#visible = true;
    this.emit('show');
  }

  focus(): void {
    this.show();
    this.emit('focus');
  }

  isMinimized(): boolean {
    return false;
  }

  restore(): void {
    this.show();
  }

  /** There is no task bar; a value outside -1 to 1 would be a mistake of the caller. */
  setProgressBar(share: number): void {
    if (!(share >= -1 && share <= 1)) throw new RangeError(`No share of a task: ${share}.`);
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
