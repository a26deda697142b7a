/** The fleet: hubs and phones with a credential of their own. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Device, FleetItem } from '../../../src-server/api/contract/index.ts';
import { devicesQuery, fleetQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Pill } from '../../shared/kit/controls.tsx';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Icon } from '../../shared/kit/icon.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { Battery, ContactPill, Held } from './contact.tsx';
import { RevokeDialog } from './device-dialogs.tsx';
import { useDeviceName } from './device-name.ts';
import styles from './equipment.module.css';
import { SubjectLink } from './equipment-detail.tsx';
import { EquipmentLink } from './equipment-table.tsx';
import { EquipmentFrame, useMayManage } from './frame.tsx';
import { TurnedAway } from './refusals.tsx';

interface Row {
  device: Device;
  /** Its entry among the equipment; a subject's own phone has none. */
  item: FleetItem | undefined;
}

function DeviceTable({ rows }: { rows: Row[] }) {
  const { t, format } = useWords();
  const mayManage = useMayManage();
  const can = usePermissions();
  const [revoked, setRevoked] = useState<Row>();
  const nameOf = useDeviceName();
  const columns = useMemo((): Column<Row>[] => {
    const all: (Column<Row> | false)[] = [
      {
        id: 'name',
        header: t('equipment.name'),
        value: ({ device }) => nameOf(device),
        cell: ({ device, item }) => (
          <>
            {item ? (
              <EquipmentLink id={item.id} name={device.displayName} />
            ) : (
              <span title={device.serial}>{nameOf(device)}</span>
            )}
            {!device.isConnected && (
              <>
                {' '}
                <Pill tone="warn">{t('devices.notConnected')}</Pill>
              </>
            )}
          </>
        ),
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
        cell: ({ item, device }) => {
          if (item?.holder) return <SubjectLink {...item.holder} name={item.holder.subjectName} />;
          const { studyId, subjectId } = device;
          if (studyId && !can('subject.read', studyId)) return <Faint>{t('equipment.otherStudy')}</Faint>;
          if (studyId && subjectId)
            return (
              <SubjectLink
                studyId={studyId}
                subjectId={subjectId}
                name={device.subjectName ?? t('devices.itsSubject')}
              />
            );
          return <Faint>{t('devices.inClinic')}</Faint>;
        },
      },
      {
        id: 'contact',
        header: t('equipment.contact'),
        value: ({ device }) => device.lastContactTs,
        cell: ({ device, item }) => <ContactPill item={item ?? device} />,
      },
      {
        id: 'battery',
        header: t('equipment.battery'),
        isNumber: true,
        value: ({ device }) => device.batteryPercent,
        cell: ({ device }) => <Battery percent={device.batteryPercent} />,
      },
      {
        id: 'held',
        header: t('equipment.notReceived'),
        help: t('equipment.notReceivedHelp'),
        isNumber: true,
        value: ({ item }) => item?.held?.recordings,
        cell: ({ item }) => <Held held={item?.held} />,
      },
      {
        id: 'version',
        isSecondary: true,
        header: t('devices.version'),
        value: ({ device }) => device.firmwareId,
        cell: ({ device }) => device.firmwareId ?? <Faint>{t('equipment.notReported')}</Faint>,
      },
      {
        id: 'paired',
        isSecondary: true,
        header: t('devices.paired'),
        isNumber: true,
        value: ({ device }) => device.pairedTs,
        cell: ({ device }) => <span title={format.dateTime(device.pairedTs)}>{format.moment(device.pairedTs)}</span>,
      },
      mayManage && {
        id: 'action',
        header: t('equipment.action'),
        cell: (row) => (
          <Button
            small
            aria-label={t('devices.revokeTitle', { name: nameOf(row.device) })}
            onPress={() => setRevoked(row)}
          >
            {t('devices.revoke')}
          </Button>
        ),
      },
    ];
    return all.filter((column) => column !== false);
  }, [t, format, nameOf, mayManage, can]);
  return (
    <>
      <DataTable
        caption={t('equipment.devices')}
        rows={rows}
        columns={columns}
        rowId={({ device }) => device.id}
        initialSort={{ id: 'name', desc: false }}
      />
      {revoked && (
        <RevokeDialog
          device={{ ...revoked.device, displayName: nameOf(revoked.device), held: revoked.item?.held }}
          onClose={() => setRevoked(undefined)}
        />
      )}
    </>
  );
}

export function Devices() {
  const { t } = useWords();
  const { user } = useSession();
  const mayManage = useMayManage();
  const devices = useQuery(devicesQuery(user.accountId));
  const fleet = useQuery(fleetQuery(user.accountId));
  const byId = useMemo(() => new Map(fleet.data?.items.map((item) => [item.deviceId, item])), [fleet.data]);
  const count = devices.data?.size;
  const pair = mayManage && (
    <Link to="/equipment/pair" className={buttonClass('primary')}>
      <Icon name="plus" />
      {t('equipment.pair')}
    </Link>
  );
  return (
    <EquipmentFrame
      summary={count !== undefined && count > 0 && t('devices.summary', { count })}
      actions={count !== 0 && <div className={styles.actions}>{pair}</div>}
    >
      <QueryView query={devices}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="equipment" title={t('devices.emptyTitle')} help={t('devices.emptyHelp')}>
              {pair}
            </Empty>
          ) : (
            <DeviceTable rows={items.map((device) => ({ device, item: byId.get(device.id) }))} />
          )
        }
      </QueryView>
      <TurnedAway />
    </EquipmentFrame>
  );
}
