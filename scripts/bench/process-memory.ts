/** Memory of a process from `/proc` (Linux only). */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;

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

  /** Peak since {@link resetPeak}. The kernel tracks it, so no spike is missed between two readings. */
  get peakBytes(): number {
    return 1024 * this.#field('VmHWM');
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.#pid}/clear_refs`, '5');
  }

  /** Resolves when the process has no more threads than at construction; idle worker threads exit after a while. */
  async untilThreadsEnd(): Promise<void> {
    while (this.#field('Threads') > this.#threads) await sleep(POLL_MS);
  }

  #field(name: string): number {
    const status = readFileSync(`/proc/${this.#pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  }
}

/** Returns the child processes of a process, such as the analytics process of a site. */
export function childPids(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}
