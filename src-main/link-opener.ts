/** Opens links from outside: in the site that is open, or through the list of sites when they belong to another one. */
import { app, dialog } from 'electron';
import { type DeepLink, LINK_SCHEME, parseDeepLink } from './deep-links.ts';
import type { PageLanguage } from './pages/words.ts';
import { linkWords } from './shell-words.ts';

export interface LinkActions {
  language(): PageLanguage;
  /** Id of the open site; null while none is open. */
  siteId(): string | null;
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
  #isExplaining = false;

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
    } else await this.#actions.showSites(linkWords[this.#actions.language()].otherSite);
  }

  /** One question at a time, and without the text of the link: anybody can write one. */
  async #explain(): Promise<void> {
    if (this.#isExplaining) return;
    this.#isExplaining = true;
    const words = linkWords[this.#actions.language()];
    try {
      await dialog.showMessageBox({
        type: 'info',
        message: words.unknown,
        detail: words.unknownHelp,
        buttons: [words.close],
      });
    } finally {
      this.#isExplaining = false;
    }
  }
}
