/** Recordings that an export has to go without. */
import { OutpostError } from '../../errors.ts';
import { openSignalFile } from '../../signals/index.ts';

/** Why a recording cannot be read at all; undefined when it can. */
export async function unreadable(path: string): Promise<string | undefined> {
  try {
    await (await openSignalFile(path)).close();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof OutpostError)) throw thrown;
    if (thrown.code === 'NOT_FOUND') return 'The stored file is missing.';
    if (thrown.code === 'SIGNAL_FILE_DAMAGED') return 'The stored file is damaged beyond reading.';
    throw thrown;
  }
}

/** What is told of damage in a manifest: the sentences of a scan name days, which a de-identified export must not. */
export function toldProblems(problems: readonly string[], isDeidentified: boolean): string[] {
  return isDeidentified ? ['Some samples could not be read.'] : [...problems];
}
