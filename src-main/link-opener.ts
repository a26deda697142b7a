/** Opens links from outside: in the site that is open, or through the list of sites when they belong to another one. */
import { app, dialog } from 'electron';
import { type DeepLink, LINK_SCHEME, parseDeepLink } from './deep-links.ts';
import type { PageLanguage } from './pages/words.ts';
import { linkWords } from './shell-words.ts';

export interface LinkActions {
  language(): PageLanguage;
  /** Id of the open site; null while none is open. */
  siteId(): string | null;
  /** Whether the window shows the open site, which somebody may be working in. */
  isDeskShown(): boolean;
  /** Whether a site is being opened, after which `follow` is called. */
  isOpening(): boolean;
  show(): void;
  /** Shows a page of the open site. */
  showDesk(path: string): Promise<void>;
  /** Shows the recent sites, with a sentence why. */
  showSites(notice: string): Promise<void>;
}

/** Makes the system hand such links to this program. Only an installed one: a developer's would stay registered. */
export const registerLinks = (): void => {
  // After "--" Chromium takes nothing for a switch, whatever a link holds.
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME, process.execPath, ['--']);
};

export class LinkOpener {
  readonly #actions: LinkActions;
  /** Waits until its site is open. */
  #waiting: DeepLink | null = null;
  #isAsking = false;

  constructor(actions: LinkActions) {
    this.#actions = actions;
  }

  /** Opens a link, or says why not. Never does more than to show a page. */
  async open(text: unknown): Promise<void> {
    const link = parseDeepLink(text);
    if (!link) return this.#explain();
    this.#waiting = link;
    if (this.#actions.isOpening()) return;
    this.#actions.show();
    await this.follow();
  }

  /** Returns the page to show in the site that was just opened. */
  firstPage(): string {
    const link = this.#waiting;
    if (!link || link.siteId !== this.#actions.siteId()) return '/';
    this.#waiting = null;
    return link.path;
  }

  /** Follows a link that came while a site was being opened. */
  async follow(): Promise<void> {
    const link = this.#waiting;
    if (!link) return;
    if (link.siteId === this.#actions.siteId()) {
      this.#waiting = null;
      await this.#actions.showDesk(link.path);
      return;
    }
    const words = linkWords[this.#actions.language()];
    // Anybody can write a link, so none takes away a page in which something may be typed.
    const isWanted =
      !this.#actions.isDeskShown() || (await this.#ask(words.otherSite, '', [words.showSites, words.close])) === 0;
    if (!isWanted) {
      if (this.#waiting === link) this.#waiting = null;
      return;
    }
    this.#waiting = link;
    await this.#actions.showSites(words.otherSite);
  }

  /** Says no more than that it is none: anybody can write one. */
  async #explain(): Promise<void> {
    const words = linkWords[this.#actions.language()];
    await this.#ask(words.unknown, words.unknownHelp, [words.close]);
  }

  /** One question at a time. Returns the number of the button, the last one when it was not asked. */
  async #ask(message: string, detail: string, buttons: string[]): Promise<number> {
    const last = buttons.length - 1;
    if (this.#isAsking) return last;
    this.#isAsking = true;
    try {
      const options = { type: 'info' as const, message, detail, buttons, cancelId: last, noLink: true };
      return (await dialog.showMessageBox(options)).response;
    } finally {
      this.#isAsking = false;
    }
  }
}
