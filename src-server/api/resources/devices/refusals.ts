/** Refused attempts on the network, from the audit log and the counts still open. */
import { refusalKey } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import type { Refusal } from '../../contract/index.ts';
import type { refusalRoutes } from '../../contract/resources/refusals.ts';
import type { ApiDeps } from '../../deps.ts';
import { inAllowedPlaces } from '../../framework/authorize.ts';
import type { Handlers } from '../../framework/mount.ts';

const SHOWN_MS = 14 * DAY_MS;
/** Enough for an ordinary fortnight, at a few hundred per day. */
const READ_LIMIT = 2000;

export function refusalHandlers(deps: ApiDeps): Handlers<typeof refusalRoutes> {
  const { store, refused, clock } = deps;
  return {
    listRefusals: async ({ params: { accountId }, caller }) => {
      const noted = await store.refusals.listSince(clock() - SHOWN_MS, READ_LIMIT);
      const stored = await inAllowedPlaces(deps, caller, 'device.pair', noted, (one, places) => places.ofRefusal(one));
      const open = new Map(refused.open.map((refusal) => [refusalKey(refusal), refusal]));
      const known = await store.devices.listOf(
        accountId,
        stored.map(({ aboutId }) => aboutId),
      );
      const devices = new Map(known.map((device) => [device.id, device]));
      const names = await store.equipment.namesOf(
        accountId,
        known.flatMap(({ equipmentId }) => equipmentId ?? []),
      );
      const items = stored.map((noted): Refusal => {
        const { kind, code, message, address, serial, aboutId, sinceTs } = noted;
        const { attempts, lastTs } = open.get(refusalKey(noted)) ?? noted;
        const device = devices.get(aboutId);
        const displayName = names.get(device?.equipmentId ?? '') ?? device?.serial;
        return {
          kind,
          code,
          message,
          ...(address !== undefined && { address }),
          ...(serial !== undefined && { serial }),
          ...(device && { deviceId: device.id }),
          ...(displayName !== undefined && { displayName }),
          ...(kind === 'PAIRING' && aboutId !== '' && { pairingId: aboutId }),
          attempts,
          firstTs: sinceTs,
          lastTs,
        };
      });
      items.sort((a, b) => b.lastTs - a.lastTs);
      return { items, size: items.length };
    },
  };
}
