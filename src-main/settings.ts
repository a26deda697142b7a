import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';

/** Settings of the desktop program, stored in the user's own folder, not in the site. */
export interface DesktopSettings {
  siteDir?: string;
}

/** Reads the settings. An unreadable file counts as empty. */
export const readSettings = (path: string): DesktopSettings => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const siteDir = (value as DesktopSettings | null)?.siteDir;
    return typeof siteDir === 'string' && siteDir !== '' ? { siteDir } : {};
  } catch {
    return {};
  }
};

export const writeSettings = async (path: string, settings: DesktopSettings): Promise<void> => {
  await writeFile(`${path}.new`, JSON.stringify(settings));
  await rename(`${path}.new`, path);
};
