import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { FleetItem } from '../../../src-server/api/contract/index.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Battery, ContactPill, FaultCounts, Held, isMalfunction } from './contact.tsx';
import { HandOutDialog, TakeBackDialog } from './dialogs.tsx';

export function EquipmentLink({ id, name }: { id: string; name: string }) {
  return (
    <>
      <Link to="/equipment/$equipmentId" params={{ equipmentId: id }}>
        {name}
      </Link>{' '}
      {name !== id && <Faint>{id}</Faint>}
    </>
  );
}

/** Pieces of equipment with what can be done with each. */
export function EquipmentTable({
  items,
  caption,
  withHolder,
}: {
  items: FleetItem[];
  caption: string;
  /** False on the page of the one who holds them all. */
  withHolder: boolean;
}) {
  const { t, format } = useWords();
  const can = usePermissions();
  const mayHandOut = can('equipment.assign');
  const [asked, setAsked] = useState<{ kind: 'handOut' | 'takeBack'; item: FleetItem }>();
  const columns = useMemo((): Column<FleetItem>[] => {
    const all: (Column<FleetItem> | false)[] = [
      {
        id: 'name',
        header: t('equipment.name'),
        value: (item) => item.displayName,
        cell: (item) => <EquipmentLink id={item.id} name={item.displayName} />,
      },
      {
        id: 'type',
        header: t('equipment.type'),
        value: (item) => t(`equipment.types.${item.type}`),
        cell: (item) => t(`equipment.types.${item.type}`),
      },
      withHolder && {
        id: 'holder',
        header: t('equipment.assignedTo'),
        value: (item) => item.holder?.subjectName ?? (item.state === 'ASSIGNED' ? '~' : undefined),
        cell: ({ holder, state }) => {
          if (!holder)
            return <Faint>{t(state === 'ASSIGNED' ? 'equipment.otherStudy' : 'equipment.unassigned')}</Faint>;
          const { studyId, subjectId } = holder;
          return (
            <>
              <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId }}>
                {holder.subjectName}
              </Link>{' '}
              <Faint isSecondary help={t('equipment.since', { time: format.dateTime(holder.sinceTs) })}>
                {holder.studyName}
              </Faint>
            </>
          );
        },
      },
      !withHolder && {
        id: 'since',
        header: t('equipment.assignedSince'),
        isNumber: true,
        value: (item) => item.holder?.sinceTs,
        cell: ({ holder }) =>
          holder && <span title={format.dateTime(holder.sinceTs)}>{format.moment(holder.sinceTs)}</span>,
      },
      {
        id: 'contact',
        header: t('equipment.contact'),
        value: (item) => item.lastContactTs,
        cell: (item) => <ContactPill item={item} />,
      },
      {
        id: 'battery',
        header: t('equipment.battery'),
        isNumber: true,
        value: (item) => item.batteryPercent,
        cell: (item) => <Battery percent={item.batteryPercent} />,
      },
      {
        id: 'held',
        header: t('equipment.notReceived'),
        help: t('equipment.notReceivedHelp'),
        isNumber: true,
        value: (item) => item.held?.recordings,
        cell: (item) => <Held held={item.held} />,
      },
      {
        id: 'faults',
        isSecondary: true,
        header: t('equipment.faults'),
        value: (item) =>
          item.faultCounts.reduce((sum, fault) => sum + fault.count * (isMalfunction(fault.faultClass) ? 1e6 : 1), 0),
        cell: (item) => <FaultCounts item={item} />,
      },
      {
        id: 'firmware',
        isSecondary: true,
        header: t('equipment.firmware'),
        value: (item) => item.firmwareId,
        cell: (item) => item.firmwareId ?? <Faint>{t('equipment.notReported')}</Faint>,
      },
      mayHandOut && {
        id: 'action',
        header: t('equipment.action'),
        cell: (item) => {
          if (item.state === 'UNASSIGNED')
            return (
              <Button
                small
                aria-label={t('equipment.handOutTitle', { name: item.displayName })}
                onPress={() => setAsked({ kind: 'handOut', item })}
              >
                {t('equipment.handOut')}
              </Button>
            );
          const { holder } = item;
          if (!holder || !can('equipment.assign', holder.studyId)) return '';
          return (
            <Button
              small
              aria-label={t('equipment.takeBackTitle', { name: item.displayName, subject: holder.subjectName })}
              onPress={() => setAsked({ kind: 'takeBack', item })}
            >
              {t('equipment.takeBack')}
            </Button>
          );
        },
      },
    ];
    return all.filter((column) => column !== false);
  }, [t, format, can, mayHandOut, withHolder]);

  const close = () => setAsked(undefined);
  return (
    <>
      <DataTable
        caption={caption}
        rows={items}
        columns={columns}
        rowId={(item) => item.id}
        initialSort={{ id: 'name', desc: false }}
      />
      {asked?.kind === 'handOut' && <HandOutDialog item={asked.item} onClose={close} />}
      {asked?.kind === 'takeBack' && asked.item.holder && (
        <TakeBackDialog item={asked.item} place={asked.item.holder} onClose={close} />
      )}
    </>
  );
}
