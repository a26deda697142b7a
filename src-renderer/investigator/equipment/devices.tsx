/** Paired devices of the site: hubs and phones that have a credential of their own. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { devicesQuery, fleetQuery } from '../../shared/api/equipment-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { DataTable } from '../../shared/kit/data-table.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { type DeviceRow, useDeviceColumns } from './device-columns.tsx';
import { RevokeDialog } from './device-dialogs.tsx';
import { useDeviceName } from './device-names.ts';
import styles from './equipment.module.css';
import { EquipmentFrame, PairLink, useMayManage } from './frame.tsx';
import { RefusalTable } from './refusals.tsx';
import { isOwnPhone, RevokePhoneDialog } from './revoke-phone.tsx';

function DeviceTable({ rows }: { rows: DeviceRow[] }) {
  const { t } = useWords();
  const [revoked, setRevoked] = useState<DeviceRow>();
  const nameOf = useDeviceName();
  const columns = useDeviceColumns(setRevoked);
  return (
    <>
      <DataTable
        caption={t('equipment.devices')}
        rows={rows}
        columns={columns}
        rowId={({ device }) => device.id}
        initialSort={{ id: 'name', desc: false }}
      />
      {revoked && isOwnPhone(revoked.device) && (
        <RevokePhoneDialog
          phone={{ ...revoked.device, displayName: nameOf(revoked.device) }}
          onClose={() => setRevoked(undefined)}
        />
      )}
      {revoked && !isOwnPhone(revoked.device) && (
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
  const fleetByDevice = useMemo(() => new Map(fleet.data?.items.map((item) => [item.deviceId, item])), [fleet.data]);
  const count = devices.data?.size;
  const pair = mayManage && <PairLink label={t('equipment.pair')} />;
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
            <DeviceTable rows={items.map((device) => ({ device, item: fleetByDevice.get(device.id) }))} />
          )
        }
      </QueryView>
      <RefusalTable />
    </EquipmentFrame>
  );
}
