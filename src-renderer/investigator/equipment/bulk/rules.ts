/** Which equipment an action on many cannot change, by the same rules as the action on one. Pure. */
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import type { Permissions } from '../../../shared/api/permission-check.ts';

type Item = Pick<FleetItem, 'state' | 'holder'>;

/**
 * @param confirmed the item as it was when the person chose the action
 * @param now as it is in the list now; undefined where it left the list
 */
export function takeBackRefusal(
  confirmed: Item,
  now: Item | undefined,
  can: Permissions,
): 'gone' | 'notHandedOut' | 'otherStudy' | 'otherHolder' | undefined {
  if (!now) return 'gone';
  if (now.state === 'UNASSIGNED') return 'notHandedOut';
  // Held in a study that the person does not see.
  if (!now.holder || !can('equipment.assign', now.holder.studyId)) return 'otherStudy';
  return confirmed.holder?.subjectId === now.holder.subjectId ? undefined : 'otherHolder';
}

/** Addresses that servers and browsers take. */
const LONGEST_LIST = 4_000;
const SEPARATOR = ',';

/** Returns the ids as one text for the address of a printed list; undefined where they are too many for an address. */
export function printedIds(ids: readonly string[]): string | undefined {
  const text = ids.map(encodeURIComponent).join(SEPARATOR);
  return text.length > 0 && text.length <= LONGEST_LIST ? text : undefined;
}

/** Returns the items of {@link printedIds}. */
export function printedItems<Item extends { id: string }>(items: readonly Item[], printed: string): Item[] {
  const ids = new Set(printed.split(SEPARATOR));
  return items.filter(({ id }) => ids.has(encodeURIComponent(id)));
}
