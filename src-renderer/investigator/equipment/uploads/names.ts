import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import { devicesQuery, fleetQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useDeviceName } from '../device-name.ts';

/** What the serial numbers of uploads stand for: a subject's own phone has a name but no entry among the equipment. */
export function useSenders(): { items: ReadonlyMap<string, FleetItem>; nameOf: (serial: string) => string } {
  const { user } = useSession();
  const deviceName = useDeviceName();
  const fleet = useQuery(fleetQuery(user.accountId)).data;
  const devices = useQuery(devicesQuery(user.accountId)).data;
  return useMemo(() => {
    const items = new Map(fleet?.items.map((item) => [item.id, item]));
    const phones = new Map(devices?.items.map((device) => [device.serial, deviceName(device)]));
    return { items, nameOf: (serial) => items.get(serial)?.displayName ?? phones.get(serial) ?? serial };
  }, [fleet, devices, deviceName]);
}
