/** Analysis runs: what state a run and each of its subjects is in, and what stands against adopting it. Pure. */
import { OutpostError } from '../errors.ts';
import type { RUN_STATES, RUN_SUBJECT_STATES } from '../vocabulary/analysis-runs.ts';
import type { JobState } from './jobs.ts';

export type RunSubjectState = (typeof RUN_SUBJECT_STATES)[number];
export type RunState = (typeof RUN_STATES)[number];

export interface RunSubject {
  /** Of the data that the stored results are of. */
  dataHash?: string | undefined;
  /** Whether that data changed since. */
  isChanged: boolean;
  jobState?: JobState | undefined;
}

export function subjectStateOf({ dataHash, isChanged, jobState }: RunSubject): RunSubjectState {
  if (jobState === 'queued') return 'WAITING';
  if (jobState === 'running') return 'RUNNING';
  if (dataHash !== undefined && !isChanged) return 'DONE';
  if (jobState === 'cancelled') return 'CANCELLED';
  if (jobState === 'failed' || jobState === 'parked') return 'FAILED';
  return 'OUTDATED';
}

/** @param missing subjects with recordings that a run of the whole study does not have yet */
export function runStateOf(
  run: { cancelledTs?: number | undefined; adoptedTs?: number | undefined; replacedBy?: string | undefined },
  states: readonly RunSubjectState[],
  missing = 0,
): RunState {
  if (run.adoptedTs !== undefined) return 'ADOPTED';
  const isCancelled = run.cancelledTs !== undefined;
  if (!isCancelled && states.some((state) => state === 'WAITING' || state === 'RUNNING')) return 'RUNNING';
  if (run.replacedBy !== undefined) return 'REPLACED';
  if (isCancelled) return 'CANCELLED';
  if (states.includes('FAILED') || states.includes('CANCELLED')) return 'FAILED';
  return missing > 0 || states.includes('OUTDATED') ? 'OUTDATED' : 'READY';
}

/** The name of the results that a run replaces; unlike all that the study has. */
export function nameBefore(name: string, taken: ReadonlySet<string>, mostCharacters: number): string {
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : ` (${number})`;
    const wanted = `Before ${name}`.slice(0, mostCharacters - end.length) + end;
    if (!taken.has(wanted)) return wanted;
  }
}

export const MOST_NAME_CHARACTERS = 100;

/** The program cannot compute what is asked for: a version is part of the program. */
export function versionNotAvailable(version: string, available: string): OutpostError {
  return new OutpostError(
    'VERSION_NOT_AVAILABLE',
    `This program analyses with version ${available} of the algorithms, not with version ${version}. Install the program that has version ${version}, or use version ${available}.`,
    { details: { version, available } },
  );
}

/** The study is pinned to a version that the program does not have, so its data waits. */
export function waitsForVersion(version: string, available: string): OutpostError {
  return new OutpostError(
    'VERSION_NOT_AVAILABLE',
    `The study is pinned to version ${version} of the algorithms, and this program has version ${available}, so its new data waits. Adopt an analysis run with version ${available}, which moves the pin, or install the program that has version ${version}.`,
    { details: { version, available } },
  );
}
