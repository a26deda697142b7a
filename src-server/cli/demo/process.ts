/**
 * The demo as a process of its own, for the desktop program: makes a demo site in the folder of its first argument and
 * tells how to sign in to it. Entry of the build beside the entries it needs.
 */
import { demo } from '../demo.ts';
import { DEMO_EMAIL, DEMO_PASSWORD } from './scenario.ts';

/** Electron gives it to utility processes. */
const { parentPort } = process as unknown as { parentPort: { postMessage(message: object): void } };

const entryOf = (name: string) => new URL(`./${name}.js`, import.meta.url);

await demo({
  data: process.argv[2],
  port: 0,
  subjects: 3,
  days: 1,
  seed: 1,
  once: true,
  json: false,
  entries: { analytics: entryOf('analytics'), worker: entryOf('worker'), simulate: entryOf('simulate') },
});
parentPort.postMessage({ email: DEMO_EMAIL, password: DEMO_PASSWORD });
// The message must be on its way before the end.
setImmediate(() => process.exit(0));
