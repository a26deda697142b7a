import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { FleetItem } from '../../../../src-server/api/contract/index.ts';
import { fleetQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';

/** The equipment of the account by its serial number. */
export function useEquipmentNames(): ReadonlyMap<string, FleetItem> {
  const { user } = useSession();
  const fleet = useQuery(fleetQuery(user.accountId)).data;
  return useMemo(() => new Map(fleet?.items.map((item) => [item.id, item])), [fleet]);
}
