/**
 * electron-updater, fed from a checked copy on this computer instead of a server. Its classes know how each system replaces a program; what
 * they would download they take from the copy, through an executor that reads files: no HTTP and no differential download take part.
 * Loaded only when there is something to install.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  createReadStream,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  AppImageUpdater,
  MacUpdater,
  NsisUpdater,
  Provider,
  type ResolvedUpdateFileInfo,
  type UpdateInfo,
} from 'electron-updater';
import type { InstallOptions } from 'electron-updater/out/BaseUpdater.js';
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js';
import type { KeptFile } from './attempt.ts';
import { UpdateRefused } from './refusal.ts';

/** How this copy of the program was installed; `none` for a package of the system, a folder or the sources. */
export type InstallationKind = 'appimage' | 'nsis' | 'mac' | 'none';

/** What electron-updater asks of the program. */
export interface UpdaterHost {
  /** The running version. */
  version: string;
  /** A folder for its own files. */
  workDir: string;
  /** Common names that a Windows installer must be signed with, beside our own signature. */
  publisherNames?: readonly string[];
  /** The file that an AppImage was started from. */
  appImage?: string;
  /** Starts the program again once it has ended. */
  relaunch(): void;
}

export interface InstallFile extends KeptFile {
  version: string;
}

const FILE_NAMES: Readonly<Record<Exclude<InstallationKind, 'none'>, string>> = {
  appimage: 'Outpost.AppImage',
  nsis: 'Outpost.exe',
  mac: 'Outpost.zip',
};

/** Takes the place of electron-updater's HTTP client: a "download" is a copy, compared with the hash of the signed list. */
const fileExecutor = {
  async download(url: URL, destination: string, { sha512 }: { sha512?: string | null }): Promise<string> {
    await copyFile(fileURLToPath(url), destination);
    const hash = createHash('sha512');
    for await (const chunk of createReadStream(destination)) hash.update(chunk as Buffer);
    if (hash.digest('base64') !== sha512) throw new UpdateRefused('hash-differs', { file: fileURLToPath(url) });
    return destination;
  },
};

/** Tells electron-updater of the one file that is to be installed. */
const providerOf = ({ version, path, sizeBytes, sha512 }: InstallFile) => {
  const url = pathToFileURL(path);
  return class extends Provider<UpdateInfo> {
    constructor(_options: object, _updater: object, runtime: ProviderRuntimeOptions) {
      super(runtime);
    }

    async getLatestVersion(): Promise<UpdateInfo> {
      const files = [{ url: url.href, sha512, size: sizeBytes }];
      return { version, files, path: url.href, sha512, releaseDate: new Date(0).toISOString() };
    }

    resolveFiles(info: UpdateInfo): ResolvedUpdateFileInfo[] {
      return info.files.map((file) => ({ url, info: file }));
    }
  };
};

const syncPath = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Puts a file in the place of a program at once. electron-updater deletes the old one first and then moves the new one across file
 * systems; a power cut between leaves no program.
 */
export function replaceProgram(from: string, program: string, sha512: string): void {
  const beside = `${program}.new`;
  copyFileSync(from, beside);
  syncPath(beside);
  // What is judged is the file that will run, a moment before it does.
  if (createHash('sha512').update(readFileSync(beside)).digest('base64') !== sha512) {
    rmSync(beside);
    throw new UpdateRefused('hash-differs', { file: basename(from) });
  }
  renameSync(beside, program);
  syncPath(dirname(program));
}

class AppImageFromFile extends AppImageUpdater {
  readonly httpExecutor = fileExecutor;
  readonly #host: UpdaterHost;

  constructor(host: UpdaterHost) {
    super(null, adapterOf(host));
    this.#host = host;
  }

  protected override doInstall({ isForceRunAfter }: InstallOptions): boolean {
    const { installerPath } = this;
    const sha512 = this.downloadedUpdateHelper?.downloadedFileInfo?.sha512;
    if (installerPath === null || sha512 === undefined || this.#host.appImage === undefined) return false;
    // The name stays: entries of menus and of the log-in lead to it.
    replaceProgram(installerPath, this.#host.appImage, sha512);
    if (isForceRunAfter) this.#host.relaunch();
    return true;
  }
}

class NsisFromFile extends NsisUpdater {
  readonly httpExecutor = fileExecutor;

  constructor(host: UpdaterHost) {
    super(null, adapterOf(host));
    this.disableWebInstaller = true;
  }
}

class MacFromFile extends MacUpdater {
  readonly httpExecutor = fileExecutor;

  constructor(host: UpdaterHost) {
    super(undefined, adapterOf(host));
  }
}

const adapterOf = ({ version, workDir, relaunch }: UpdaterHost) => ({
  version,
  name: 'Outpost',
  isPackaged: true,
  appUpdateConfigPath: join(workDir, 'app-update.yml'),
  userDataPath: workDir,
  baseCachePath: workDir,
  whenReady: async () => {},
  relaunch,
  // The program ends itself, after the site was closed.
  quit: () => {},
  onQuit: () => {},
});

const UPDATERS = { appimage: AppImageFromFile, nsis: NsisFromFile, mac: MacFromFile } as const;

export interface PreparedInstall {
  /** Replaces the program. Call it when the site is closed, and end the program right after. @throws Error */
  install(relaunches: boolean): void;
}

/**
 * Has electron-updater take a checked file, of a newer version or, on the way back, of an older one.
 * @throws UpdateRefused, and what the system says
 */
export async function prepareInstall(
  kind: Exclude<InstallationKind, 'none'>,
  file: InstallFile,
  host: UpdaterHost,
): Promise<PreparedInstall> {
  const { workDir, publisherNames } = host;
  await mkdir(workDir, { recursive: true });
  // electron-updater chooses by the ending of the name, and takes its settings from this file. JSON is YAML too.
  const named = join(workDir, FILE_NAMES[kind]);
  await copyFile(file.path, named);
  await chmod(named, 0o755);
  const config = { updaterCacheDirName: 'installer', ...(publisherNames && { publisherName: publisherNames }) };
  await writeFile(join(workDir, 'app-update.yml'), JSON.stringify(config));
  const updater = new UPDATERS[kind](host);
  updater.logger = null;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.disableDifferentialDownload = true;
  updater.allowDowngrade = true;
  let problem: Error | undefined;
  updater.on('error', (error) => {
    problem = error;
  });
  updater.setFeedURL({ provider: 'custom', updateProvider: providerOf({ ...file, path: named }) });
  const found = await updater.checkForUpdates();
  if (!found?.isUpdateAvailable) throw new Error(`electron-updater does not install ${file.version} here.`);
  await updater.downloadUpdate();
  return {
    install: (relaunches) => {
      if (updater instanceof MacUpdater) {
        updater.autoRunAppAfterInstall = relaunches;
        updater.quitAndInstall();
      } else if (!updater.install(true, relaunches)) throw problem ?? new Error('The installer did not start.');
    },
  };
}
