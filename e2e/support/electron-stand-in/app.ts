import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** An event whose default can be prevented, as Electron passes it. */
export class PreventableEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

interface OpenWindow {
  destroy(): Promise<void>;
  /** Fires `close`; false when a listener prevents it. */
  mayClose(): boolean;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** `electron.app`: life cycle, paths, the lock of the single instance. */
export class StandInApp extends EventEmitter {
  static readonly instance = new StandInApp();
  readonly isPackaged = false;
  readonly windows = new Set<OpenWindow>();
  #lock: string | null = null;
  #quitting = false;
  #next: { execPath: string; args: string[] } | null = null;
  /** Ends the browser; set by the first window. */
  closeBrowser: () => Promise<void> = async () => {};

  private constructor() {
    super();
    process.on('SIGTERM', () => this.quit());
    process.on('SIGINT', () => this.quit());
  }

  async whenReady(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  getPath(name: string): string {
    const userData = process.env.OUTPOST_USER_DATA ?? join(tmpdir(), 'outpost-stand-in');
    const path = {
      userData,
      appData: process.env.XDG_CONFIG_HOME ?? join(userData, 'app-data'),
      downloads: join(userData, 'downloads'),
    }[name];
    if (path === undefined) throw new Error(`The stand-in has no path named ${name}.`);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** The folder that the program was started with, as by npm start, or that of its script. */
  getAppPath(): string {
    const started = resolve(process.argv[1] ?? '');
    return statSync(started).isDirectory() ? started : dirname(started);
  }

  getVersion(): string {
    // As Electron, of the nearest package.json of the program.
    for (let folder = this.getAppPath(); ; folder = dirname(folder)) {
      const path = join(folder, 'package.json');
      if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')).version;
      if (folder === dirname(folder)) throw new Error('The program has no package.json.');
    }
  }

  /** What is started once the program has ended. */
  relaunch({ execPath = process.execPath, args = [] }: { execPath?: string; args?: string[] } = {}): void {
    this.#next = { execPath, args };
  }

  getLocale(): string {
    return process.env.OUTPOST_LOCALE ?? 'en-US';
  }

  requestSingleInstanceLock(): boolean {
    const userData = this.getPath('userData');
    const path = join(userData, 'instance.lock');
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const file = openSync(path, 'wx');
        writeSync(file, String(process.pid));
        closeSync(file);
        this.#lock = path;
        watch(userData, { persistent: false }, (_kind, name) => {
          if (name === 'second-instance') this.#announceSecond(join(userData, name));
        });
        return true;
      } catch {
        const owner = Number(readFileSync(path, 'utf8'));
        if (isAlive(owner)) break;
        rmSync(path, { force: true });
      }
    }
    writeFileSync(join(userData, 'second-instance'), JSON.stringify({ argv: process.argv, cwd: process.cwd() }));
    return false;
  }

  /** Writing a file tells its watchers more than once, the first time before it is whole. */
  #announceSecond(path: string): void {
    try {
      const { argv, cwd } = JSON.parse(readFileSync(path, 'utf8'));
      rmSync(path);
      this.emit('second-instance', {}, argv, cwd);
    } catch {
      // Not whole yet, or announced already.
    }
  }

  /** Fires `before-quit`, closes the windows, fires `will-quit`; each of the two events can stop it. */
  quit(): void {
    if (this.#quitting) return;
    this.#quitting = true;
    void this.#quit();
  }

  async #quit(): Promise<void> {
    const before = new PreventableEvent();
    this.emit('before-quit', before);
    if (before.defaultPrevented) {
      this.#quitting = false;
      return;
    }
    // As in Electron, a window that stays open stops the quit.
    if (![...this.windows].every((window) => window.mayClose())) {
      this.#quitting = false;
      return;
    }
    await Promise.all([...this.windows].map((window) => window.destroy()));
    const will = new PreventableEvent();
    this.emit('will-quit', will);
    if (will.defaultPrevented) {
      this.#quitting = false;
      return;
    }
    await this.closeBrowser();
    if (this.#lock) rmSync(this.#lock, { force: true });
    if (this.#next) spawn(this.#next.execPath, this.#next.args, { detached: true, stdio: 'inherit' }).unref();
    process.exit(0);
  }

  /** For Windows only. */
  setAppUserModelId(_id: string): void {}

  /** Nothing is registered with the system of a developer; only an installed program asks for it. */
  setAsDefaultProtocolClient(_scheme: string, _path?: string, _args?: string[]): boolean {
    throw new Error('The stand-in is not installed.');
  }

  /** Ends at once, without events. */
  exit(code = 0): void {
    process.exit(code);
  }

  windowClosed(window: OpenWindow): void {
    this.windows.delete(window);
    if (this.windows.size === 0 && !this.#quitting) this.emit('window-all-closed');
  }
}
