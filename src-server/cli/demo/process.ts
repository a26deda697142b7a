/**
 * Entry point of the demo process of the desktop program: creates a demo site in the folder given as the first argument, and
 * posts its credentials to the parent.
 */
import { demo } from '../demo.ts';
import { DEMO_EMAIL, DEMO_PASSWORD } from './scenario.ts';

/** Provided by Electron in utility processes. */
const { parentPort } = process as { parentPort?: { postMessage(message: object): void } };
if (!parentPort) throw new Error('The demo process must be started by the desktop program.');

await demo({
  data: process.argv[2],
  port: 0,
  subjects: 3,
  days: 1,
  seed: 1,
  once: true,
  json: false,
});
parentPort.postMessage({ email: DEMO_EMAIL, password: DEMO_PASSWORD });
// Exit only after the message has been sent.
setImmediate(() => process.exit(0));
