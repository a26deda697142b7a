/** What the import of a definition file would replace. */
import type { Draft } from '../draft.ts';

export const REPLACED_PARTS = ['activities', 'diaries', 'subjectMetadataFields', 'deviceConfigs', 'program'] as const;

export interface Replacement {
  part: (typeof REPLACED_PARTS)[number];
  /** Number of records in the definition and in the file. */
  now: number;
  inFile: number;
  /** Names of the records that the file lacks. */
  lost: string[];
}

/** Returns the names of the records in a part. The document may be a file that has not been validated. */
function namesOf(document: Partial<Draft>, part: Replacement['part']): string[] {
  const records: unknown = part === 'program' ? document.program?.tasks : document[part];
  if (!Array.isArray(records)) return [];
  const taskNames = new Map(
    [...(document.activities ?? []), ...(document.diaries ?? [])].map(({ id, displayName }) => [id, displayName]),
  );
  return records.map((record) => {
    if (part === 'program') return taskNames.get(record?.taskId) ?? '';
    if (part === 'deviceConfigs') return [record?.physicalConfig?.location, record?.physicalConfig?.side].join(' ');
    return String(record?.displayName ?? '');
  });
}

/** Returns the parts that have records now; only those can lose any. */
export function replacementsOf(now: Draft, file: Partial<Draft>): Replacement[] {
  return REPLACED_PARTS.map((part) => {
    const [here, there] = [namesOf(now, part), namesOf(file, part)];
    return { part, now: here.length, inFile: there.length, lost: here.filter((name) => !there.includes(name)) };
  }).filter((one) => one.now > 0);
}
