/** Reads the event-loop delays of a process that loaded `loop-delay-hook.ts`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopDelay } from './loop-delay-hook.ts';

export const LOOP_DELAY_HOOK = join(import.meta.dirname, 'loop-delay-hook.ts');

export class LoopMeter {
  readonly #pid: number;
  readonly #file: string;
  #turn = 0;

  constructor(pid: number, file: string) {
    this.#pid = pid;
    this.#file = file;
  }

  /** Returns the delays since the previous reading. */
  async read(): Promise<LoopDelay> {
    this.#turn++;
    process.kill(this.#pid, 'SIGUSR2');
    for (;;) {
      await sleep(5);
      const text = await readFile(this.#file, 'utf8').catch(() => '{}');
      const delay = JSON.parse(text) as Partial<LoopDelay>;
      if (delay.turn === this.#turn) return delay as LoopDelay;
    }
  }
}
