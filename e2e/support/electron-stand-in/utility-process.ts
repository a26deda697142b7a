import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';

const parentPort = new URL('./parent-port.ts', import.meta.url).href;

class UtilityProcess extends EventEmitter {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    super();
    this.#child = child;
    child.on('spawn', () => this.emit('spawn'));
    child.on('message', (message) => this.emit('message', message));
    child.on('exit', (code, signal) => this.emit('exit', code ?? (signal ? 1 : 0)));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  postMessage(message: object): void {
    if (this.#child.connected) this.#child.send(message);
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM');
  }
}

export const utilityProcess = {
  /** A Node child that sees its parent as a utility process does: through `process.parentPort` alone. */
  fork(path: string, args: string[] = [], _options: object = {}): UtilityProcess {
    return new UtilityProcess(
      fork(path, args, {
        serialization: 'advanced',
        execArgv: ['--import', parentPort],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
  },
};
