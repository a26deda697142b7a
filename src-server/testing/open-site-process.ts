/**
 * Opens the site in the folder of the first argument, moves its columns and closes it, in a process that a test can kill. Ends with 1
 * where columns could not be moved.
 */
import { openSite } from '../site/folder.ts';
import { moveColumns } from '../site/move-columns.ts';

const folder = await openSite(process.argv[2]!);
const problem = await moveColumns(folder.dir, folder.store);
await folder.close();
if (problem) process.exitCode = 1;
