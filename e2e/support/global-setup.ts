import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestSite } from './desk.ts';
import { removeFolder } from './remove-folder.ts';
import { makeDemoSite, serveSite } from './sites.ts';

/** Makes one demo site for the whole run and serves it; the address goes to the workers by their environment. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-e2e-'));
  try {
    const demo = await makeDemoSite(join(folder, 'site'));
    const desktopDir = join(folder, 'desktop-site');
    const pristineDir = join(folder, 'pristine-site');
    for (const copy of [desktopDir, pristineDir]) await cp(demo.dir, copy, { recursive: true });
    const served = await serveSite(demo.dir);
    process.env.OUTPOST_E2E_SITE = JSON.stringify({
      ...demo,
      url: served.url,
      desktopDir,
      pristineDir,
    } satisfies TestSite);
    return async () => {
      await served.stop();
      await removeFolder(folder);
    };
  } catch (thrown) {
    await removeFolder(folder);
    throw thrown;
  }
}
