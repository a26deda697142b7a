/** A page that no longer answers: the user waits for it, or loads it again. Electron only says that it hangs. */
import { type BrowserWindow, dialog } from 'electron';
import { SECOND_MS } from '../src-server/durations.ts';
import type { PageLanguage } from './pages/words.ts';
import { hungWords } from './shell-words.ts';

/** Electron says it once for each hang, so somebody who waits is asked again. */
const ASK_AGAIN_MS = 30 * SECOND_MS;

/** In the order of the buttons; closing the question without an answer waits. */
const RELOAD = 1;

/**
 * Asks as long as the page of the window hangs.
 * @param onReload ends the page's process and loads the page in another one
 */
export const watchForHangs = (
  window: BrowserWindow,
  language: () => PageLanguage,
  onReload: () => void,
  askAgainMs = ASK_AGAIN_MS,
): void => {
  let hang: AbortController | null = null;
  const ask = async (current: AbortController): Promise<void> => {
    const words = hungWords[language()];
    const { response } = await dialog.showMessageBox(window, {
      type: 'warning',
      message: words.question,
      detail: words.help,
      buttons: [words.wait, words.reload],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
      // Closes the question when the page answers again.
      signal: current.signal,
    });
    if (current.signal.aborted || window.isDestroyed()) return;
    if (response === RELOAD) onReload();
    else setTimeout(() => !current.signal.aborted && void ask(current), askAgainMs).unref();
  };
  const end = () => {
    hang?.abort();
    hang = null;
  };
  window.on('unresponsive', () => {
    // A hidden window has nobody who waits, and a question would bring it to the front.
    if (hang || !window.isVisible()) return;
    hang = new AbortController();
    void ask(hang);
  });
  window.on('responsive', end);
  window.on('closed', end);
};
