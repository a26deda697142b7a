/** What closing the window does: keep receiving without a window, or quit. Asked once, kept in the settings. */
import { app, type BrowserWindow, dialog } from 'electron';
import type { PageLanguage } from './pages/words.ts';
import type { DesktopSettings, SettingsFile } from './settings.ts';
import { closingWords } from './shell-words.ts';

type WhenClosed = NonNullable<DesktopSettings['whenClosed']>;

/** In the order of the buttons; closing the question without an answer leaves the window open. */
const ANSWERS: readonly (WhenClosed | undefined)[] = ['keep-receiving', 'quit', undefined];

export class Closing {
  readonly #settings: SettingsFile;
  readonly #isSiteOpen: () => boolean;
  readonly #language: () => PageLanguage;
  #isQuitting = false;
  #isAsking = false;

  constructor(settings: SettingsFile, isSiteOpen: () => boolean, language: () => PageLanguage) {
    this.#settings = settings;
    this.#isSiteOpen = isSiteOpen;
    this.#language = language;
    app.on('before-quit', () => {
      this.#isQuitting = true;
    });
  }

  /** Decides about every attempt to close this window. */
  guard(window: BrowserWindow): void {
    window.on('close', (event) => {
      // Without a site there is nothing to receive: the window closes and the program ends.
      if (this.#isQuitting || !this.#isSiteOpen()) return;
      event.preventDefault();
      const { whenClosed } = this.#settings.current;
      if (whenClosed) this.#do(whenClosed, window);
      else void this.#ask(window);
    });
    // Windows ends the session without the events of a quit.
    window.on('session-end', () => app.quit());
  }

  async #ask(window: BrowserWindow): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const words = closingWords[this.#language()];
    try {
      const { response } = await dialog.showMessageBox(window, {
        type: 'question',
        message: words.question,
        detail: words.help,
        buttons: [words.keep, words.quit, words.cancel],
        defaultId: 0,
        cancelId: 2,
        noLink: true,
      });
      const whenClosed = ANSWERS[response];
      if (whenClosed === undefined) return;
      await this.#settings.change({ whenClosed });
      this.#do(whenClosed, window);
    } finally {
      this.#isAsking = false;
    }
  }

  #do(whenClosed: WhenClosed, window: BrowserWindow): void {
    if (whenClosed === 'quit') app.quit();
    else window.hide();
  }
}
