/** The one window: made when there is something to show, kept while it is hidden, replaced when its page crashes. */
import { BrowserWindow } from 'electron';
import { watchForHangs } from './hung-page.ts';
import type { PageLanguage } from './pages/words.ts';
import type { SettingsFile } from './settings.ts';
import { HUNG } from './window-crashes.ts';
import { WindowKeeper, type ZoomStep } from './window-keeper.ts';
import { windowOptions } from './window-options.ts';

export interface DeskWindowOptions {
  /** Holds where the window was. */
  settings: SettingsFile;
  language(): PageLanguage;
  /** Receives every new window before it loads anything. */
  onCreated(window: BrowserWindow): void;
  /** Chooses the address to show after a crash. `reason` is Electron's word for it, or {@link HUNG}. */
  afterCrash(address: string, isRepeated: boolean, reason: string): string;
  /** False for a start into the background: the window is made when it is shown for the first time. */
  isShown: boolean;
}

/** After a second crash within this time, the page is not reloaded again. */
const REPEATED_CRASH_MS = 60_000;

export class DeskWindow {
  readonly #options: DeskWindowOptions;
  readonly #keeper: WindowKeeper;
  #window: BrowserWindow | null = null;
  #isShown: boolean;
  /** What the window shows, or will show once it is there. */
  #address: string | null = null;
  #hung: BrowserWindow | null = null;
  #crashedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DeskWindowOptions) {
    this.#options = options;
    this.#keeper = new WindowKeeper(options.settings);
    this.#isShown = options.isShown;
  }

  /** Loads an address. Electron rejects if the page navigates before it has loaded, which is not an error here. */
  async load(address: string): Promise<void> {
    this.#address = address;
    if (!this.#window && !this.#isShown) return;
    await this.#ensure()
      .loadURL(address)
      .catch(() => {});
  }

  /** Null before it was shown for the first time. */
  get current(): BrowserWindow | null {
    return this.#window;
  }

  get isFocused(): boolean {
    return this.#window?.isFocused() ?? false;
  }

  /** Address of the page that is shown. */
  get address(): string {
    return this.#window?.webContents.getURL() ?? '';
  }

  /** Brings the window to the front, from the background too. */
  show(): void {
    this.#isShown = true;
    const window = this.#window;
    if (!window) {
      if (this.#address !== null) void this.load(this.#address);
      return;
    }
    if (window.isMinimized()) window.restore();
    this.#keeper.show(window);
    window.focus();
  }

  zoom(step: ZoomStep): void {
    this.#keeper.zoom(step);
  }

  /** Shows in the title and on the task bar how far a task is; `null` ends that. */
  showProgress(share: number | null): void {
    this.#window?.setProgressBar(share ?? -1);
    if (share !== null) this.#window?.setTitle(`Outpost: ${Math.floor(100 * share)} %`);
  }

  /** Shows on the task bar how far the saving of files is; `null` ends that. */
  showSaving(share: number | 'unknown' | null): void {
    // Above 1 is an indeterminate progress bar.
    this.#window?.setProgressBar(share === null ? -1 : share === 'unknown' ? 2 : share);
  }

  #ensure(): BrowserWindow {
    if (this.#window) return this.#window;
    const window = new BrowserWindow({ ...windowOptions(), ...this.#keeper.bounds });
    this.#keeper.keep(window);
    window.once('ready-to-show', () => {
      if (this.#isShown) this.#keeper.show(window);
    });
    window.on('show', () => {
      this.#isShown = true;
    });
    window.on('hide', () => {
      this.#isShown = false;
    });
    window.on('closed', () => {
      if (this.#window === window) this.#window = null;
    });
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason !== 'clean-exit') this.#replaceCrashed(window, this.#hung === window ? HUNG : reason);
    });
    watchForHangs(window, this.#options.language, () => {
      this.#hung = window;
      // The next window is of the same site and could share the process.
      window.webContents.forcefullyCrashRenderer();
    });
    this.#options.onCreated(window);
    this.#window = window;
    return window;
  }

  #replaceCrashed(crashed: BrowserWindow, reason: string): void {
    if (this.#window !== crashed) return;
    const address = crashed.webContents.getURL();
    const isRepeated = performance.now() - this.#crashedAtMs < REPEATED_CRASH_MS;
    this.#crashedAtMs = performance.now();
    const isShown = this.#isShown;
    this.#window = null;
    // Created before the old one is destroyed: without a window the program would quit.
    this.#ensure();
    crashed.destroy();
    this.#isShown = isShown;
    void this.load(this.#options.afterCrash(address, isRepeated, reason));
  }
}
