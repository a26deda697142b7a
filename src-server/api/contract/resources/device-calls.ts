/** What hubs and phones call: who answers here, and what they have to tell. */
import { z } from 'zod';
import { id, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

/** Version of the protocol between devices and the site: `resources/protocol/pairing.md`. */
export const PROTOCOL_VERSION = 1;

const siteFacts = {
  protocolVersion: z.int().meta({ description: 'Version of the device protocol that the site speaks.' }),
  siteId: id,
  siteName: z.string(),
  serverTs: timestamp.meta({ description: 'Clock of the site as the answer was made.' }),
};

const deviceStatus = z
  .strictObject({
    ...siteFacts,
    device: z.strictObject({
      credentialId: id,
      kind: z.enum(['HUB', 'PHONE']),
      serial: z.string(),
      studyId: id.optional(),
      subjectId: id.optional().meta({ description: 'Whose it is now; absent when nobody holds it.' }),
    }),
  })
  .meta({ id: 'DeviceStatus' });

export const deviceCallRoutes = defineRoutes({
  deviceHello: {
    method: 'GET',
    path: '/device/hello',
    access: 'public',
    onLan: true,
    tag: 'Devices',
    summary: 'Which site this is, for a device that is not paired yet',
    description: 'Answers without credentials, also on the local network.',
    status: 200,
    response: z.strictObject(siteFacts).meta({ id: 'DeviceHello' }),
  },
  deviceStatus: {
    method: 'GET',
    path: '/device/status',
    access: 'device',
    tag: 'Devices',
    summary: 'Whether the token of the device is still good, and whose the device is',
    description: 'The first call with a new token tells the site that the device has it.',
    status: 200,
    response: deviceStatus,
  },
});
