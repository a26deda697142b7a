/**
 * Sites of any size for measurements: `npm run bench:scale -- --make 200x365` makes one, or finds it in the cache folder, and
 * prints its path. The administrator is `admin@example.org` with the password of `testing/test-site.ts`. Copy a site before
 * anything writes to it (`copyOfSite`).
 */
import { parseArgs } from 'node:util';
import { cacheFolder, keptSite, parseSize } from '../../../src-server/testing/full-site/site-folder.ts';

const { values } = parseArgs({
  options: {
    make: { type: 'string', multiple: true },
    folder: { type: 'string', default: cacheFolder() },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
for (const size of values.make ?? []) {
  const { dir } = await keptSite(parseSize(size), values.folder, say);
  process.stdout.write(`${dir}\n`);
}
