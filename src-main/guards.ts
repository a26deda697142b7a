import { app, session, shell, type WebContents } from 'electron';
import type { BluetoothPrompts } from './bluetooth-prompts.ts';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';

/** Permissions of site pages; a page that records a sensor keeps the screen on. All others are denied. */
const PERMISSIONS = new Set(['clipboard-sanitized-write', 'fullscreen', 'screen-wake-lock']);

/**
 * Restricts every window to the running site. External web links open in the system browser; other addresses, new windows,
 * web views and further permissions are denied. A page of the site gets the Bluetooth device that the user chooses; others get none.
 *
 * @param siteUrl address of the running site, null while none runs
 */
export const installGuards = (siteUrl: () => string | null, bluetooth: BluetoothPrompts): void => {
  const isOwnPage = (address: string): boolean => {
    const site = siteUrl();
    return site !== null && isSiteUrl(address, site);
  };
  const openOutside = (address: string) => {
    if (isExternalUrl(address)) void shell.openExternal(address);
  };
  app.on('web-contents-created', (_event, contents: WebContents) => {
    contents.on('will-navigate', (event) => {
      if (isOwnPage(event.url)) return;
      event.preventDefault();
      openOutside(event.url);
    });
    contents.on('will-redirect', (event) => {
      if (!isOwnPage(event.url)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
    // Electron has no chooser: without an answer it would give a page the first device that it finds.
    contents.on('select-bluetooth-device', (event, devices, choose) => {
      event.preventDefault();
      if (isOwnPage(contents.getURL())) bluetooth.offer(contents, devices, choose);
      else choose('');
    });
    const leave = () => bluetooth.leave(contents);
    contents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) leave();
    });
    contents.on('render-process-gone', leave);
    contents.on('destroyed', leave);
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url);
      return { action: 'deny' };
    });
  });
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) => {
    answer(PERMISSIONS.has(permission) && isOwnPage(requestingUrl));
  });
  // Windows and Linux only; macOS asks the user itself.
  session.defaultSession.setBluetoothPairingHandler((details, answer) => {
    const { frame } = details;
    const isOwn = frame !== null && !frame.parent && isOwnPage(frame.url);
    if (isOwn) bluetooth.pair(details, answer);
    else answer({ confirmed: false });
  });
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMISSIONS.has(permission) && isOwnPage(origin),
  );
};
