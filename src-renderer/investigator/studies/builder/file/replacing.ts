/** What a definition file would put in place of what is there. Pure. */
import type { Draft } from '../draft.ts';

export const REPLACED_PARTS = ['activities', 'diaries', 'subjectMetadataFields', 'deviceConfigs', 'program'] as const;

export interface Replacement {
  part: (typeof REPLACED_PARTS)[number];
  /** How many records there are, and how many the file has. */
  now: number;
  inFile: number;
  /** Names of those that the file lacks. */
  lost: string[];
}

/** A part as names; whatever a file holds, since nobody has checked it yet. */
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

/** Only the parts that hold something now: nothing else can be lost. */
export function replacementsOf(now: Draft, file: Partial<Draft>): Replacement[] {
  return REPLACED_PARTS.map((part) => {
    const [here, there] = [namesOf(now, part), namesOf(file, part)];
    return { part, now: here.length, inFile: there.length, lost: here.filter((name) => !there.includes(name)) };
  }).filter((one) => one.now > 0);
}
