/** Memory of a process by `/proc`, which only Linux has. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 100;

export class ProcessMemory {
  readonly #pid: number;
  readonly #threads: number;

  constructor(pid: number) {
    this.#pid = pid;
    this.#threads = this.#field('Threads');
  }

  get residentBytes(): number {
    return 1024 * this.#field('VmRSS');
  }

  /** Most since {@link forgetPeak}; the kernel keeps it, so nothing falls between two looks. */
  get peakBytes(): number {
    return 1024 * this.#field('VmHWM');
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.#pid}/clear_refs`, '5');
  }

  /** Resolves once there are no more threads than when this was made: those of idle workers end by themselves. */
  async untilThreadsEnd(): Promise<void> {
    while (this.#field('Threads') > this.#threads) await sleep(LOOK_EVERY_MS);
  }

  #field(name: string): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  }
}

/** Processes that a process has started, such as the analytics of a site. */
export function childPids(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}
