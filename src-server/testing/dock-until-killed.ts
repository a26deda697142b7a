/**
 * Opens the site in the folder of the first argument and takes what the drive of the second one holds, in a process that a test can kill.
 * Prints how much is copied.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Docks } from '../docks/docks.ts';
import { startEngine } from '../site/engine.ts';
import { openSite } from '../site/folder.ts';

const [dir = '', drive = '', nowMs = ''] = process.argv.slice(2);
const clock = () => Number(nowMs);
const folder = await openSite(dir, { clock });
const engine = await startEngine(folder);
const docks = new Docks({
  ...{ store: folder.store, jobs: engine.jobs, siteDir: folder.dir, inboxDir: folder.inboxDir },
  ...{ signalsDir: folder.signalsDir, disk: folder.disk, clock, mounts: async () => [{ path: drive }] },
  recognise: (task) => engine.workers.run('recogniseFile', task),
  onProblem: (problem) => process.stderr.write(`${problem}\n`),
  intervalMs: 50,
});
await docks.start();
for (;;) {
  await sleep(5);
  const [row] = await folder.store.transfers.inStates(['COPYING', 'IMPORTING', 'STORED']);
  if (row) process.stdout.write(`${row.state} ${docks.drives.length}\n`);
}
