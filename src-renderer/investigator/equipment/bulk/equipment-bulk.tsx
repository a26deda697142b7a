/**
 * The actions on many items of equipment. Handing out stays single, because each item goes to a subject of its own; revoking a hub or phone
 * does on purpose, because what it still holds may be lost.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../../../../src-server/api/contract/client-core.ts';
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { type Permissions, usePermissions } from '../../../shared/api/permissions.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import type { RowSelection } from '../../../shared/kit/row-selection.ts';
import { type BulkAction, BulkBar } from '../../bulk/bulk-bar.tsx';
import { BulkDialog } from '../../bulk/bulk-dialog.tsx';
import styles from '../equipment.module.css';
import { printedIds, takeBackRefusal } from './rules.ts';

const TOPICS = ['equipment', 'device', 'upload', 'transfer', 'subject'];

function TakeBackMany({
  items,
  now,
  can,
  onDone,
  onClose,
}: {
  /** As they were when the dialog opened. */
  items: readonly FleetItem[];
  /** As they are now; undefined for one that left the list. */
  now: (id: string) => FleetItem | undefined;
  can: Permissions;
  onDone: (id: string) => void;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const rows = items.map((item) => {
    const refusal = takeBackRefusal(item, now(item.id), can);
    const name = item.holder
      ? t('bulk.takeBack.row', { name: item.displayName, subject: item.holder.subjectName })
      : item.displayName;
    return { id: item.id, name, refusal: refusal && t(`bulk.refusal.${refusal}`) };
  });
  const held = items.flatMap((item) => (item.held && item.held.recordings > 0 ? [item.held] : []));
  const act = async (id: string) => {
    // From the subject that the person confirmed, even if another one holds it by now.
    const { holder } = items.find((item) => item.id === id)!;
    if (!holder) return t('bulk.refusal.notHandedOut');
    const { studyId, subjectId, subjectName } = holder;
    try {
      await client.call('unassignEquipment', { params: { studyId, subjectId, equipmentId: id } });
      return undefined;
    } catch (error) {
      // The subject does not hold it: an earlier request arrived although its answer was lost, or somebody else took it back.
      if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
      void queries.invalidateQueries({ queryKey: ['equipment'] });
      return t('bulk.takeBack.notHeld', { subject: subjectName });
    }
  };
  return (
    <BulkDialog
      kind="equipment.takeBack"
      title={t('bulk.takeBack.title')}
      submitLabel={(count) => t('bulk.takeBack.submit', { count })}
      rows={rows}
      act={act}
      topics={TOPICS}
      onDone={onDone}
      onClose={onClose}
    >
      {() => (
        <ul className={styles.effect}>
          <li>{t('bulk.takeBack.past')}</li>
          <li>{t('equipment.takeBackLater')}</li>
          {held.length > 0 && (
            <li>
              {t('bulk.takeBack.pending', {
                count: held.length,
                recordings: format.number(held.reduce((sum, { recordings }) => sum + recordings, 0)),
                size: format.bytes(held.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)),
              })}
            </li>
          )}
        </ul>
      )}
    </BulkDialog>
  );
}

export function EquipmentBulkBar({
  selection,
  items,
  shown,
}: {
  selection: RowSelection;
  items: readonly FleetItem[];
  shown: readonly FleetItem[];
}) {
  const { t } = useWords();
  const can = usePermissions();
  const navigate = useNavigate();
  const [open, setOpen] = useState<readonly FleetItem[]>();
  const selected = items.filter(({ id }) => selection.ids.has(id));
  const holders = selected.flatMap(({ holder }) => (holder ? [holder] : []));
  const mayTakeBack = holders.length > 0 && holders.every(({ studyId }) => can('equipment.assign', studyId));
  const printed = printedIds(selected.map(({ id }) => id));
  const takeBack: BulkAction = {
    id: 'equipment.takeBack',
    label: t('bulk.takeBack.action'),
    icon: 'left',
    run: () => setOpen(selected),
  };
  const actions: BulkAction[] = [
    ...(mayTakeBack ? [takeBack] : []),
    ...(printed === undefined
      ? []
      : [
          {
            id: 'equipment.print',
            label: t('bulk.print'),
            icon: 'page' as const,
            run: () => void navigate({ to: '/print/equipment', search: { items: printed } }),
          },
        ]),
  ];
  const byId = new Map(items.map((item) => [item.id, item]));
  return (
    <>
      <BulkBar
        selection={selection}
        known={items.map(({ id }) => id)}
        shown={shown.map(({ id }) => id)}
        count={(count) => t('bulk.selected.equipment', { count })}
        hint={holders.length > 0 && !mayTakeBack && t('bulk.leftOut')}
        actions={actions}
        kinds={{ 'equipment.takeBack': takeBack.label }}
        isBusy={open !== undefined}
      />
      {open && (
        <TakeBackMany
          items={open}
          now={(id) => byId.get(id)}
          can={can}
          onDone={(id) => selection.remove([id])}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
