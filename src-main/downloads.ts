/**
 * Downloads of the desk: files of the open site, and texts that its pages have made. Where they go is asked first; the program writes them
 * itself, since Electron writes into the final name and says of a failure only that there was one.
 */
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { app, type BrowserWindow, dialog, session } from 'electron';
import { FileSaver, type FileSource } from './file-saver.ts';
import type { SettingsFile } from './settings.ts';
import { isSiteUrl } from './trusted-url.ts';

export interface DownloadActions {
  settings: SettingsFile;
  /** Address of the running site, null while none runs. */
  siteUrl(): string | null;
  window(): BrowserWindow | null;
  showProgress(share: number | 'unknown' | null): void;
}

/** The response of a signed address, which needs no credentials. */
const ofSite =
  (url: string) =>
  async (signal: AbortSignal): Promise<FileSource> => {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body) throw new Error(`The site answered ${response.status}.`);
    const length = response.headers.get('content-encoding') === null ? response.headers.get('content-length') : null;
    return { bytes: response.body, totalBytes: length === null ? null : Number(length) };
  };

const ofFile = (path: string) => async (): Promise<FileSource> => ({
  bytes: createReadStream(path),
  totalBytes: (await stat(path)).size,
});

export class Downloads {
  readonly saver: FileSaver;
  readonly #actions: DownloadActions;
  /** What pages have made is kept here until the user has said where it goes. */
  readonly #stagingDir = join(app.getPath('userData'), 'saving');
  #count = 0;

  constructor(actions: DownloadActions) {
    this.#actions = actions;
    this.saver = new FileSaver((name) => this.#ask(name), actions.showProgress);
    // Of a run that was killed.
    void rm(this.#stagingDir, { recursive: true, force: true })
      .then(() => mkdir(this.#stagingDir, { recursive: true }))
      .catch(() => undefined);
    session.defaultSession.on('will-download', (event, item) => {
      const url = item.getURL();
      const site = actions.siteUrl();
      const isOfSite = site !== null && isSiteUrl(url, site);
      if (!isOfSite || !url.startsWith('blob:')) event.preventDefault();
      if (!isOfSite) return;
      if (!url.startsWith('blob:')) {
        void this.saver.save(item.getFilename(), ofSite(url));
        return;
      }
      const staged = join(this.#stagingDir, String(this.#count++));
      item.setSavePath(staged);
      item.once('done', (_event, state) => {
        const isWanted = state !== 'cancelled';
        // Of one that was interrupted the part that is there is not saved, but the page learns of it.
        const source = state === 'completed' ? ofFile(staged) : () => Promise.reject(new Error(state));
        const saving = isWanted ? this.saver.save(item.getFilename(), source) : Promise.resolve();
        void saving.finally(() => rm(staged, { force: true }).catch(() => undefined));
      });
    });
  }

  /** Saves the page that is shown as a PDF, as it would print. */
  async savePage(): Promise<void> {
    const window = this.#actions.window();
    if (!window) return;
    const name = `${window.webContents.getTitle() || 'Outpost'}.pdf`;
    const pdf = await window.webContents.printToPDF({ preferCSSPageSize: true, printBackground: true });
    const bytes = (async function* () {
      yield pdf;
    })();
    await this.saver.save(name, async () => ({ bytes, totalBytes: pdf.length }));
  }

  async #ask(name: string): Promise<string | null> {
    const dir = this.#actions.settings.current.saveDir ?? app.getPath('downloads');
    const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1];
    const options: Electron.SaveDialogOptions = {
      defaultPath: join(dir, name),
      properties: ['createDirectory', 'showOverwriteConfirmation'],
      ...(extension !== undefined && { filters: [{ name: extension.toUpperCase(), extensions: [extension] }] }),
    };
    const window = this.#actions.window();
    const { canceled, filePath } = await (window
      ? dialog.showSaveDialog(window, options)
      : dialog.showSaveDialog(options));
    if (canceled || filePath === '') return null;
    void this.#actions.settings.change({ saveDir: join(filePath, '..') });
    return filePath;
  }
}
