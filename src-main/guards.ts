import { app, session, shell, type WebContents } from 'electron';
import { isExternalUrl, isSiteUrl } from './trusted-url.ts';

/** What a page of the site may use without asking; everything else is denied. */
const PERMISSIONS = new Set(['clipboard-sanitized-write', 'fullscreen']);

/**
 * Keeps every window on the running site: other addresses are refused, or handed to the system's browser when they are
 * proper web links; no page gets a new window, a web view or a permission beyond the few above.
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
    contents.setWindowOpenHandler(({ url }) => {
      openOutside(url);
      return { action: 'deny' };
    });
  });
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) => {
    answer(PERMISSIONS.has(permission) && isOwnPage(contents.getURL()));
  });
  session.defaultSession.setPermissionCheckHandler(
    (_contents, permission, origin) => PERMISSIONS.has(permission) && isOwnPage(origin),
  );
};
