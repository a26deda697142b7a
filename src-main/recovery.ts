/** What the failure page asks for: the newest good backup of a site that does not open, and the ways back to work. One step at a time. */
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dialog } from 'electron';
import { OutpostError, toOutpostError } from '../src-server/errors.ts';
import { isSealedBackup, unlockFolder } from '../src-server/integrity/backup/sealed/keys.ts';
import type { AskPassphrase } from '../src-server/integrity/backup/sources.ts';
import { LOCK_FILE } from '../src-server/integrity/site-file.ts';
import {
  type BackupSearch,
  backupsOfSite,
  findGoodBackup,
  holdsRecordings,
} from '../src-server/site/recovery/newest-good.ts';
import {
  putSiteFileBack,
  type RecoverOptions,
  rebuildInPlace,
  restoreInPlace,
} from '../src-server/site/recovery/recover.ts';
import type { RecoveryAnswer, RecoveryStep } from './desktop-api.ts';
import { recoveredSentences, searchAnswer } from './pages/recovery-answers.ts';
import { recoveryWords } from './pages/recovery-words.ts';
import type { PageLanguage } from './pages/words.ts';

export interface RecoveryOptions {
  siteDir: () => string;
  language: () => PageLanguage;
  /** The site is now in another folder. */
  onMoved: (siteDir: string) => void;
}

export class Recovery {
  readonly #options: RecoveryOptions;
  /** Folders of backups that a person named. */
  readonly #places: string[] = [];
  /** Of folders of encrypted backups; in memory until the program ends. */
  readonly #passphrases = new Map<string, string>();
  #search: BackupSearch | undefined;
  #progress: { done: number; total: number } | undefined;
  #isBusy = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** Answers a page. A failure is an answer, in words. */
  async answer(step: RecoveryStep, passphrase?: string): Promise<RecoveryAnswer> {
    if (step === 'progress') return this.#share();
    if (this.#isBusy) return { kind: 'busy' };
    this.#isBusy = true;
    try {
      return await this.#take(step, typeof passphrase === 'string' ? passphrase : '');
    } catch (thrown) {
      const { code, message } = toOutpostError(thrown);
      if (code === 'BACKUP_ENCRYPTED') return { kind: 'locked', locked: await this.#lockedText() };
      const known = recoveryWords[this.#options.language()].problems[code];
      return { kind: 'problem', message: known === undefined ? message : `${known} ${message}` };
    } finally {
      this.#isBusy = false;
      this.#progress = undefined;
    }
  }

  #share(): RecoveryAnswer {
    const { done, total } = this.#progress ?? { done: 0, total: 0 };
    return { kind: 'progress', percent: total > 0 ? Math.min(100, Math.floor((100 * done) / total)) : 0 };
  }

  async #take(step: Exclude<RecoveryStep, 'progress'>, passphrase: string): Promise<RecoveryAnswer> {
    const { siteDir } = this.#options;
    switch (step) {
      case 'look':
        return await this.#look();
      case 'lookElsewhere': {
        const place = await this.#chooseFolder('chooseBackups');
        if (place === undefined) return { kind: 'cancelled' };
        this.#places.unshift(place);
        return await this.#look();
      }
      case 'restore':
        return await this.#restore({});
      case 'restoreElsewhere': {
        const to = await this.#chooseFolder('chooseTarget');
        return to === undefined ? { kind: 'cancelled' } : await this.#restore({ to });
      }
      case 'rebuild': {
        const rebuilt = await rebuildInPlace(siteDir(), this.#with({}));
        const { email, password } = rebuilt;
        return { kind: 'done', sentences: this.#sentences(rebuilt), credentials: { email, password } };
      }
      case 'passphrase':
        return await this.#unlock(passphrase);
      case 'siteFile':
      case 'siteFileNew': {
        const isWithoutBackup = step === 'siteFileNew';
        const { source } = await putSiteFileBack(siteDir(), { ...this.#sources(), isWithoutBackup });
        const { siteFileBack, siteFileNew } = recoveryWords[this.#options.language()];
        return { kind: 'done', sentences: [source === 'backup' ? siteFileBack : siteFileNew] };
      }
      case 'lock':
        await rename(join(siteDir(), LOCK_FILE), join(siteDir(), `${LOCK_FILE}.damaged-${Date.now()}`));
        return { kind: 'done', sentences: [recoveryWords[this.#options.language()].lockAside] };
    }
  }

  async #look(): Promise<RecoveryAnswer> {
    const dir = this.#options.siteDir();
    this.#search = await findGoodBackup(dir, { ...this.#sources(), onProgress: this.#onProgress });
    return searchAnswer(this.#search, await holdsRecordings(dir), this.#options.language());
  }

  /** Tries a passphrase on the folders that are still locked. A wrong one is only said: there is no limit of tries. */
  async #unlock(passphrase: string): Promise<RecoveryAnswer> {
    const folders = await this.#lockedFolders();
    let isRight = false;
    for (const folder of folders) {
      try {
        await unlockFolder(folder, passphrase);
        this.#passphrases.set(folder, passphrase);
        isRight = true;
      } catch (thrown) {
        if (toOutpostError(thrown).code !== 'PASSPHRASE_WRONG') throw thrown;
      }
    }
    if (isRight) return { kind: 'unlocked' };
    return { kind: 'problem', message: recoveryWords[this.#options.language()].passphraseWrong };
  }

  async #lockedFolders(): Promise<string[]> {
    const backups = await backupsOfSite(this.#options.siteDir(), { places: this.#places });
    const folders = backups.filter(({ path }) => isSealedBackup(path)).map(({ path }) => dirname(path));
    return [...new Set(folders)].filter((folder) => !this.#passphrases.has(folder));
  }

  async #lockedText(): Promise<string> {
    return recoveryWords[this.#options.language()].locked((await this.#lockedFolders()).join(', '));
  }

  #sources(): { places: readonly string[]; askPassphrase: AskPassphrase } {
    return { places: this.#places, askPassphrase: this.#askPassphrase };
  }

  readonly #askPassphrase: AskPassphrase = async (folder) => {
    const known = this.#passphrases.get(folder);
    if (known !== undefined) return known;
    throw new OutpostError('BACKUP_ENCRYPTED', `The backups in ${folder} are encrypted. Enter their passphrase.`);
  };

  async #restore(options: RecoverOptions): Promise<RecoveryAnswer> {
    const good = this.#search?.good;
    if (!good) throw new OutpostError('CONFLICT', 'No good backup was found yet. Look for one first.');
    const recovered = await restoreInPlace(this.#options.siteDir(), good.path, this.#with(options));
    this.#options.onMoved(recovered.dir);
    return { kind: 'done', sentences: this.#sentences(recovered) };
  }

  #sentences(recovered: Parameters<typeof recoveredSentences>[0]): string[] {
    return recoveredSentences(recovered, this.#options.language());
  }

  readonly #onProgress = (progress: { done: number; total: number }) => {
    this.#progress = progress;
  };

  #with(options: RecoverOptions): RecoverOptions {
    return {
      ...options,
      askPassphrase: this.#askPassphrase,
      language: this.#options.language(),
      onProgress: this.#onProgress,
    };
  }

  async #chooseFolder(title: 'chooseBackups' | 'chooseTarget'): Promise<string | undefined> {
    const { canceled, filePaths } = await dialog.showOpenDialog({
      title: recoveryWords[this.#options.language()][title],
      properties: title === 'chooseTarget' ? ['openDirectory', 'createDirectory'] : ['openDirectory'],
    });
    return canceled ? undefined : filePaths[0];
  }
}
