import { type IpcMainInvokeEvent, ipcMain, type WebFrameMain } from 'electron';
import { OutpostError } from '../src-server/errors.ts';
import { CHANNELS, type DesktopApi } from './desktop-api.ts';

/** Methods for pages of the site; all others are for start pages only, which may call these too. */
const OF_SITE: ReadonlySet<string> = new Set<keyof DesktopApi>([
  'info',
  'openExternal',
  'showSiteFolder',
  // Of a page of the site only for folders that the program knows; see SiteChooser.
  'openSite',
  'openedFiles',
  'readOpenedFile',
  'forgetOpenedFiles',
  'windowCrash',
  'nextSavings',
  'endSaving',
  'showSaved',
  'nextBluetoothPrompt',
  'answerBluetoothPrompt',
  'session',
  'lockRequests',
  'keepSession',
  'forgetSession',
  'isLocked',
  'stayOffer',
  'nextLock',
  'setCommands',
  'nextCommand',
  'markWindowCrashRead',
]);

/**
 * Registers one handler per method. A call is answered only for the main frame of a page that may make it.
 *
 * @param isTrusted whether a page may make calls for `site` pages or only for `start` pages
 */
export const answerCalls = (
  api: DesktopApi,
  isTrusted: (address: string, pages: 'site' | 'start') => boolean,
): void => {
  const mayCall = (frame: WebFrameMain | null, method: string): boolean =>
    frame !== null && !frame.parent && isTrusted(frame.url, OF_SITE.has(method) ? 'site' : 'start');
  for (const [method, channel] of Object.entries(CHANNELS)) {
    ipcMain.handle(channel, (event: IpcMainInvokeEvent, ...args: unknown[]) => {
      if (!mayCall(event.senderFrame, method)) {
        throw new OutpostError('FORBIDDEN', 'This page may not call the desktop.');
      }
      return (api[method as keyof DesktopApi] as (...values: unknown[]) => unknown)(...args);
    });
  }
};
