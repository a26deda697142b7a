/** Pairing at the desk, and the site on the local network. */
import type { PairingRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import type { Pairing } from '../../contract/index.ts';
import type { pairingRoutes } from '../../contract/resources/pairings.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { allowedPlaces, inAllowedPlaces, requireInStudy } from '../../framework/authorize.ts';
import { invalidField } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { Places } from '../../framework/places.ts';
import { pairedDeviceHandlers } from './paired-devices.ts';
import { phoneAddresses } from './phone-addresses.ts';

const ANNOUNCED_BEFORE_MS = 14 * DAY_MS;

type NetworkRoute = 'getNetwork' | 'listPhoneAddresses' | 'updateNetwork' | 'checkNetwork' | 'replaceKey' | 'keepKey';

export function pairingHandlers(deps: ApiDeps): Handlers<typeof pairingRoutes> {
  const { lan } = deps;
  return {
    startPairing: async ({ body, caller }) => {
      const { accountId, id: userId } = caller.user;
      const subject = await subjectOf(deps, caller, body);
      const started = await lan.desk.start({ accountId, userId, ...(subject ? { subject } : {}) }, changeBy(caller));
      const { pairing, code, link, addresses, fingerprint } = started;
      // Loaded here: with what it needs for pictures it has 57 modules, and the site starts without it.
      const { default: QRCode } = await import('qrcode');
      return {
        id: pairing.id,
        links: [{ href: `/v1/pairings/${pairing.id}`, rel: 'self' }],
        code,
        link,
        qrSvg: await QRCode.toString(link, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 }),
        addresses,
        fingerprint,
        expirationTs: pairing.expirationTs,
      };
    },
    listPairings: async ({ caller }) => {
      const records = await lan.desk.list(caller.user.accountId);
      const open = await inAllowedPlaces(deps, caller, 'device.pair', records, (one, places) => places.ofPairing(one));
      const items = open.map((record) => toPairing(record, lan.desk.maxWrongTries));
      return { items, size: items.length };
    },
    getPairing: async ({ params, caller }) =>
      toPairing(await lan.desk.get(params.pairingId, caller.user.accountId), lan.desk.maxWrongTries),
    confirmPairing: async ({ params, body, caller, scope }) => {
      await requireOwnSerial(deps, caller, scope.pairing);
      await lan.desk.confirm(params.pairingId, caller.user.accountId, body.checkCode, changeBy(caller));
    },
    refusePairing: async ({ params, caller }) => {
      await lan.desk.refuse(params.pairingId, caller.user.accountId, changeBy(caller));
    },
    cancelPairing: async ({ params, caller }) => {
      await lan.desk.cancel(params.pairingId, caller.user.accountId, changeBy(caller));
    },
    ...pairedDeviceHandlers(deps),
    ...networkHandlers(deps),
  };
}

function networkHandlers(deps: ApiDeps): Pick<Handlers<typeof pairingRoutes>, NetworkRoute> {
  const { lan, clock } = deps;
  const networkOf = async ({ user }: Caller) => {
    const network = lan.network();
    const { nameUrl } = network;
    if (nameUrl === undefined) return network;
    const used = await phoneAddresses(deps, user.accountId);
    return { ...network, isNameUsed: used.some(({ host }) => `https://${host}` === nameUrl) };
  };
  return {
    getNetwork: async ({ caller }) => await networkOf(caller),
    listPhoneAddresses: async ({ caller }) => {
      const items = await phoneAddresses(deps, caller.user.accountId);
      return { items, size: items.length };
    },
    updateNetwork: async ({ body, caller }) => {
      await lan.configure(body, changeBy(caller));
      return await networkOf(caller);
    },
    checkNetwork: () => lan.check(),
    replaceKey: async ({ body, caller }) =>
      await lan.replaceKey(body.fromTs ?? clock() + ANNOUNCED_BEFORE_MS, changeBy(caller, body.reason)),
    keepKey: async ({ caller }) => {
      await lan.keepKey(changeBy(caller));
    },
  };
}

function toPairing(record: PairingRecord, maxWrongTries: number): Pairing {
  const { id, state, subject, device, credentialId, address, checkCode, clockDifferenceMs, problem, endedTs } = record;
  return {
    id,
    state: state as Pairing['state'],
    ...subject,
    ...(device ? { device } : {}),
    ...(credentialId === undefined ? {} : { deviceId: credentialId }),
    ...(address === undefined ? {} : { address }),
    ...(checkCode === undefined ? {} : { checkCode }),
    ...(clockDifferenceMs === undefined ? {} : { clockDifferenceMs }),
    wrongTries: record.wrongTries,
    maxWrongTries,
    ...(problem === undefined ? {} : { problem }),
    createdTs: record.createdTs,
    expirationTs: record.expirationTs,
    ...(endedTs === undefined ? {} : { endedTs }),
  };
}

/** @throws CONFLICT without names for a serial number in a place where the caller may not pair devices */
async function requireOwnSerial(deps: ApiDeps, caller: Caller, { device }: PairingRecord): Promise<void> {
  const place = device && (await new Places(deps.store).ofSerial(device.serial));
  if (!place || (await allowedPlaces(deps, caller, 'device.pair'))(place)) return;
  throw new OutpostError(
    'CONFLICT',
    'A device with this serial number is in use in a study where you cannot pair devices. Check the serial number, or ask an administrator.',
  );
}

/** Returns the subject for whom a pairing starts, or undefined. @throws INVALID_INPUT unless both ids or neither are given */
async function subjectOf(deps: ApiDeps, caller: Caller, body: { studyId?: string; subjectId?: string }) {
  const { studyId, subjectId } = body;
  if (studyId === undefined && subjectId === undefined) return undefined;
  if (studyId === undefined) throw invalidField('studyId', 'is required with `subjectId`');
  if (subjectId === undefined) throw invalidField('subjectId', 'is required with `studyId`');
  await requireInStudy(deps, caller, studyId, 'device.pair');
  await deps.store.subjects.require(subjectId, studyId);
  return { studyId, subjectId };
}
