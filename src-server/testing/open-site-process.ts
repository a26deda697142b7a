/** Opens and closes the site in the folder of the first argument, in a process that a test can kill. */
import { openSite } from '../site/folder.ts';

const folder = await openSite(process.argv[2]!);
await folder.close();
