/** Pairing at the desk, the devices that are paired, and the site on the local network. */
import { z } from 'zod';
import { count, fieldError, id, idParams, link, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { PAIRING_STATES } from '../vocabulary/devices.ts';
import { callingDevice, deviceKind, pins } from './device-calls.ts';

const pairing = z
  .strictObject({
    id,
    state: z.enum(PAIRING_STATES).meta({
      description:
        'OFFERED: waits for a device. CALLED: a device is there. COMPARING: compare the check codes. CONFIRMED: the device may collect its credential. COMPLETE: it has. The others are ends without a device.',
    }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'Who gets the device.' }),
    device: callingDevice.optional(),
    deviceId: id.optional().meta({ description: 'The device of the fleet, once confirmed.' }),
    address: z.string().optional().meta({ description: 'Where the device calls from.' }),
    checkCode: z.string().optional().meta({ description: 'The device shows the same; else refuse.' }),
    clockDifferenceMs: z.int().optional().meta({ description: 'Clock of the device minus clock of the site.' }),
    wrongTries: count.meta({ description: 'Wrong codes that were typed while it was open.' }),
    maxWrongTries: count.meta({ description: 'So many close it.' }),
    problem: z.string().optional().meta({ description: 'Code of a refusal after which the device may call again.' }),
    createdTs: timestamp,
    expirationTs: timestamp,
    endedTs: timestamp.optional(),
  })
  .meta({ id: 'Pairing' });
export type Pairing = z.infer<typeof pairing>;

const startedPairing = z
  .strictObject({
    id,
    links: z.array(link),
    code: z.string().meta({ description: 'To type when the QR code cannot be scanned. Shown this once.' }),
    link: z.string().meta({ description: 'What the QR code says. Shown this once.' }),
    qrSvg: z.string().meta({ description: 'The QR code as an SVG image, dark on light.' }),
    addresses: z
      .array(z.string())
      .meta({ description: 'Where the device can call; one of them is typed with the code.' }),
    fingerprint: z.string(),
    expirationTs: timestamp,
  })
  .meta({ id: 'StartedPairing' });
export type StartedPairing = z.infer<typeof startedPairing>;

const device = z
  .strictObject({
    id,
    kind: deviceKind,
    serial: z.string(),
    displayName: z.string(),
    equipmentId: z.string().optional().meta({ description: 'Its serial number among the equipment, for handing out.' }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'Who holds it now.' }),
    subjectName: z.string().optional().meta({ description: "Of a subject's own phone: whose it is." }),
    hardwareId: z.string().optional(),
    firmwareId: z.string().optional(),
    batteryPercent: z.number().optional(),
    lastContactTs: timestamp.optional(),
    address: z.string().optional().meta({ description: 'Where it called from last.' }),
    pairedTs: timestamp,
    isConnected: z.boolean().meta({ description: 'It has used its credential.' }),
    received: z
      .strictObject({ taskReports: count, messages: count })
      .optional()
      .meta({ description: 'Of one phone that a subject holds: what came from that subject since it was paired.' }),
  })
  .meta({ id: 'Device' });
export type Device = z.infer<typeof device>;

const lanPort = z.int().min(1).max(65_535);
const listenerSetting = z.object({
  isOn: z.boolean(),
  port: lanPort,
});
const lastCall = z
  .strictObject({ address: z.string(), ts: timestamp })
  .meta({ description: 'The last call from another computer or device since the site began to listen.' });

const network = z
  .strictObject({
    state: z.enum(['listening', 'off', 'failed']),
    problem: z
      .strictObject({ code: z.string(), message: z.string(), errors: z.array(fieldError).optional() })
      .optional(),
    isAllowed: z.boolean().meta({
      description: 'False when the site was started without the local network: the settings count from the next start.',
    }),
    configured: listenerSetting.optional().meta({ description: 'What the settings say.' }),
    port: lanPort.optional().meta({ description: 'Where it listens now. Another one was asked for at the start.' }),
    urls: z.array(z.string()),
    computerName: z.string().meta({ description: 'What the computer calls itself.' }),
    name: z.string().optional().meta({ description: 'Name by mDNS.' }),
    discovery: z.enum(['announced', 'off', 'failed']).optional(),
    pins: pins.optional(),
    lastCall: lastCall.optional(),
  })
  .meta({ id: 'Network' });
export type Network = z.infer<typeof network>;

const networkCheck = z
  .strictObject({
    checkedTs: timestamp,
    addresses: z.array(
      z.strictObject({
        url: z.string(),
        interfaceName: z.string().optional().meta({ description: 'The connection of this computer, such as `Wi-Fi`.' }),
        result: z.enum(['reached', 'refused', 'no-answer', 'other']).meta({
          description: 'other: something answers there, but not with the key of the site.',
        }),
      }),
    ),
    lastCall: lastCall.optional(),
  })
  .meta({ id: 'NetworkCheck' });
export type NetworkCheck = z.infer<typeof networkCheck>;

const pairingParams = z.object({ pairingId: id });
const deviceParams = z.object({ accountId: id, deviceId: id });

export const pairingRoutes = defineRoutes({
  startPairing: {
    method: 'POST',
    path: '/pairings',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Start pairing a hub or phone',
    description:
      'The code is good for one device and ten minutes. With a subject, the device is handed out to that subject once it is paired.',
    body: z.object({ studyId: id.optional(), subjectId: id.optional() }),
    errorStatuses: [404],
    status: 201,
    response: startedPairing,
  },
  listPairings: {
    method: 'GET',
    path: '/pairings',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'List pairings of the account',
    description: 'Those started in the last 24 hours.',
    order: ['-createdTs', '-id'],
    status: 200,
    response: listOf(pairing),
  },
  getPairing: {
    method: 'GET',
    path: '/pairings/{pairingId}',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Get a pairing',
    description: 'Changes are told by Live under the topic `pairing`.',
    params: pairingParams,
    status: 200,
    response: pairing,
  },
  confirmPairing: {
    method: 'POST',
    path: '/pairings/{pairingId}/confirm',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Say that desk and device show the same check code',
    description: 'The device may then collect its credential, within ten minutes. Repeating it changes nothing.',
    params: pairingParams,
    body: z.object({ checkCode: z.string().min(1).max(20).meta({ description: 'The one that was compared.' }) }),
    status: 204,
  },
  refusePairing: {
    method: 'POST',
    path: '/pairings/{pairingId}/refuse',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Say that the check codes differ, or that nobody knows the device',
    description: 'The device is told. Its pairing ends; start a new one to try again.',
    params: pairingParams,
    status: 204,
  },
  cancelPairing: {
    method: 'DELETE',
    path: '/pairings/{pairingId}',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Take a pairing back',
    description: 'A credential that was not used yet ends with it. A pairing that has ended stays as it is (409).',
    params: pairingParams,
    status: 204,
  },
  listDevices: {
    method: 'GET',
    path: '/accounts/{accountId}/devices',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Pairing',
    summary: 'List paired devices',
    description: 'Hubs and phones with a credential that was not revoked.',
    order: ['pairedTs', 'id'],
    params: idParams.account,
    status: 200,
    response: listOf(device),
  },
  getDevice: {
    method: 'GET',
    path: '/accounts/{accountId}/devices/{deviceId}',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Pairing',
    summary: 'Get a paired device',
    description: 'One of the fleet; 404 once it was revoked.',
    params: deviceParams,
    status: 200,
    response: device,
  },
  renameDevice: {
    method: 'PUT',
    path: '/accounts/{accountId}/devices/{deviceId}',
    access: 'user',
    operation: 'equipment.manage',
    tag: 'Pairing',
    summary: 'Give a paired device another name',
    description: 'The name is that of its entry among the equipment; pairing it again keeps it.',
    params: deviceParams,
    body: z.object({ displayName: z.string().trim().min(1).max(100) }),
    status: 204,
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/accounts/{accountId}/devices/{deviceId}',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Revoke the credential of a device',
    description: 'It stops working at once. What the device still holds arrives after it was paired again.',
    params: deviceParams,
    query: z.object({ reason: z.string().trim().min(1).max(500).optional() }),
    status: 204,
  },
  getNetwork: {
    method: 'GET',
    path: '/network',
    access: 'user',
    tag: 'Service',
    summary: 'The site on the local network',
    description: 'Whether devices can call, where, and which key they pin.',
    status: 200,
    response: network,
  },
  updateNetwork: {
    method: 'PUT',
    path: '/network',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Say whether and on which port devices can call',
    description:
      'Taken at once and kept for every start. The port before is answered until the site ends, so that devices hear of the new one; a port of another program is refused (PORT_TAKEN) and nothing changes. Switched off, uploads under way are cut and go on where they were once it listens again.',
    body: z.object({ isOn: z.boolean(), port: z.int().min(1024).max(65_535) }),
    status: 200,
    response: network,
  },
  checkNetwork: {
    method: 'POST',
    path: '/network/check',
    access: 'user',
    operation: 'device.pair',
    tag: 'Service',
    summary: 'Call the site under each of its addresses',
    description:
      'As a device would, but from this computer: it shows that the port is open and answers with the key of the site, not that a firewall lets others in. `lastCall` shows that.',
    status: 200,
    response: networkCheck,
  },
  replaceKey: {
    method: 'POST',
    path: '/network/key',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Replace the key that devices pin',
    description:
      'The new key is announced to every device that calls and takes over at `fromTs` (default: in 14 days). A device that does not call in between has to be paired again.',
    body: z.object({ fromTs: timestamp.optional(), reason: z.string().trim().min(1).max(500) }),
    status: 200,
    response: pins,
  },
  keepKey: {
    method: 'DELETE',
    path: '/network/key',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Take back a new key that was announced',
    description: 'The key in use stays. 409 when no new key is announced.',
    status: 204,
  },
});
