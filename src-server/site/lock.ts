/** The lock of a site folder, which ensures that only one process opens a site. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type HeldLock, takeFileLock } from '../db/file-lock.ts';
import { OutpostError } from '../errors.ts';
import { LOCK_FILE } from '../integrity/site-file.ts';

/**
 * Takes the site's lock for this process.
 * @throws SITE_LOCKED when another process holds it; the error names that process.
 */
export function lockSite(dir: string): HeldLock {
  const outcome = takeFileLock(join(dir, LOCK_FILE), { pid: process.pid, host: hostname(), sinceTs: Date.now() });
  if ('lock' in outcome) return outcome.lock;
  const owner = outcome.heldBy;
  const who = owner
    ? `process ${owner.pid} on ${owner.host}, since ${new Date(owner.sinceTs).toISOString()}`
    : 'another process';
  // The file server of a shared folder keeps the locks of a computer that vanished, until it notices.
  const elsewhere =
    owner && owner.host !== hostname()
      ? ' If that computer was switched off or lost the network, wait until the file server releases its lock, a few minutes, and try again.'
      : '';
  throw new OutpostError(
    'SITE_LOCKED',
    `The site in ${dir} is in use by ${who}. Close it there, or use the site through its address.${elsewhere}`,
    { details: owner ? { pid: owner.pid, host: owner.host } : undefined },
  );
}
