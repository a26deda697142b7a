/** Pairing at the desk, the devices that are paired, and the site on the local network. */
import { z } from 'zod';
import { PAIRING_STATES } from '../../../vocabulary/devices.ts';
import { count, fieldError, id, idParams, link, listOf, nameText, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { callingDevice, deviceKind, pins } from './device-calls.ts';

const pairing = z
  .strictObject({
    id,
    state: z.enum(PAIRING_STATES).meta({
      description:
        'OFFERED: waits for a device. CALLED: a device has called. COMPARING: the check codes are to be compared. CONFIRMED: the device may collect its credential. COMPLETE: the device has used its credential. The others end the pairing without a device.',
    }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'The subject who receives the device.' }),
    device: callingDevice.optional(),
    deviceId: id.optional().meta({ description: 'The paired device, once confirmed.' }),
    address: z.string().optional().meta({ description: 'Address from which the device calls.' }),
    checkCode: z.string().optional().meta({ description: 'Refuse the pairing unless the device shows the same code.' }),
    clockDifferenceMs: z.int().optional().meta({ description: 'Clock of the device minus clock of the site.' }),
    wrongTries: count.meta({ description: 'Wrong codes entered while the pairing was open.' }),
    maxWrongTries: count.meta({ description: 'This many wrong codes close the pairing.' }),
    problem: z.string().optional().meta({ description: 'Code of an error after which the device may call again.' }),
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
    code: z.string().meta({ description: 'For typing when the QR code cannot be scanned. Returned only once.' }),
    link: z.string().meta({ description: 'Content of the QR code. Returned only once.' }),
    qrSvg: z.string().meta({ description: 'The QR code as an SVG image, dark on light.' }),
    addresses: z
      .array(z.string())
      .meta({ description: 'Addresses that the device can call; one of them is typed with the code.' }),
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
    equipmentId: z.string().optional().meta({ description: 'Serial number of its equipment entry, for assignment.' }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'The current holder.' }),
    subjectName: z.string().optional().meta({ description: "Owner of a subject's own phone." }),
    hardwareId: z.string().optional(),
    firmwareId: z.string().optional(),
    batteryPercent: z.number().optional(),
    lastContactTs: timestamp.optional(),
    address: z.string().optional().meta({ description: 'Address of the last call.' }),
    pairedTs: timestamp,
    isConnected: z.boolean().meta({ description: 'The device has used its credential.' }),
    received: z.strictObject({ taskReports: count, messages: count }).optional().meta({
      description:
        'Only in Get a paired device, for a phone that a subject holds: what that subject has sent since it was paired.',
    }),
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
  .meta({ description: 'The last call from another computer or device since the site started to listen.' });

const network = z
  .strictObject({
    state: z.enum(['listening', 'off', 'failed']),
    problem: z
      .strictObject({ code: z.string(), message: z.string(), errors: z.array(fieldError).optional() })
      .optional(),
    isAllowed: z.boolean().meta({
      description:
        'False when the site was started without the local network; the settings then take effect at the next start.',
    }),
    configured: listenerSetting.optional().meta({ description: 'The stored settings.' }),
    port: lanPort.optional().meta({
      description:
        'The current port. It may differ from `configured` when the site was started with a port of its own.',
    }),
    urls: z.array(z.string()),
    ownUrl: z.string().optional().meta({
      description:
        "Address under the clinic's own certificate, for browsers only: devices that pin find another key there.",
    }),
    computerName: z.string().meta({ description: 'Host name of the computer.' }),
    name: z.string().optional().meta({ description: 'Name announced by mDNS.' }),
    nameUrl: z.string().optional().meta({
      description:
        'Address under that name, which stays when the router gives the computer another address. Not all phones and networks find it.',
    }),
    isNameUsed: z
      .boolean()
      .optional()
      .meta({ description: "Phones' browsers opened the site under that name lately." }),
    discovery: z.enum(['announced', 'off', 'failed']).optional(),
    pins: pins.optional(),
    lastCall: lastCall.optional(),
  })
  .meta({ id: 'Network' });
export type Network = z.infer<typeof network>;

const phoneAddress = z
  .strictObject({
    host: z.string().meta({ description: 'Host and port as the browser calls it.' }),
    isGone: z.boolean().meta({
      description:
        'The site no longer has this address, so these phones cannot open it. A browser keeps what it stores by the address: at another one they sign in again, and what they had not sent yet stays behind.',
    }),
    lastTs: timestamp,
    phones: z.array(z.strictObject({ studyId: id, subjectId: id, subjectName: z.string(), lastTs: timestamp })),
  })
  .meta({ id: 'PhoneAddress' });
export type PhoneAddress = z.infer<typeof phoneAddress>;

const networkCheck = z
  .strictObject({
    checkedTs: timestamp,
    addresses: z.array(
      z.strictObject({
        url: z.string(),
        interfaceName: z
          .string()
          .optional()
          .meta({ description: 'Network interface of this computer, such as `Wi-Fi`.' }),
        result: z.enum(['reached', 'refused', 'no-answer', 'other']).meta({
          description: 'other: something answers at the address, but not with the key of the site.',
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
      'The code is valid for one device and ten minutes. With a subject, the device is assigned to that subject once it is paired.',
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
    description: 'Pairings started in the last 24 hours.',
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
    description: 'Follow changes through Live, topic `pairing`.',
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
    summary: 'Confirm that desk and device show the same check code',
    description: 'The device may then collect its credential within ten minutes. Idempotent.',
    params: pairingParams,
    body: z.object({ checkCode: z.string().min(1).max(20).meta({ description: 'The check code that was compared.' }) }),
    status: 204,
  },
  refusePairing: {
    method: 'POST',
    path: '/pairings/{pairingId}/refuse',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Refuse a pairing whose check codes differ or whose device is unknown',
    description: 'The pairing ends and the device is informed. Start a new pairing to try again.',
    params: pairingParams,
    status: 204,
  },
  cancelPairing: {
    method: 'DELETE',
    path: '/pairings/{pairingId}',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Cancel a pairing',
    description: 'An unused credential is revoked with it. A pairing that has ended is not changed (409).',
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
    description: 'Hubs and phones whose credential has not been revoked.',
    order: ['pairedTs', 'id'],
    params: idParams.account,
    query: z.object(pageQuery),
    status: 200,
    response: pageOf(device),
  },
  getDevice: {
    method: 'GET',
    path: '/accounts/{accountId}/devices/{deviceId}',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Pairing',
    summary: 'Get a paired device',
    description: '404 once its credential is revoked.',
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
    summary: 'Rename a paired device',
    description: 'Changes the name of its equipment entry, which is kept when the device is paired again.',
    params: deviceParams,
    body: z.object({ displayName: nameText(100) }),
    status: 204,
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/accounts/{accountId}/devices/{deviceId}',
    access: 'user',
    operation: 'device.pair',
    tag: 'Pairing',
    summary: 'Revoke the credential of a device',
    description:
      'The credential stops working at once. The device can deliver the recordings it holds after it has been paired again.',
    params: deviceParams,
    query: z.object({ reason: z.string().trim().min(1).max(500).optional() }),
    status: 204,
  },
  getNetwork: {
    method: 'GET',
    path: '/network',
    access: 'user',
    tag: 'Service',
    summary: 'Get the state of the site on the local network',
    description: 'Whether and where devices can call, and which key they pin.',
    status: 200,
    response: network,
  },
  updateNetwork: {
    method: 'PUT',
    path: '/network',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Set whether and on which port devices can call',
    description:
      'Takes effect at once and at every start. The previous port stays open until the site stops, so that devices can learn the new one. A port in use by another program is refused (PORT_TAKEN) and nothing changes. Switching off interrupts active uploads; they resume when the site listens again.',
    body: z.object({ isOn: z.boolean(), port: z.int().min(1024).max(65_535) }),
    status: 200,
    response: network,
  },
  listPhoneAddresses: {
    method: 'GET',
    path: '/network/phone-addresses',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: "List the addresses under which phones' browsers open the site",
    description:
      'Those of the last 60 days, one for each subject: the newest. Programs that pin the key find any address.',
    order: ['-isGone', '-lastTs'],
    status: 200,
    response: listOf(phoneAddress),
  },
  checkNetwork: {
    method: 'POST',
    path: '/network/check',
    access: 'user',
    operation: 'device.pair',
    tag: 'Service',
    summary: 'Call the site under each of its addresses',
    description:
      'Calls as a device would, but from this computer. It shows that the port is open and answers with the key of the site, not that the firewall admits other devices; `lastCall` shows that.',
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
      'The new key is announced to every device that calls and takes over at `fromTs` (default: in 14 days). A device that does not call in the meantime must be paired again.',
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
    summary: 'Withdraw an announced key',
    description: 'The key in use stays. 409 when no new key has been announced.',
    status: 204,
  },
});
