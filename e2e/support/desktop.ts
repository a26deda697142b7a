/** Starts the built desktop program: under a real Electron when its binary is there, else under Node with the stand-in. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type ElectronApplication, _electron as electron, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS } from './chromium.ts';
import type { EvaluateAnswer, EvaluateRequest } from './electron-stand-in/evaluate.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = join(root, 'out/main/index.js');
export const register = new URL('./electron-stand-in/register.ts', import.meta.url).href;

export interface DesktopLaunch {
  /** The program's own folder: settings and browser profile. */
  userData: string;
  args?: string[];
  locale?: string;
  /** A program that starts the stand-in itself, in place of the one that was built. */
  program?: string;
  /** More of the environment. */
  environment?: Record<string, string>;
}

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface DesktopDisplay {
  id: number;
  bounds: Area;
  workArea: Area;
  scaleFactor: number;
}

/** The parts of a window that a test may look at. */
interface DesktopWindow {
  close(): void;
  emit(name: string): boolean;
  getNormalBounds(): Area;
  setBounds(bounds: Area): void;
  isMaximized(): boolean;
  maximize(): void;
  hide(): void;
  isVisible(): boolean;
  webContents: {
    emit(name: string, ...values: (object | string)[]): boolean;
    getZoomLevel(): number;
    /** Not in the documentation, but what Electron's own security warnings read. */
    getLastWebPreferences(): Record<string, unknown>;
  };
}

interface DesktopMenu {
  items: {
    label?: string;
    type?: string;
    checked?: boolean;
    enabled?: boolean;
    submenu?: DesktopMenu | null;
    click(): void;
  }[];
}

/** The parts of Electron that a test may look at or replace from inside the main process. */
interface ElectronModule {
  app: { emit(name: string, ...values: (object | string)[]): boolean; quit(): void };
  clipboard: { readText(): string };
  BrowserWindow: { getAllWindows(): DesktopWindow[] };
  dialog: {
    showOpenDialog: (options: object) => Promise<{ canceled: boolean; filePaths: string[] }>;
    showSaveDialog: (window: object, options: object) => Promise<{ canceled: boolean; filePath: string }>;
    /** A question without a window has its options first. */
    showMessageBox: (window: object, options: object) => Promise<{ response: number; checkboxChecked: boolean }>;
  };
  Notification: {
    prototype: { show(): void; close(): void; title: string; body: string; emit(name: string): boolean };
  };
  powerMonitor: {
    emit(name: string): boolean;
    getSystemIdleState: (idleThreshold: number) => 'active' | 'idle' | 'locked' | 'unknown';
  };
  safeStorage: {
    getSelectedStorageBackend: () => string;
    isAsyncEncryptionAvailable: () => Promise<boolean>;
  };
  powerSaveBlocker: { start(type: string): number; stop(id: number): boolean };
  screen: {
    getAllDisplays: () => DesktopDisplay[];
    getPrimaryDisplay: () => DesktopDisplay;
    emit(name: string, ...values: object[]): boolean;
  };
  Menu: { getApplicationMenu(): DesktopMenu | null; prototype: { popup(options: object): void } };
  Tray: { prototype: { setToolTip(text: string): void; setContextMenu(menu: object | null): void } };
  session: {
    /** Of the stand-in only: as if the system asked whether to pair with a device. */
    pair?(details: object, answer: (response: object) => void): void;
  };
  shell: {
    openExternal(url: string): Promise<void>;
    openPath(path: string): Promise<string>;
    showItemInFolder(path: string): void;
  };
}

export interface DesktopApp {
  window: Page;
  kind: 'electron' | 'stand-in';
  evaluate<A, R>(run: (electron: ElectronModule, argument: A) => R | Promise<R>, argument: A): Promise<R>;
  /** Asks the program to quit and waits for its end. */
  quit(): Promise<void>;
  /** Resolves with the exit code once the program has ended. */
  ended: Promise<number | null>;
}

/** Devices call at a free port: tests run beside each other, and beside a site in use. */
const environment = { ...process.env, OUTPOST_LAN_PORT: '0' } as Record<string, string>;

const electronBinary = (): string | undefined => {
  const folder = dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  const name = join(folder, 'path.txt');
  if (!existsSync(name)) return undefined;
  const path = join(folder, 'dist', readFileSync(name, 'utf8'));
  return existsSync(path) ? path : undefined;
};

const launchElectron = async (executablePath: string, launch: DesktopLaunch): Promise<DesktopApp> => {
  const app: ElectronApplication = await electron.launch({
    executablePath,
    env: environment,
    args: [
      ...CHROMIUM_FLAGS,
      `--user-data-dir=${launch.userData}`,
      `--lang=${launch.locale ?? 'en-US'}`,
      main,
      ...(launch.args ?? []),
    ],
  });
  const ended = new Promise<number | null>((resolve) => app.process().once('exit', resolve));
  return {
    window: await app.firstWindow(),
    kind: 'electron',
    evaluate: (run, argument) =>
      app.evaluate(run as unknown as Parameters<ElectronApplication['evaluate']>[0], argument) as ReturnType<
        DesktopApp['evaluate']
      > as never,
    quit: async () => {
      await app.close();
      await ended;
    },
    ended,
  };
};

const devtoolsAddress = (child: ChildProcess, output: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: { devtools?: string }) => {
      if (!message.devtools) return;
      child.off('message', onMessage);
      resolve(message.devtools);
    };
    child.on('message', onMessage);
    child.once('exit', (code) =>
      reject(new Error(`The desktop program ended with code ${code} before a window:\n${output()}`)),
    );
  });

/** The command that starts the built desktop program, for tests that read its output and need no window. */
export const desktopCommand = (
  launch: DesktopLaunch,
): { program: string; args: string[]; environment: Record<string, string> } => {
  const binary = electronBinary();
  const args = [main, ...(launch.args ?? [])];
  if (binary) {
    const switches = [...CHROMIUM_FLAGS, `--user-data-dir=${launch.userData}`];
    return { program: binary, args: [...switches, ...args], environment };
  }
  return {
    program: process.execPath,
    args: ['--import', register, ...args],
    environment: { ...environment, OUTPOST_USER_DATA: launch.userData },
  };
};

const launchStandIn = async (launch: DesktopLaunch): Promise<DesktopApp> => {
  const [program, own] = launch.program ? [launch.program, []] : [process.execPath, ['--import', register, main]];
  const child = spawn(program, [...own, ...(launch.args ?? [])], {
    env: {
      ...environment,
      ...launch.environment,
      OUTPOST_USER_DATA: launch.userData,
      OUTPOST_LOCALE: launch.locale ?? 'en-US',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const browser = await chromium.connectOverCDP(await devtoolsAddress(child, () => output));
  const [context] = browser.contexts();
  if (!context) throw new Error('The browser has no context.');
  const page = context.pages()[0] ?? (await context.waitForEvent('page'));
  await page.waitForURL((url) => url.href !== 'about:blank');

  let nextId = 1;
  const evaluate = <A, R>(run: (electron: ElectronModule, argument: A) => R | Promise<R>, argument: A): Promise<R> =>
    new Promise((resolve, reject) => {
      const id = nextId++;
      const onAnswer = (answer: EvaluateAnswer) => {
        if (answer.id !== id) return;
        child.off('message', onAnswer);
        if ('error' in answer) reject(new Error(answer.error));
        else resolve(answer.value as R);
      };
      child.on('message', onAnswer);
      child.send({ id, source: run.toString(), argument } satisfies EvaluateRequest);
    });
  return {
    window: page,
    kind: 'stand-in',
    evaluate,
    quit: async () => {
      child.kill('SIGTERM');
      await ended;
      await browser.close();
    },
    ended,
  };
};

/** The session of the person who is signed in in the window, which the program keeps. */
export const sessionOf = (window: Page): Promise<{ accessToken: string; user: { id: string; accountId: string } }> =>
  window.evaluate(() =>
    (globalThis as unknown as { outpostDesktop: { session(): Promise<never> } }).outpostDesktop.session(),
  );

export const launchDesktop = (launch: DesktopLaunch): Promise<DesktopApp> => {
  const binary = electronBinary();
  return binary ? launchElectron(binary, launch) : launchStandIn(launch);
};
