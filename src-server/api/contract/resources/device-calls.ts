/** Endpoints for hubs and phones. The steps and formulas of pairing are in `resources/protocol/pairing.md`. */
import { z } from 'zod';
import { FAULT_CLASSES } from '../../../vocabulary/devices.ts';
import { count, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { physicalConfig, sensorConfig } from './definition.ts';

export const deviceKind = z.enum(['HUB', 'PHONE']);
const serial = z.string().trim().min(1).max(64);
const word = z.string().trim().min(1).max(100);

/** 32 bytes as base64url without padding. */
const bytes32 = z
  .string()
  .regex(/^[\w-]{43}$/, { error: 'must be 32 bytes as base64url without padding' })
  .meta({ description: '32 bytes as base64url without padding.' });

const siteFacts = {
  protocolVersion: z.int().meta({ description: 'Version of the device protocol that the site speaks.' }),
  siteId: id,
  siteName: z.string(),
  serverTs: timestamp.meta({ description: 'Clock of the site at the time of the answer.' }),
};

export const pins = z
  .strictObject({
    fingerprint: z.string().meta({ description: 'SHA-256 of the public key in use, in hex; devices pin it.' }),
    next: z
      .strictObject({ fingerprint: z.string(), fromTs: timestamp })
      .optional()
      .meta({ description: 'The key that takes over at `fromTs`. Accept both keys from now on.' }),
    previous: z.strictObject({ fingerprint: z.string(), untilTs: timestamp }).optional(),
  })
  .meta({ id: 'Pins' });

const assignmentsVersion = z.string().meta({
  description: 'Version of the list of GET /device/assignments. Fetch the list when the version differs from yours.',
});

const deviceStatus = z
  .strictObject({
    ...siteFacts,
    pins: pins.optional(),
    addresses: z
      .array(z.string())
      .meta({ description: 'Addresses at which the site can be called now. Store all of them.' }),
    assignmentsVersion: assignmentsVersion,
    device: z.strictObject({
      credentialId: id,
      kind: deviceKind,
      serial: z.string(),
      studyId: id.optional(),
      subjectId: id.optional().meta({ description: 'Who holds the device now; absent when nobody does.' }),
    }),
  })
  .meta({ id: 'DeviceStatus' });

export const callingDevice = z
  .strictObject({
    kind: deviceKind,
    serial: z.string(),
    displayName: z.string(),
    hardwareId: z.string().optional(),
    firmwareId: z.string().optional(),
  })
  .meta({ id: 'CallingDevice' });

export const faultClass = z.enum(FAULT_CLASSES);

const macAddress = z.string().trim().min(1).max(64).meta({ description: 'MAC address of a sensor.' });
const microseconds = z.int().meta({ description: 'Epoch microseconds by that clock.' });
const batteryPercent = z.number().min(0).max(100);

const assignment = z
  .strictObject({
    studyId: id,
    subjectId: id,
    timezone: z.string(),
    sensors: z.array(z.strictObject({ serial: z.string(), udid: z.string().optional(), displayName: z.string() })),
    deviceConfigs: z.array(z.strictObject({ id, physicalConfig, sensorConfig })),
  })
  .meta({ id: 'DeviceAssignment' });

export const deviceCallRoutes = defineRoutes({
  deviceHello: {
    method: 'GET',
    path: '/device/hello',
    access: 'public',
    onLan: true,
    tag: 'Devices',
    summary: 'Identify the site',
    description: 'For unpaired devices: protocol version, site and clock.',
    status: 200,
    response: z.strictObject(siteFacts).meta({ id: 'DeviceHello' }),
  },
  callPairing: {
    method: 'POST',
    path: '/device/pairings',
    access: 'public',
    onLan: true,
    tag: 'Devices',
    summary: 'Start pairing with a pairing code',
    description:
      'First of three calls. Repeating the same call returns the same answer. Errors: PAIRING_VERSION, PAIRING_WRONG_SITE, PAIRING_CODE_WRONG, PAIRING_CLOCK, PAIRING_USED, PAIRING_EXPIRED, PAIRING_CANCELLED, PAIRING_REFUSED, PAIRING_TOO_MANY_TRIES, CONFLICT, THROTTLED.',
    body: z.object({
      protocolVersion: z.int(),
      siteId: id.optional().meta({ description: 'From the QR code; omitted when the code was typed.' }),
      pairingId: id.optional().meta({ description: 'From the QR code; omitted when the code was typed.' }),
      commitment: bytes32,
      proof: bytes32,
      clockTs: timestamp.meta({ description: 'Clock of the device.' }),
      device: z.object({
        kind: deviceKind,
        serial,
        displayName: word,
        hardwareId: word.optional(),
        firmwareId: word.optional(),
      }),
    }),
    status: 200,
    response: z
      .strictObject({
        pairingId: id,
        siteId: id,
        siteName: z.string(),
        serverNonce: bytes32,
        serverTs: timestamp,
        expirationTs: timestamp,
      })
      .meta({ id: 'PairingCall' }),
  },
  revealPairingNonce: {
    method: 'POST',
    path: '/device/pairings/{pairingId}/nonce',
    access: 'public',
    onLan: true,
    tag: 'Devices',
    summary: 'Reveal the nonce that the call committed to',
    description: 'Second of three calls. From now on, show the check code; the desk shows it too.',
    params: z.object({ pairingId: id }),
    body: z.object({ nonce: bytes32 }),
    status: 204,
  },
  collectCredential: {
    method: 'POST',
    path: '/device/pairings/{pairingId}/credential',
    access: 'public',
    onLan: true,
    tag: 'Devices',
    summary: 'Collect the credential',
    description:
      'Third of three calls: poll every two seconds. WAITING until the desk decides, then PAIRED with the token, which stays the same until the device has used it. Store the token before using it.',
    params: z.object({ pairingId: id }),
    body: z.object({ nonce: bytes32 }),
    status: 200,
    response: z
      .strictObject({
        state: z.enum(['WAITING', 'PAIRED']),
        credentialId: id.optional(),
        token: z.string().optional(),
        siteId: id.optional(),
        siteName: z.string().optional(),
      })
      .meta({ id: 'PairingCollection' }),
  },
  deviceStatus: {
    method: 'GET',
    path: '/device/status',
    access: 'device',
    tag: 'Devices',
    summary: 'Get whether the token is valid and who holds the device',
    description: 'The first call with a new token confirms that the device has received it and completes the pairing.',
    status: 200,
    response: deviceStatus,
  },
  reportContact: {
    method: 'POST',
    path: '/device/contact',
    access: 'device',
    tag: 'Devices',
    summary: 'Report the state of the device and its sensors',
    description:
      'Call at least every 15 minutes while a network is available. Repeating a report is idempotent: faults have ids assigned by the device, and clock readings are identified by their content. The device may discard everything in an accepted report. A device reports on the sensors that it serves (see the assignments); reports on other sensors are refused per sensor. Of the clock readings of one sensor within ten minutes, the one with the shortest round trip is kept.',
    body: z.object({
      clockTs: timestamp.meta({ description: 'Clock of the device when sending.' }),
      roundTripMs: z.number().min(0).max(600_000).optional().meta({ description: 'Duration of the last call.' }),
      batteryPercent: batteryPercent.optional(),
      firmwareId: word.optional(),
      sensors: z
        .array(z.object({ udid: macAddress, batteryPercent: batteryPercent.optional(), firmwareId: word.optional() }))
        .max(100)
        .default([]),
      clockReadings: z
        .array(
          z.object({
            udid: macAddress,
            sensorUs: microseconds,
            hostUs: microseconds.meta({ description: 'Clock of the device at the midpoint of the query, epoch µs.' }),
            roundTripUs: z.int().min(0).meta({ description: 'Duration of the query to the sensor, µs.' }),
          }),
        )
        .max(1000)
        .default([])
        .meta({ description: 'Sync points: simultaneous readings of the clocks of a sensor and of the device.' }),
      faults: z
        .array(
          z.object({
            id: z.uuid(),
            faultTs: timestamp,
            faultClass,
            faultType: word,
            faultFlag: word,
            udid: macAddress
              .optional()
              .meta({ description: 'The faulty sensor; omitted for a fault of the device itself.' }),
            sensorFirmwareId: word.optional(),
          }),
        )
        .max(500)
        .default([]),
    }),
    status: 200,
    response: z
      .strictObject({
        serverTs: timestamp,
        storedFaults: count,
        refused: z
          .array(
            z.strictObject({
              udid: z.string(),
              code: z.enum(['SENSOR_UNKNOWN', 'SENSOR_NOT_SERVED', 'CLOCK_IMPLAUSIBLE']),
              message: z.string(),
            }),
          )
          .optional()
          .meta({
            description:
              'Parts of the report that were refused, and why; the rest was accepted. Repeating them does not help.',
          }),
        pins: pins.optional(),
        addresses: z.array(z.string()),
        assignmentsVersion,
      })
      .meta({ id: 'ContactAnswer' }),
  },
  listAssignments: {
    method: 'GET',
    path: '/device/assignments',
    access: 'device',
    tag: 'Devices',
    summary: 'List the sensors that the device serves, with their subjects and configurations',
    description:
      'A device held by a subject serves that subject. A hub that nobody holds (in the clinic) serves every subject of a running study who holds a sensor. The answer has an ETag; with If-None-Match it is 304 without a body while nothing has changed.',
    order: ['subjectId'],
    status: 200,
    response: listOf(assignment).extend({ version: assignmentsVersion }),
  },
});
