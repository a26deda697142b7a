/** Whether a site can be opened, and if not, why: as the program that opens it would say it. */
import { type ErrorCodeName, toOutpostError } from '../../errors.ts';
import { openSite } from '../folder.ts';

export interface SiteState {
  /** Absent when the site opens. */
  code?: ErrorCodeName;
  message?: string;
  /** What of the site is damaged, where that is not the database. */
  part?: 'site-file' | 'lock';
}

/** Opens the site and closes it again. What an opening settles after a crash is settled then. */
export async function siteState(dir: string): Promise<SiteState> {
  try {
    const folder = await openSite(dir);
    await folder.close();
    return {};
  } catch (thrown) {
    const { code, message, details } = toOutpostError(thrown);
    const part = details?.part;
    return { code, message, ...((part === 'site-file' || part === 'lock') && { part }) };
  }
}
