/**
 * Updates from a folder that the clinic chooses: check, back up and copy, install when the site is closed, and lead back to the version
 * before. Nothing is looked for before somebody chooses a folder, and nothing is installed before somebody says so.
 */
import { app, dialog } from 'electron';
import { HOUR_MS, MINUTE_MS } from '../../src-server/durations.ts';
import { type OutpostError, toOutpostError } from '../../src-server/errors.ts';
import type { RunningSite } from '../../src-server/site/server.ts';
import type { UpdateStep, UpdatesView } from '../desktop-api.ts';
import { testingPage, updatesPage } from '../pages/updates-page.ts';
import { updatesWords } from '../pages/updates-words.ts';
import type { PageLanguage } from '../pages/words.ts';
import type { SettingsFile } from '../settings.ts';
import { UpdateRecord } from './attempt.ts';
import type { PreparedInstall } from './installers.ts';
import { keepPrevious, requireKept } from './previous.ts';
import { type UpdatedProgram, updatedProgram } from './program-under-update.ts';
import { UpdateRefused } from './refusal.ts';
import { BackupProblem, type CheckedBackup, makeCheckedBackup } from './site-backup.ts';
import { Trial } from './trial.ts';
import { auditUpdate, computerUser } from './update-audit.ts';
import { checkFolder, stageUpdate, verifyStaged } from './update-folder.ts';
import { type UpdatesPhase, updatesView } from './updates-view.ts';

/** The first look, after the start of the site; then one each. */
const FIRST_CHECK_MS = MINUTE_MS;
const CHECK_EVERY_MS = 6 * HOUR_MS;
/** Of the words with which somebody declines a backup. */
const SHORTEST_REASON = 3;

export interface UpdatesOptions {
  settings: SettingsFile;
  /** The program's own folder. */
  userData: string;
  language(): PageLanguage;
  site(): RunningSite | null;
  showStartPage(address: string): Promise<void>;
  /** Shows the open site, or opens it. */
  leave(): Promise<void>;
}

export class Updates {
  readonly #options: UpdatesOptions;
  readonly #program: UpdatedProgram;
  readonly #record: UpdateRecord;
  readonly #trial: Trial;
  #phase: UpdatesPhase = { kind: 'unchecked' };
  #checkedMs: number | undefined;
  #prepared: PreparedInstall | null = null;
  #relaunches = false;
  #timer: NodeJS.Timeout | undefined;
  /** Called when the menu should be built again. */
  onChange: () => void = () => {};

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#program = updatedProgram(options.userData);
    this.#record = new UpdateRecord(this.#program.dirs.record);
    this.#trial = new Trial(this.#record, this.#program.version, this.#program.selfTest);
  }

  /** The version that could be installed, for the menu. */
  get offered(): string | undefined {
    if (this.#phase.kind === 'available') return this.#phase.update.version;
    return this.#record.attempt?.stage === 'ready' ? this.#record.attempt.to : undefined;
  }

  async show(): Promise<void> {
    await this.#options.showStartPage(updatesPage(this.#view(), this.#options.language()));
  }

  /** Before a site is opened. Returns false when the way back is shown instead. */
  async mayOpen(): Promise<boolean> {
    const onTest = () => void this.#options.showStartPage(testingPage(this.#options.language()));
    const may = await this.#trial.mayOpen(onTest);
    if (!may) await this.show();
    return may;
  }

  async opened(): Promise<void> {
    const site = this.#options.site();
    // Before the record moves on: the next start would not know that the entry is missing.
    if (site) await auditUpdate(site.folder, this.#record.attempt);
    await this.#trial.opened();
    if (this.#canUpdate && this.#timer === undefined) this.#checkLater(FIRST_CHECK_MS);
  }

  /** Returns true when the way back is shown instead of the failure. */
  async notOpened(error: OutpostError): Promise<boolean> {
    if (!(await this.#trial.notOpened(error))) return false;
    await this.show();
    return true;
  }

  /** Installs what was prepared. The site is closed; the program ends right after. */
  async installAtEnd(): Promise<void> {
    const prepared = this.#prepared;
    const { attempt } = this.#record;
    if (!prepared || !attempt) return;
    try {
      if (attempt.stage === 'ready') await this.#record.change({ stage: 'installing', installsOnQuit: false });
      prepared.install(this.#relaunches);
    } catch (thrown) {
      const isReturn = attempt.stage === 'returning';
      await this.#record.change({ stage: isReturn ? 'failed' : 'not-installed', problem: String(thrown) });
    }
  }

  async answer(step: UpdateStep, words?: string): Promise<UpdatesView> {
    if (this.#phase.kind === 'busy' && step !== 'view') return this.#view();
    switch (step) {
      case 'view':
        break;
      case 'chooseFolder':
        await this.#chooseFolder();
        break;
      case 'turnOff':
        await this.#options.settings.change({ updateFolder: undefined });
        this.#phase = { kind: 'unchecked' };
        break;
      case 'check':
        await this.#check();
        break;
      case 'prepare':
        this.#inBackground(() => this.#prepare());
        break;
      case 'prepareWithout':
        if ((words ?? '').trim().length < SHORTEST_REASON) this.#phase = { kind: 'no-backup', isReasonMissing: true };
        else this.#inBackground(() => this.#prepare(String(words).trim().slice(0, 500)));
        break;
      case 'installNow':
      case 'installOnQuit':
        this.#inBackground(() => this.#install(step === 'installNow'));
        break;
      case 'notOnQuit':
        this.#prepared = null;
        await this.#record.change({ installsOnQuit: false });
        break;
      case 'goBack':
        this.#inBackground(() => this.#goBack());
        break;
      case 'tryAgain':
        await this.#trial.again();
        this.#leave();
        break;
      case 'forget':
        await this.#record.forget();
        break;
      case 'leave':
        this.#leave();
        break;
    }
    return this.#view();
  }

  get #canUpdate(): boolean {
    return this.#program.kind !== 'none' && this.#program.trust !== undefined;
  }

  get #folder(): string | undefined {
    return this.#options.settings.current.updateFolder;
  }

  #view(): UpdatesView {
    const { version, kind, trust } = this.#program;
    return updatesView({
      language: this.#options.language(),
      version,
      cannot: kind === 'none' ? 'not-installed' : trust ? undefined : 'no-keys',
      folder: this.#folder,
      phase: this.#phase,
      checkedMs: this.#checkedMs,
      attempt: this.#record.attempt,
      isSiteOpen: this.#options.site() !== null,
    });
  }

  /** The page is replaced, so the reply must be sent first. */
  #leave(): void {
    setImmediate(() => void this.#options.leave());
  }

  /** Long steps: the page asks how far they are. */
  #inBackground(run: () => Promise<void>): void {
    void this.#reporting(run);
  }

  /** What goes wrong becomes what the page says. */
  async #reporting(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      if (thrown instanceof UpdateRefused) this.#phase = { kind: 'refused', refusal: thrown };
      else if (thrown instanceof BackupProblem) this.#phase = { kind: 'no-backup', detail: thrown.detail };
      else this.#phase = { kind: 'problem', message: toOutpostError(thrown).message };
    }
    this.onChange();
  }

  async #chooseFolder(): Promise<void> {
    const { canceled, filePaths } = await dialog.showOpenDialog({
      title: updatesWords[this.#options.language()].chooseFolder,
      properties: ['openDirectory'],
    });
    const [folder] = filePaths;
    if (canceled || folder === undefined) return;
    await this.#options.settings.change({ updateFolder: folder });
    await this.#check();
  }

  #checkLater(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const isQuiet = this.#phase.kind !== 'busy' && this.#record.attempt?.stage !== 'ready';
      const checked = this.#folder !== undefined && isQuiet ? this.#check() : Promise.resolve();
      void checked.finally(() => this.#checkLater(CHECK_EVERY_MS));
    }, delayMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined || !this.#canUpdate) return;
    await this.#reporting(async () => {
      const { list, update } = await checkFolder(folder, this.#program, this.#record.newestListTs);
      await this.#record.accept(list.createdTs);
      this.#checkedMs = Date.now();
      this.#phase = update ? { kind: 'available', update } : { kind: 'newest' };
    });
  }

  /** @param declined the words with which somebody wants no backup */
  async #prepare(declined?: string): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const { dirs, host, version } = this.#program;
    const checked = await checkFolder(folder, this.#program, this.#record.newestListTs);
    const { update } = checked;
    if (!update) return;
    const backup = declined === undefined ? await this.#backUp() : { declined };
    const previous = await keepPrevious(this.#program, checked, {
      stagedDir: dirs.staged,
      keptDir: dirs.kept,
      ...(host.appImage !== undefined && { appImage: host.appImage }),
    });
    await stageUpdate({ ...checked, update }, dirs.staged, (done, total) => {
      this.#phase = { kind: 'busy', task: 'copying', percent: Math.floor((100 * done) / total) };
    });
    const by = computerUser();
    const attempt = { from: version, to: update.version, stage: 'ready' as const, atMs: Date.now(), backup };
    await this.#record.begin({ ...attempt, ...(previous && { previous }), ...(by !== undefined && { by }) });
    this.#phase = { kind: 'available', update };
  }

  /** @throws BackupProblem */
  async #backUp(): Promise<CheckedBackup> {
    this.#phase = { kind: 'busy', task: 'backup', percent: 0 };
    const site = this.#options.site();
    if (!site) throw new BackupProblem(updatesWords[this.#options.language()].noSite);
    return await makeCheckedBackup(site, Date.now(), (percent) => {
      this.#phase = { kind: 'busy', task: 'backup', percent: Math.floor(percent) };
    });
  }

  /** Checks the copy again, hands it to the installer, and lets the program end: the installer runs when the site is closed. */
  async #install(isNow: boolean): Promise<void> {
    const { attempt } = this.#record;
    const { kind, host, dirs } = this.#program;
    if (attempt?.stage !== 'ready' || kind === 'none') return;
    this.#phase = { kind: 'busy', task: 'installing' };
    const { path, version, file } = await verifyStaged(dirs.staged, attempt.to, this.#program);
    const { prepareInstall } = await import('./installers.ts');
    const { sizeBytes, sha512 } = file;
    this.#prepared = await prepareInstall(kind, { path, version, sizeBytes, sha512 }, host);
    this.#relaunches = isNow;
    if (isNow) app.quit();
    else {
      await this.#record.change({ installsOnQuit: true });
      this.#phase = { kind: 'unchecked' };
    }
  }

  /** Installs the version before. Where it cannot read the migrated site, its own recovery page restores the backup. */
  async #goBack(): Promise<void> {
    const { attempt } = this.#record;
    const { kind, host } = this.#program;
    if (!attempt?.previous || kind === 'none') return;
    this.#phase = { kind: 'busy', task: 'installing' };
    await requireKept(attempt.previous);
    const { prepareInstall } = await import('./installers.ts');
    this.#prepared = await prepareInstall(kind, { ...attempt.previous, version: attempt.from }, host);
    await this.#record.change({ stage: 'returning', returnedBy: computerUser() });
    this.#relaunches = true;
    app.quit();
  }
}
