/** What devices and sensors are called on the screens of equipment and uploads. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Device, FleetItem } from '../../../src-server/api/contract/index.ts';
import { personName } from '../../../src-server/study/person-name.ts';
import { devicesQuery, fleetQuery } from '../../shared/api/equipment-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';

/** Names a subject's own phone after its subject: the app makes up its serial number, which tells a reader nothing. */
export function useDeviceName(): (device: Pick<Device, 'displayName' | 'subjectName'>) => string {
  const { t } = useWords();
  return useCallback(
    ({ displayName, subjectName }) =>
      subjectName === undefined ? displayName : t('devices.phoneOf', { name: subjectName }),
    [t],
  );
}

/** The senders of uploads by `deviceId`. A subject's own phone and a user at a desk have a name but are not in the fleet. */
export function useSenders(): { items: ReadonlyMap<string, FleetItem>; nameOf: (serial: string) => string } {
  const { user } = useSession();
  const deviceName = useDeviceName();
  const fleet = useQuery(fleetQuery(user.accountId)).data;
  const devices = useQuery(devicesQuery(user.accountId)).data;
  const users = useQuery(usersQuery(user.accountId)).data;
  return useMemo(() => {
    const items = new Map(fleet?.items.map((item) => [item.id, item]));
    const phones = new Map(devices?.items.map((device) => [device.serial, deviceName(device)]));
    const people = new Map(users?.items.map((person) => [person.id, personName(person)]));
    const nameOf = (id: string) => items.get(id)?.displayName ?? phones.get(id) ?? people.get(id) ?? id;
    return { items, nameOf };
  }, [fleet, devices, users, deviceName]);
}
