/** Equipment as the desk shows it: its holder, its state, and the recordings it has not delivered yet. */
import { z } from 'zod';
import { count, id, idParams, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { faultClass } from './device-calls.ts';
import { equipmentState, equipmentType } from './equipment.ts';

const held = z
  .strictObject({
    recordings: count,
    sizeBytes: count,
    firstStartTs: timestamp.optional().meta({ description: 'Start of the oldest of them.' }),
    reportedTs: timestamp.optional().meta({ description: 'When the device last reported this.' }),
  })
  .meta({
    description: 'Recordings on the equipment that the site does not have. Absent when no device has reported any.',
  });

const facts = {
  id: z.string().meta({ description: 'Serial number.' }),
  type: equipmentType,
  state: equipmentState,
  displayName: z.string(),
  udid: z.string().optional().meta({ description: 'MAC address of a sensor.' }),
  hardwareId: z.string().optional(),
  firmwareId: z.string().optional(),
  batteryPercent: z.number().optional(),
  lastContactTs: timestamp.optional(),
  expectedEveryMs: z
    .int()
    .optional()
    .meta({ description: 'Longest expected time between contacts; absent when no contact is expected.' }),
  holder: z
    .strictObject({ studyId: id, studyName: z.string(), subjectId: id, subjectName: z.string(), sinceTs: timestamp })
    .optional()
    .meta({ description: 'The current holder; absent when it belongs to a study that the caller may not read.' }),
  deviceId: id.optional().meta({ description: 'Its entry among the paired devices.' }),
  held: held.optional(),
  faultCounts: z.array(z.strictObject({ faultClass: faultClass.optional(), count })).meta({
    description:
      'By class, most frequent first. An item without a class counts faults for which the device named none.',
  }),
  lastFaultTs: timestamp.optional(),
};

const fleetItem = z.strictObject(facts).meta({ id: 'FleetItem' });
export type FleetItem = z.infer<typeof fleetItem>;

const fleetDetail = z
  .strictObject({
    ...facts,
    faults: z.array(
      z.strictObject({
        id,
        faultTs: timestamp,
        faultClass: faultClass.optional(),
        faultType: z.string(),
        faultFlag: z.string(),
        sensorId: z.string(),
        studyId: id,
        subjectId: id,
        subjectName: z.string(),
      }),
    ),
    contacts: z
      .array(z.strictObject({ contactTs: timestamp, batteryPercent: z.number().optional() }))
      .meta({ description: 'Contacts of the last 14 days, ascending.' }),
    heldRecordings: z.array(
      z.strictObject({
        recordingId: id,
        sensorId: z.string().meta({ description: 'Serial number of the sensor.' }),
        place: z.enum(['SENSOR', 'HUB']),
        sizeBytes: count,
        startTs: timestamp,
        stopTs: timestamp,
      }),
    ),
  })
  .meta({ id: 'FleetDetail' });
export type FleetDetail = z.infer<typeof fleetDetail>;

export const fleetRoutes = defineRoutes({
  listFleet: {
    method: 'GET',
    path: '/accounts/{accountId}/fleet',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'List equipment with its holder and its state',
    description: 'All equipment of the account. Holders and faults are those of studies that the caller may read.',
    order: ['id'],
    params: idParams.account,
    query: z.object(pageQuery),
    status: 200,
    response: pageOf(fleetItem).extend({
      devices: z
        .strictObject({
          paired: count,
          seenLastDay: count.meta({ description: 'In contact within the last 24 hours.' }),
        })
        .meta({ description: 'Paired hubs and phones of the whole list, also those of other pages.' }),
    }),
  },
  getFleetItem: {
    method: 'GET',
    path: '/accounts/{accountId}/fleet/{equipmentId}',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'Get an item of equipment with its contacts, faults and undelivered recordings',
    description: 'Faults are newest first, recordings oldest first. An unknown serial number is 404.',
    params: z.object({ accountId: id, equipmentId: z.string().trim().min(1).max(64) }),
    status: 200,
    response: fleetDetail,
  },
});
