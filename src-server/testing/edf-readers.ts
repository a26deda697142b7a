/**
 * EDF files as foreign readers see them: EDFlib (through a few lines of C) and MNE. Both come from Debian packages
 * (`libedf-dev` with gcc, `python3-mne`), which `.ci/run` installs.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PYTHON = '/usr/bin/python3';
const HEADER = '/usr/include/edflib.h';

interface ReadAnnotation {
  /** Seconds after the first sample. */
  onset: number;
  text: string;
}

export interface EdflibFile {
  error?: number;
  fileType: number;
  start: string;
  /** Units of 100 ns, as all times of EDFlib. */
  startSubsecond: number;
  recordDuration: number;
  records: number;
  patientCode: string;
  sex: string;
  equipment: string;
  additional: string;
  signals: {
    label: string;
    unit: string;
    samples: number;
    samplesPerRecord: number;
    /** Digital and physical value at each index asked for. */
    at: ([number, number] | null)[];
  }[];
  annotations: (ReadAnnotation & { duration: string })[];
}

export interface MneFile {
  rate: number;
  start: string;
  channels: string[];
  samples: number;
  at: number[][];
  annotations: (ReadAnnotation & { duration: number })[];
}

function runs(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Names missing readers; throws in CI, which must have installed them. */
export function missingEdfReaders(): string[] {
  const missing = [
    ...(existsSync(HEADER) ? [] : ['libedf-dev']),
    ...(runs('gcc', '--version') ? [] : ['gcc']),
    ...(runs(PYTHON, '-c', 'import mne') ? [] : ['python3-mne']),
  ];
  if (missing.length > 0 && process.env.CI === 'true' && process.getuid?.() === 0) {
    throw new Error(`The foreign EDF readers are not installed: ${missing.join(', ')}. See .ci/run.`);
  }
  return missing;
}

/** Compiles the reader into `folder`; returns a function that opens a file with it. */
export function edflibReader(folder: string): (path: string, indexes?: readonly number[]) => EdflibFile {
  const program = join(folder, 'edflib-dump');
  execFileSync('gcc', ['-O1', '-o', program, join(import.meta.dirname, 'edflib-dump.c'), '-ledf']);
  return (path, indexes = []) => {
    const json = execFileSync(program, [path, ...indexes.map(String)], { encoding: 'utf8', maxBuffer: 1 << 28 });
    return JSON.parse(json) as EdflibFile;
  };
}

export function readWithMne(path: string, indexes: readonly number[] = []): MneFile {
  const script = join(import.meta.dirname, 'mne-dump.py');
  const json = execFileSync(PYTHON, [script, path, ...indexes.map(String)], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(json) as MneFile;
}
