/** Starting at log-in, without a window. The system keeps the setting, so what its own settings change counts here too. */
import { readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { writeDurably } from '../src-server/files/durable-files.ts';
import { autostartEntry, isAutostartOn } from './autostart-entry.ts';

/** The argument of a start without a window. */
export const BACKGROUND = '--background';

/** What starts this program again. An AppImage runs from a folder that is gone at the next log-in. */
const command = (): { path: string; args: string[] } => ({
  path: process.env.APPIMAGE ?? process.execPath,
  args: app.isPackaged ? [BACKGROUND] : [app.getAppPath(), BACKGROUND],
});

/** Electron offers nothing for Linux. */
const entryPath = (): string => join(app.getPath('appData'), 'autostart', 'outpost.desktop');

export const startsAtLogin = (): boolean => {
  if (process.platform !== 'linux') return app.getLoginItemSettings(command()).openAtLogin;
  try {
    return isAutostartOn(readFileSync(entryPath(), 'utf8'));
  } catch {
    return false;
  }
};

/** @throws Error of the file system when the entry cannot be written */
export const setStartsAtLogin = async (isOn: boolean): Promise<void> => {
  const { path, args } = command();
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: isOn, path, args });
    return;
  }
  const entry = entryPath();
  if (!isOn) {
    await rm(entry, { force: true });
    return;
  }
  await mkdir(dirname(entry), { recursive: true });
  await writeDurably(entry, autostartEntry([path, ...args]));
};

/** Whether the system started the program at log-in. macOS passes no arguments, and tells it otherwise. */
export const isStartInBackground = (argv: readonly string[]): boolean =>
  argv.includes(BACKGROUND) || (process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
