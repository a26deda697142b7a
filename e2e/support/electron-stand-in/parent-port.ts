/** Loaded first in a stand-in utility process: turns the channel of `child_process.fork` into `process.parentPort`. */
import { EventEmitter } from 'node:events';

class ParentPort extends EventEmitter {
  readonly #send = process.send?.bind(process);

  constructor() {
    super();
    process.on('message', (data) => this.emit('message', { data, ports: [] }));
  }

  postMessage(message: unknown): void {
    this.#send?.(message);
  }
}

Object.defineProperty(process, 'parentPort', { value: new ParentPort() });
process.send = undefined;
// A utility process ends with its application.
process.on('disconnect', () => process.exit(0));
