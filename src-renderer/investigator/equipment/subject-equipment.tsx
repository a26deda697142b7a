/** Equipment of one subject: what they hold, what they held before, and the uploads that are not filed yet. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Equipment } from '../../../src-server/api/contract/index.ts';
import { everHeldQuery, fleetQuery, uploadsQuery } from '../../shared/api/equipment-queries.ts';
import { useLockedStudy, usePermissions } from '../../shared/api/permissions.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { BulkArea } from '../bulk/bulk-area.tsx';
import { useCommands } from '../commands/commands.ts';
import { EquipmentBulk, useEquipmentSelection } from './bulk/selection.tsx';
import { HandOutToDialog } from './dialogs.tsx';
import styles from './equipment.module.css';
import { EquipmentTable } from './equipment-table.tsx';
import { PairLink } from './frame.tsx';
import { EquipmentLink } from './links.tsx';
import { OwnPhones } from './own-phones.tsx';
import { UploadGroups } from './uploads/upload-groups.tsx';

function FormerEquipment({ items }: { items: Equipment[] }) {
  const { t, format } = useWords();
  const columns = useMemo(
    (): Column<Equipment>[] => [
      {
        id: 'name',
        header: t('equipment.name'),
        value: (item) => item.displayName ?? item.id,
        cell: (item) => <EquipmentLink id={item.id} name={item.displayName ?? item.id} />,
      },
      {
        id: 'type',
        header: t('equipment.type'),
        value: (item) => t(`equipment.types.${item.type}`),
        cell: (item) => t(`equipment.types.${item.type}`),
      },
      {
        id: 'faults',
        header: t('equipment.faultsWhileAssigned'),
        isNumber: true,
        value: (item) => item.faults.length,
        cell: (item) =>
          item.faults.length > 0 ? format.number(item.faults.length) : <Faint>{t('equipment.noFaults')}</Faint>,
      },
    ],
    [t, format],
  );
  return (
    <section className={styles.section}>
      <h2>{t('equipment.previous')}</h2>
      <DataTable
        caption={t('equipment.previous')}
        rows={items}
        columns={columns}
        rowId={(item) => item.id}
        initialSort={{ id: 'name', desc: false }}
      />
    </section>
  );
}

function PendingUploads({ studyId, subjectId }: { studyId: string; subjectId: string }) {
  const { user } = useSession();
  const uploads = useQuery(uploadsQuery(user.accountId));
  const own = uploads.data?.items.filter((upload) => upload.studyId === studyId && upload.subjectId === subjectId);
  if (!own || own.length === 0) return null;
  return <UploadGroups uploads={own} />;
}

/** A selection is of this subject: it is not carried over to another one, whose items would count as lost. */
export function SubjectEquipment() {
  const { subjectId } = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId' });
  return <EquipmentOfSubject key={subjectId} />;
}

function EquipmentOfSubject() {
  const { t } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId' });
  const { studyId, subjectId } = params;
  const isLocked = useLockedStudy(studyId) !== undefined;
  const mayHandOut = can('equipment.assign', studyId) && !isLocked;
  const subject = useQuery(subjectQuery(studyId, subjectId)).data;
  const fleet = useQuery(fleetQuery(user.accountId));
  const everHeld = useQuery(everHeldQuery(studyId, subjectId));
  const [isHandingOut, setHandingOut] = useState(false);
  useCommands([
    {
      id: 'equipment.handOut',
      label: t('equipment.handOut'),
      scope: 'page',
      isEnabled: mayHandOut,
      run: () => setHandingOut(true),
    },
  ]);
  const items = fleet.data?.items;
  const held = useMemo(() => items?.filter(({ holder }) => holder?.subjectId === subjectId) ?? [], [items, subjectId]);
  const selection = useEquipmentSelection(held);
  const actions = mayHandOut && (
    <div className={styles.actions}>
      <Button icon="plus" onPress={() => setHandingOut(true)}>
        {t('equipment.handOut')}
      </Button>
      {can('device.pair') && can('device.pair', params.studyId) && (
        <PairLink label={t('equipment.addDevice')} subject={params} />
      )}
    </div>
  );
  return (
    <>
      <QueryView query={fleet}>
        {() => {
          const heldIds = new Set(held.map(({ id }) => id));
          const former = everHeld.data?.items.filter(({ id }) => !heldIds.has(id)) ?? [];
          return (
            <>
              <section className={styles.section}>
                <header>
                  <h2>{t('equipment.current')}</h2>
                  {held.length > 0 && actions}
                </header>
                <BulkArea>
                  {held.length > 0 ? (
                    <EquipmentTable
                      items={held}
                      caption={t('equipment.current')}
                      withHolder={false}
                      selection={selection}
                    />
                  ) : (
                    <Empty
                      icon="equipment"
                      title={t('equipment.noneAssigned')}
                      help={t(isLocked ? 'study.locked' : 'equipment.noneAssignedHelp')}
                    >
                      {actions}
                    </Empty>
                  )}
                  <EquipmentBulk selection={selection} items={held} shown={held} />
                </BulkArea>
              </section>
              {former.length > 0 && <FormerEquipment items={former} />}
            </>
          );
        }}
      </QueryView>
      <OwnPhones subjectId={subjectId} />
      {can('upload.read') && can('upload.read', params.studyId) && <PendingUploads {...params} />}
      {isHandingOut && (
        <HandOutToDialog
          studyId={studyId}
          subjectId={subjectId}
          name={subject?.displayName ?? ''}
          onClose={() => setHandingOut(false)}
        />
      )}
    </>
  );
}
