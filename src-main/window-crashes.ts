/** Crashes of the window: stored without what was shown, so that the user hears how often it happens. */
import type { WindowCrash } from './desktop-api.ts';
import type { SettingsFile } from './settings.ts';

/** The reason where the user ended a page that no longer answered. */
export const HUNG = 'hung';
/** Reasons that the desk words in their own way. */
const CAUSES: Partial<Record<string, WindowCrash['cause']>> = { oom: 'memory', [HUNG]: 'hang' };
/** How many are remembered. */
const MAX_CRASHES = 50;
const WEEK_MS = 7 * 24 * 3_600_000;

export class WindowCrashes {
  readonly #settings: SettingsFile;
  readonly #clock: () => number;
  /** The last crash, until the user has read about it. */
  #unread: Omit<WindowCrash, 'countOfWeek'> | null = null;

  constructor(settings: SettingsFile, clock: () => number = Date.now) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** @param reason as Electron names it, or {@link HUNG} */
  add(reason: string): void {
    const atMs = this.#clock();
    this.#unread = { atMs, cause: CAUSES[reason] ?? 'crash' };
    const windowCrashesMs = [atMs, ...this.#timesMs].slice(0, MAX_CRASHES);
    void this.#settings.change({ windowCrashesMs });
  }

  get countOfWeek(): number {
    const nowMs = this.#clock();
    // A clock that was set back leaves crashes in the future, which say nothing.
    return this.#timesMs.filter((atMs) => atMs <= nowMs && atMs > nowMs - WEEK_MS).length;
  }

  /** The last crash that the user has not read about. */
  get unread(): WindowCrash | null {
    return this.#unread && { ...this.#unread, countOfWeek: this.countOfWeek };
  }

  markRead(): void {
    this.#unread = null;
  }

  get #timesMs(): readonly number[] {
    return this.#settings.current.windowCrashesMs ?? [];
  }
}
