/** The group and stratum of a subject after a choice, of one subject or of many. Pure. */

/** What to set: undefined keeps what the subject has, '' is none. */
export interface GroupChoice {
  groupId: string | undefined;
  stratumId: string | undefined;
}

export interface Standing {
  group?: { id: string } | undefined;
  stratum?: { id: string } | undefined;
}

/** Returns the group and stratum of a subject after the choice; '' is none. */
export const groupAfter = ({ group, stratum }: Standing, { groupId, stratumId }: GroupChoice) => ({
  groupId: groupId ?? group?.id ?? '',
  stratumId: stratumId ?? stratum?.id ?? '',
});

export function isSameGroup(standing: Standing, choice: GroupChoice): boolean {
  const next = groupAfter(standing, choice);
  return next.groupId === (standing.group?.id ?? '') && next.stratumId === (standing.stratum?.id ?? '');
}

/** Whether the choice replaces a group or stratum, which takes a reason. */
export function replacesGroup(standing: Standing, choice: GroupChoice): boolean {
  const next = groupAfter(standing, choice);
  return (
    (standing.group !== undefined && next.groupId !== standing.group.id) ||
    (standing.stratum !== undefined && next.stratumId !== standing.stratum.id)
  );
}
