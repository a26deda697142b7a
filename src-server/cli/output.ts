/** Output of the command: results on stdout, messages on stderr, and progress bars only on a terminal. */
import { type ErrorKind, toOutpostError } from '../errors.ts';

/** Prints a result to stdout: text, or an object as one JSON line. */
export function answer(value: string | object): void {
  process.stdout.write(typeof value === 'string' ? `${value}\n` : `${JSON.stringify(value)}\n`);
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export interface Progress {
  update(done: number, total: number, step: string): void;
  stop(): void;
}

/** Shows a progress bar on a terminal; elsewhere, one line per new step, so that logs stay readable. */
export async function startProgress(title: string): Promise<Progress> {
  if (!process.stderr.isTTY) {
    let lastStep = '';
    return {
      update: (_done, _total, step) => {
        if (step === lastStep) return;
        lastStep = step;
        say(`${title}: ${step}`);
      },
      stop: () => undefined,
    };
  }
  // Loaded here: most commands draw no bar, and each of its modules costs a start some milliseconds.
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: `${title} [{bar}] {percentage}% {step}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
  });
  bar.start(1, 0, { step: '' });
  return {
    update: (done, total, step) => {
      bar.setTotal(Math.max(total, 1));
      bar.update(Math.min(done, total), { step });
    },
    stop: () => bar.stop(),
  };
}

/** Progress of work that is rarely needed: shown from its first update on. */
export function progressOnDemand(title: string): Progress {
  let shown: Promise<Progress> | undefined;
  return {
    update: (done, total, step) => {
      shown ??= startProgress(title);
      void shown.then((progress) => progress.update(done, total, step));
    },
    stop: () => void shown?.then((progress) => progress.stop()),
  };
}

const EXIT_CODES: Partial<Record<ErrorKind, number>> = {
  invalid: 2,
  unsupported: 2,
  'too-large': 2,
  'not-found': 3,
  conflict: 4,
  unavailable: 5,
  'disk-full': 6,
  cancelled: 130,
};

export const EXIT_CODES_HELP = `Exit codes:
  0  success
  1  internal error
  2  invalid input (wrong option, damaged or unsupported file)
  3  not found
  4  not allowed in the current state
  5  site unavailable (in use, read-only, damaged, or from a newer version)
  6  disk full
  7  verify or self-test found problems, or a backup or restore is incomplete`;

export const EXIT_PROBLEMS_FOUND = 7;

/** Prints an error to stderr, and to stdout as one JSON line if `json` is set. Returns the exit code. */
export function reportFailure(thrown: unknown, json: boolean): number {
  const error = toOutpostError(thrown);
  if (json) answer({ error: error.toJSON() });
  say(`outpost: ${error.message} (${error.code})`);
  for (const field of error.errors ?? []) say(`  ${field.path}: ${field.message}`);
  if (process.env.OUTPOST_DEBUG && error.cause instanceof Error) say(String(error.cause.stack));
  return EXIT_CODES[error.kind] ?? 1;
}

/** `734 B`, `12.4 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** `3 h 05 min`, `12 min`, `8 s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
