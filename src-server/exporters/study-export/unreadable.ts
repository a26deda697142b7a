/** Recordings that an export cannot read. */
import { OutpostError } from '../../errors.ts';
import { openSignalFile } from '../../signals/index.ts';

/** Returns why a recording cannot be read at all; undefined when it can. */
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

/** Returns the problems for a manifest: scan results contain dates, which a de-identified export must not disclose. */
export function disclosedProblems(problems: readonly string[], isDeidentified: boolean): string[] {
  return isDeidentified ? ['Some samples could not be read.'] : [...problems];
}
