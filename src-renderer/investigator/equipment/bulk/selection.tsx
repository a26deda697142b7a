/** Selecting equipment in a table, with the bar of what can be done to many items. */
import { lazy, Suspense, useMemo } from 'react';
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { loadWords } from '../../../shared/i18n/i18n.ts';
import { type RowSelection, useRowSelection } from '../../../shared/kit/row-selection.ts';

const Bar = lazy(async () => {
  await loadWords('bulk');
  return { default: (await import('./equipment-bulk.tsx')).EquipmentBulkBar };
});

/** Undefined for a person who may not take anything back: their table has no checkboxes. */
export function useEquipmentSelection(items: readonly FleetItem[]): RowSelection | undefined {
  const mayAct = usePermissions()('equipment.assign');
  const selection = useRowSelection(useMemo(() => items.map(({ id }) => id), [items]));
  return mayAct ? selection : undefined;
}

export function EquipmentBulk({
  selection,
  items,
  shown,
}: {
  selection: RowSelection | undefined;
  items: readonly FleetItem[];
  /** Those that the present filter shows. */
  shown: readonly FleetItem[];
}) {
  return <Suspense>{selection && <Bar selection={selection} items={items} shown={shown} />}</Suspense>;
}
