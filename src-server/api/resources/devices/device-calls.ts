/** Answers to hubs and phones. */
import type { DeviceIdentity } from '../../../lan/device-identity.ts';
import { type deviceCallRoutes, PROTOCOL_VERSION } from '../../contract/resources/device-calls.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Handlers } from '../../framework/mount.ts';

function toStatusDevice({ credentialId, kind, serial, studyId, subjectId }: DeviceIdentity) {
  return { credentialId, kind, serial, ...(studyId && subjectId ? { studyId, subjectId } : {}) };
}

export function deviceCallHandlers(deps: ApiDeps): Handlers<typeof deviceCallRoutes> {
  const siteFacts = () => ({
    protocolVersion: PROTOCOL_VERSION,
    siteId: deps.siteId,
    siteName: deps.siteName,
    serverTs: deps.clock(),
  });
  return {
    deviceHello: siteFacts,
    deviceStatus: ({ device }) => ({ ...siteFacts(), device: toStatusDevice(device) }),
  };
}
