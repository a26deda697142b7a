/** How every window of the program is made. The page gets no more rights than a page in a browser. */
import { fileURLToPath } from 'node:url';
import type { BrowserWindowConstructorOptions, WebPreferences } from 'electron';

/**
 * Each setting is named although most are Electron's default: a default may change with a version, and the test of the
 * security checklist compares the whole list.
 */
const WEB_PREFERENCES = {
  // A sandboxed preload must be CommonJS.
  preload: fileURLToPath(new URL('../preload/preload.cjs', import.meta.url)),
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  plugins: false,
  navigateOnDragDrop: false,
  // Text of subjects must not reach a spelling service, and codes are no words.
  spellcheck: false,
} satisfies WebPreferences;

export const MIN_WIDTH = 1024;
export const MIN_HEIGHT = 640;

export const windowOptions = (): BrowserWindowConstructorOptions => ({
  width: 1440,
  height: 900,
  minWidth: MIN_WIDTH,
  minHeight: MIN_HEIGHT,
  show: false,
  title: 'Outpost',
  backgroundColor: '#f3f5f4',
  webPreferences: WEB_PREFERENCES,
});
