/** Sensors, phones and charging stations, and their faults. */
import { z } from 'zod';
import { count, created, id, idParams, listOf, nameText, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const EQUIPMENT_TYPES = ['LINK_HUB', 'LINK_PHONE', 'SENSOR'] as const;
export const equipmentType = z.enum(EQUIPMENT_TYPES);
export const equipmentState = z.enum(['ASSIGNED', 'UNASSIGNED']);

export const fault = z
  .strictObject({
    createdTs: timestamp,
    faultTs: timestamp,
    faultFlag: z.string(),
    faultType: z.string(),
    mobileAppVersion: z.string(),
    sensorFirmwareId: z.string(),
    sensorId: z.string(),
  })
  .meta({ id: 'Fault' });

const equipment = z
  .strictObject({
    id: z.string().meta({ description: 'Serial number.' }),
    type: equipmentType,
    state: equipmentState,
    displayName: z.string().optional(),
    udid: z.string().optional().meta({ description: 'MAC address of a sensor.' }),
    faults: z.array(fault),
  })
  .meta({ id: 'Equipment' });
export type Equipment = z.infer<typeof equipment>;

/** An element of `SubjectDetail.devices`: equipment that the subject holds now. */
export const heldDevice = z
  .strictObject({
    id: z.string(),
    type: equipmentType,
    state: equipmentState,
    displayName: z.string(),
    udid: z.string().optional(),
    lastContactTs: timestamp.optional(),
    batteryPercent: z.number().optional(),
  })
  .meta({ id: 'HeldDevice' });
export type HeldDevice = z.infer<typeof heldDevice>;

const named = z.strictObject({ displayName: z.string(), id });
const equipmentHistoryItem = z
  .strictObject({
    createdTs: timestamp,
    id: z.string().meta({ description: 'Serial number.' }),
    state: equipmentState,
    study: named,
    subject: named,
  })
  .meta({ id: 'EquipmentHistoryItem' });
export type EquipmentHistoryItem = z.infer<typeof equipmentHistoryItem>;

const faultStats = z.strictObject({ subjectId: id, countFaults: count }).meta({ id: 'FaultStats' });
export type FaultStats = z.infer<typeof faultStats>;

const sensorName = z
  .strictObject({
    id: z.string().optional().meta({ description: 'Serial number; absent for an unregistered sensor.' }),
    displayName: z.string(),
    udid: z.string(),
  })
  .meta({ id: 'SensorName' });

const serial = z.string().trim().min(1).max(64);

export const equipmentRoutes = defineRoutes({
  listEquipment: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/equipment',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'List equipment ever provisioned to a subject',
    description:
      'Sensors, phones and charging stations that the subject holds or has held, each with its faults in the order of `faultTs`.',
    order: 'first assignment to the subject, then serial number',
    params: idParams.subject,
    status: 200,
    isStored: true,
    response: listOf(equipment),
  },
  getSensorName: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/devices/{udid}',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'Get the name of a sensor by its MAC address',
    description:
      'One item. A sensor that the subject holds or has held has its display name; one that is known only from a recording is named by its address.',
    order: 'one item',
    params: z.object({ studyId: id, subjectId: id, udid: z.string().min(1).max(64) }),
    status: 200,
    response: listOf(sensorName),
  },
  getFaultStats: {
    method: 'GET',
    path: '/studies/{studyId}/fault_stats',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'Get fault stats',
    description: 'All subjects except test subjects. `countFaults` is the number of faults in List equipment.',
    order: 'that of List subjects',
    params: idParams.study,
    status: 200,
    isStored: true,
    response: listOf(faultStats),
  },
  listAccountEquipment: {
    method: 'GET',
    path: '/accounts/{accountId}/equipment',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'List the equipment of the account',
    description: 'All registered equipment, regardless of holder.',
    order: ['id'],
    params: idParams.account,
    status: 200,
    isStored: true,
    response: listOf(equipment),
  },
  getAccountEquipment: {
    method: 'GET',
    path: '/accounts/{accountId}/equipment/{equipmentId}',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'Get an item of equipment',
    description: 'Includes its faults. An unknown serial number is 404.',
    params: z.object({ accountId: id, equipmentId: serial }),
    status: 200,
    response: equipment,
  },
  getEquipmentHistory: {
    method: 'GET',
    path: '/accounts/{accountId}/equipment/{equipmentId}/history',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Equipment',
    summary: 'Get the assignment history of equipment',
    description: 'Across all studies that the caller may read; an unknown serial number is 404.',
    order: ['createdTs'],
    params: z.object({ accountId: id, equipmentId: serial }),
    status: 200,
    isStored: true,
    response: listOf(equipmentHistoryItem),
  },
  registerEquipment: {
    method: 'POST',
    path: '/accounts/{accountId}/equipment',
    access: 'user',
    operation: 'equipment.manage',
    tag: 'Equipment',
    summary: 'Register equipment',
    description: 'A serial number can be registered once (409). New equipment is unassigned.',
    params: idParams.account,
    body: z.object({
      id: serial.meta({ description: 'Serial number.' }),
      type: equipmentType,
      displayName: nameText(100).optional(),
      udid: z.string().trim().min(1).max(64).optional(),
    }),
    status: 201,
    response: created,
  },
  updateEquipment: {
    method: 'PUT',
    path: '/accounts/{accountId}/equipment/{equipmentId}',
    access: 'user',
    operation: 'equipment.manage',
    tag: 'Equipment',
    summary: 'Change the name or the address of equipment',
    description:
      'Absent members stay unchanged. Recordings from a new address are attributed to this sensor. Only sensors have an address (400), and an address of other equipment is refused (409).',
    params: z.object({ accountId: id, equipmentId: serial }),
    body: z.object({
      displayName: nameText(100).optional(),
      udid: z.string().trim().min(1).max(64).optional().meta({ description: 'MAC address of a sensor.' }),
    }),
    status: 204,
  },
  assignEquipment: {
    method: 'PUT',
    path: '/studies/{studyId}/subjects/{subjectId}/equipment/{equipmentId}',
    access: 'user',
    operation: 'equipment.assign',
    tag: 'Equipment',
    summary: 'Assign equipment to a subject',
    description: 'Equipment that another subject holds must be returned first (409).',
    params: z.object({ studyId: id, subjectId: id, equipmentId: serial }),
    status: 204,
  },
  unassignEquipment: {
    method: 'DELETE',
    path: '/studies/{studyId}/subjects/{subjectId}/equipment/{equipmentId}',
    access: 'user',
    operation: 'equipment.assign',
    tag: 'Equipment',
    summary: 'Return equipment from a subject',
    description:
      'It stays in the list of the equipment of the subject as UNASSIGNED. Equipment that the subject does not hold is refused (409).',
    params: z.object({ studyId: id, subjectId: id, equipmentId: serial }),
    status: 204,
  },
});
