import { app, session, shell, type WebContents } from 'electron';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';

/** Permissions of site pages. All others are denied. */
const PERMISSIONS = new Set(['clipboard-sanitized-write', 'fullscreen']);

/**
 * Restricts every window to the running site. External web links open in the system browser; other addresses, new windows,
 * web views, Bluetooth devices and further permissions are denied.
 *
 * @param siteUrl address of the running site, null while none runs
 */
export const installGuards = (siteUrl: () => string | null): void => {
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
    contents.on('select-bluetooth-device', (event, _devices, choose) => {
      event.preventDefault();
      choose('');
    });
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url);
      return { action: 'deny' };
    });
  });
  session.defaultSession.setPermissionRequestHandler((_contents, permission, answer, { requestingUrl }) => {
    answer(PERMISSIONS.has(permission) && isOwnPage(requestingUrl));
  });
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMISSIONS.has(permission) && isOwnPage(origin),
  );
};
