/** The page with the recent sites: which there are, whether each can be opened, and the ways to another one. */
import { BrowserWindow, dialog } from 'electron';
import type { Outcome, SiteLine } from './desktop-api.ts';
import { sitesPage } from './pages/sites-page.ts';
import { canOpen, siteLine, siteStateText, sitesWords } from './pages/sites-words.ts';
import type { PageLanguage } from './pages/words.ts';
import { RecentSites } from './recent-sites.ts';
import type { SettingsFile } from './settings.ts';
import { menuWords } from './shell-words.ts';

/** What the chooser asks of the desktop. */
export interface ChooserActions {
  settings: SettingsFile;
  language(): PageLanguage;
  /** Folder of the open site. */
  openDir(): string | null;
  showStartPage(address: string): Promise<void>;
  /** Shows the open site again. */
  showDesk(): Promise<void>;
  /** Closes the open site and opens another one, or shows why it cannot. */
  open(dir: string): Promise<void>;
  isEmptyOrMissing(dir: string): Promise<boolean>;
  /** Whether the open site restored one of its backups into this folder. */
  wasRestored(dir: string): Promise<boolean>;
}

export class SiteChooser {
  readonly recent: RecentSites;
  readonly #actions: ChooserActions;

  constructor(actions: ChooserActions) {
    this.#actions = actions;
    this.recent = new RecentSites(actions.settings, actions.openDir);
  }

  /** @param notice why it is shown, when nobody asked for it */
  async show(notice?: string): Promise<void> {
    const lines = this.#lines(this.recent.unchecked());
    await this.#actions.showStartPage(sitesPage(lines, this.#actions.language(), notice));
  }

  async sites(): Promise<SiteLine[]> {
    return this.#lines(await this.recent.checked());
  }

  /**
   * Opens a recent site, or one that was restored from a backup of the open one. One that is known to be out of reach stays closed, so
   * the open site keeps receiving.
   */
  async openSite(dir: unknown): Promise<Outcome> {
    const language = this.#actions.language();
    if (typeof dir !== 'string' || !(this.recent.has(dir) || (await this.#actions.wasRestored(dir)))) {
      return { ok: false, message: sitesWords[language].gone };
    }
    const state = await this.recent.stateOf(dir);
    if (state.state === 'open') return this.#after(() => this.#actions.showDesk());
    if (!canOpen(state)) return { ok: false, message: siteStateText(state, language) };
    return this.#after(() => this.#actions.open(dir));
  }

  async forgetSite(dir: unknown): Promise<void> {
    if (typeof dir === 'string') await this.recent.forget(dir);
  }

  /** Asks for a folder and opens the site in it. Does nothing if cancelled. */
  async chooseFolder(): Promise<void> {
    const dir = await this.#askForFolder();
    if (dir !== undefined) await this.#actions.open(dir);
  }

  /** Asks for an empty folder, in which a site is then set up. */
  async newSite(): Promise<Outcome> {
    const dir = await this.#askForFolder();
    if (dir === undefined) return { ok: true };
    if (await this.#actions.isEmptyOrMissing(dir)) return this.#after(() => this.#actions.open(dir));
    return { ok: false, message: sitesWords[this.#actions.language()].notEmpty };
  }

  async #askForFolder(): Promise<string | undefined> {
    const options: Electron.OpenDialogOptions = {
      title: menuWords[this.#actions.language()].chooseSite,
      properties: ['openDirectory', 'createDirectory'],
    };
    // In front of the window, so that it cannot be lost behind it.
    const window = BrowserWindow.getFocusedWindow();
    const { canceled, filePaths } = await (window
      ? dialog.showOpenDialog(window, options)
      : dialog.showOpenDialog(options));
    return canceled ? undefined : filePaths[0];
  }

  #lines(sites: Parameters<typeof siteLine>[0][]): SiteLine[] {
    return sites.map((site) => siteLine(site, this.#actions.language()));
  }

  /** The page is replaced, so the reply must be sent first. */
  #after(run: () => Promise<void>): Outcome {
    setImmediate(() => void run());
    return { ok: true };
  }
}
