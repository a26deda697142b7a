/** What an export of selected subjects begins with. Pure. */
import type { ListedSubject } from '../../../../src-server/api/contract/index.ts';

type Selected = Pick<ListedSubject, 'id' | 'studyId' | 'isTest'>;

/** Returns the selected subjects of each study that an export can hold; exports never hold test subjects. */
export function exportPreset(selected: readonly Selected[]): ReadonlyMap<string, readonly string[]> {
  const preset = new Map<string, string[]>();
  for (const { id, studyId, isTest } of selected) {
    if (!isTest) preset.set(studyId, [...(preset.get(studyId) ?? []), id]);
  }
  return preset;
}
