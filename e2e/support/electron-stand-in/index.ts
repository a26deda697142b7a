/**
 * A stand-in for the `electron` module where there is no Electron binary: the built main process runs unchanged under
 * Node. Windows are pages of a real Chromium with the real preload script, utility processes are child processes. It has
 * what src-main uses and nothing more; an unknown import fails at once. What it cannot show is listed in the README.
 */
import { StandInApp } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { answerEvaluations } from './evaluate.ts';
import { Notification } from './notification.ts';
import { powerMonitor, powerSaveBlocker } from './power.ts';
import { safeStorage } from './safe-storage.ts';
import { screen } from './screen.ts';
import { clipboard, dialog, Menu, session, shell } from './system.ts';
import { nativeImage, Tray } from './tray.ts';

export { ipcMain } from './ipc-main.ts';
export { utilityProcess } from './utility-process.ts';
export {
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  Notification,
  nativeImage,
  powerMonitor,
  powerSaveBlocker,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};

export const app = StandInApp.instance;

answerEvaluations({
  app,
  BrowserWindow,
  clipboard,
  dialog,
  Menu,
  Notification,
  powerMonitor,
  powerSaveBlocker,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
});
