/** Columns of the table of paired devices. */
import { useMemo } from 'react';
import type { Device, FleetItem } from '../../../src-server/api/contract/index.ts';
import { type Permissions, usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { type Column, Faint } from '../../shared/kit/data-table.tsx';
import { firmwareColumn, stateColumns, timeCell } from './columns.tsx';
import { useDeviceName } from './device-names.ts';
import { useMayManage } from './frame.tsx';
import { EquipmentLink, SubjectLink } from './links.tsx';

export interface DeviceRow {
  device: Device;
  /** Its fleet entry. A subject's own phone has none. */
  item: FleetItem | undefined;
}

/** Who has the device: a subject, a subject of a study that the reader may not see, or the clinic. */
function Holder({ row: { device, item }, can }: { row: DeviceRow; can: Permissions }) {
  const { t } = useWords();
  if (item?.holder) return <SubjectLink {...item.holder} name={item.holder.subjectName} />;
  const { studyId, subjectId } = device;
  if (studyId && !can('subject.read', studyId)) return <Faint>{t('equipment.otherStudy')}</Faint>;
  if (studyId && subjectId)
    return <SubjectLink studyId={studyId} subjectId={subjectId} name={device.subjectName ?? t('devices.itsSubject')} />;
  return <Faint>{t('devices.inClinic')}</Faint>;
}

function DeviceName({ row: { device, item }, name }: { row: DeviceRow; name: string }) {
  const { t } = useWords();
  return (
    <>
      {item ? <EquipmentLink id={item.id} name={device.displayName} /> : <span title={device.serial}>{name}</span>}
      {!device.isConnected && (
        <>
          {' '}
          <Pill tone="warn">{t('devices.notConnected')}</Pill>
        </>
      )}
    </>
  );
}

export function useDeviceColumns(onRevoke: (row: DeviceRow) => void): Column<DeviceRow>[] {
  const words = useWords();
  const mayManage = useMayManage();
  const can = usePermissions();
  const nameOf = useDeviceName();
  return useMemo(() => {
    const { t } = words;
    const revokeColumn: Column<DeviceRow> = {
      id: 'action',
      header: t('equipment.action'),
      cell: (row) => (
        <Button small aria-label={t('devices.revokeTitle', { name: nameOf(row.device) })} onPress={() => onRevoke(row)}>
          {t('devices.revoke')}
        </Button>
      ),
    };
    return [
      {
        id: 'name',
        header: t('equipment.name'),
        value: ({ device }) => nameOf(device),
        cell: (row) => <DeviceName row={row} name={nameOf(row.device)} />,
      },
      {
        id: 'kind',
        header: t('equipment.type'),
        value: ({ device }) => device.kind,
        cell: ({ device, item }) => t(item ? `devices.kinds.${device.kind}` : 'devices.ownPhone'),
      },
      {
        id: 'holder',
        header: t('equipment.assignedTo'),
        value: ({ item, device }) => item?.holder?.subjectName ?? device.subjectName,
        cell: (row) => <Holder row={row} can={can} />,
      },
      ...stateColumns<DeviceRow>(
        words,
        ({ device, item }) => item ?? device,
        ({ device }) => device.batteryPercent,
        ({ item }) => item?.held,
      ),
      firmwareColumn<DeviceRow>(words, 'version', t('devices.version'), ({ device }) => device.firmwareId),
      {
        id: 'paired',
        isSecondary: true,
        header: t('devices.paired'),
        isNumber: true,
        value: ({ device }) => device.pairedTs,
        cell: ({ device }) => timeCell(words, device.pairedTs),
      },
      ...(mayManage ? [revokeColumn] : []),
    ];
  }, [words, nameOf, mayManage, can, onRevoke]);
}
