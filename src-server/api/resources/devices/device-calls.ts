/** Handlers for hubs and phones: pairing, status, contact, assignments. */
import type { DeviceIdentity } from '../../../db/index.ts';
import type { deviceCallRoutes } from '../../contract/resources/device-calls.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf } from '../../framework/authenticate.ts';
import { type Handlers, SENT } from '../../framework/mount.ts';
import { assignmentsOf } from './assignments.ts';
import { storeContact } from './contact.ts';

function toStatusDevice({ credentialId, kind, serial, studyId, subjectId }: DeviceIdentity) {
  return { credentialId, kind, serial, ...(studyId && subjectId ? { studyId, subjectId } : {}) };
}

export function deviceCallHandlers(deps: ApiDeps): Handlers<typeof deviceCallRoutes> {
  const { lan, store } = deps;
  const siteFacts = async () => ({
    protocolVersion: lan.protocolVersion,
    siteId: deps.siteId,
    siteName: (await store.settings.get('site.displayName')) ?? deps.siteName,
    serverTs: deps.clock(),
  });
  /** Pins and addresses with which a device finds the site again. */
  const whereabouts = () => {
    const { pins, urls } = lan.network();
    return { ...(pins ? { pins } : {}), addresses: urls };
  };
  return {
    deviceHello: siteFacts,
    callPairing: async ({ body, request }) => await lan.calls.call(body, addressOf(request)),
    revealPairingNonce: async ({ params, body, request }) => {
      await lan.calls.reveal(params.pairingId, body.nonce, addressOf(request));
    },
    collectCredential: async ({ params, body, request }) =>
      await lan.calls.collect(params.pairingId, body.nonce, addressOf(request)),
    deviceStatus: async ({ device, request }) => {
      await store.devices.recordContact(device.credentialId, { address: addressOf(request) });
      const { version } = await assignmentsOf(store, device);
      return {
        ...(await siteFacts()),
        ...whereabouts(),
        assignmentsVersion: version,
        device: toStatusDevice(device),
      };
    },
    reportContact: async ({ device, body, request }) => {
      const serverTs = deps.clock();
      const address = addressOf(request);
      const { storedFaults, refused } = await storeContact(store, device, body, { serverTs, address });
      for (const code of new Set(refused.map((one) => one.code))) {
        // An unregistered sensor concerns no subject.
        if (code === 'SENSOR_UNKNOWN') continue;
        const { credentialId: aboutId, serial } = device;
        const message = refused.find((one) => one.code === code)?.message ?? '';
        await deps.refused.note({ kind: 'REPORT', code, message, aboutId, serial, address });
      }
      const { version } = await assignmentsOf(store, device);
      return {
        serverTs,
        storedFaults,
        ...(refused.length > 0 && { refused }),
        ...whereabouts(),
        assignmentsVersion: version,
      };
    },
    listAssignments: async ({ device, request, response }) => {
      const assignments = await assignmentsOf(store, device);
      const tag = `"${assignments.version}"`;
      response.setHeader('etag', tag);
      const known = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, ''));
      if (!known?.includes(tag)) return assignments;
      response.status(304).end();
      return SENT;
    },
  };
}
