/** Equipment items as a table, with handing out and taking back. */
import { useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { DataTable } from '../../shared/kit/data-table.tsx';
import type { RowSelection } from '../../shared/kit/row-selection.ts';
import { HandOutDialog, TakeBackDialog } from './dialogs.tsx';
import { type EquipmentAction, useEquipmentColumns } from './equipment-columns.tsx';

export function EquipmentTable({
  items,
  caption,
  withHolder,
  selection,
}: {
  items: FleetItem[];
  caption: string;
  /** False on the page of the subject who holds all of them. */
  withHolder: boolean;
  selection?: RowSelection | undefined;
}) {
  const [action, setAction] = useState<EquipmentAction>();
  const columns = useEquipmentColumns(withHolder, setAction);
  const close = () => setAction(undefined);
  return (
    <>
      <DataTable
        caption={caption}
        rows={items}
        columns={columns}
        rowId={(item) => item.id}
        initialSort={{ id: 'name', desc: false }}
        selection={selection}
      />
      {action?.kind === 'handOut' && <HandOutDialog item={action.item} onClose={close} />}
      {action?.kind === 'takeBack' && action.item.holder && (
        <TakeBackDialog item={action.item} place={action.item.holder} onClose={close} />
      )}
    </>
  );
}
