/** Endpoints for a subject's phone. How the phone queues and repeats calls is in `resources/protocol/phone.md`. */
import { z } from 'zod';
import { PROBLEM_KINDS, TASK_GUIDES } from '../../../vocabulary/problems.ts';
import { count, date, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { sensorConfig, showIf } from './definition.ts';
import { pins } from './device-calls.ts';
import { clientId, phoneBatch, phoneOutcomes, phoneOutgoingMessage, phoneReport, phoneSynced } from './phone-items.ts';

const PHONE = ['PHONE'] as const;
/** Room for a picture; the bodies of other calls are below 1 MB. */
export const PHONE_BODY_BYTES = 8 * 1024 * 1024;

const question = z.strictObject({
  id,
  text: z.string(),
  type: z.string(),
  values: z.array(z.string()),
  isMultiple: z.boolean().optional().meta({ description: 'More than one choice may be given.' }),
  unit: z.string().optional().meta({ description: 'Of a number.' }),
  isRequired: z.boolean().optional().meta({ description: 'Ask once more before it is skipped. It may be skipped.' }),
  showIf: showIf.optional(),
});

const phoneTask = z
  .strictObject({
    id,
    type: z.enum(['activity', 'diary']),
    displayName: z.string(),
    durationSec: z.number().optional().meta({ description: 'Duration of the timer of an activity.' }),
    instructions: z.string().optional(),
    guide: z.enum(TASK_GUIDES).optional().meta({ description: 'The phone guides the subject through it itself.' }),
    questions: z.array(question),
  })
  .meta({ id: 'PhoneTask' });

const dueTask = z
  .strictObject({
    taskId: id,
    type: z.enum(['activity', 'diary']),
    displayName: z.string(),
    window: z
      .strictObject({ start: z.string(), end: z.string(), startTs: timestamp, stopTs: timestamp })
      .optional()
      .meta({ description: 'When the task is due: local times, and the corresponding instants today.' }),
    completed: z.boolean(),
    completedTs: timestamp
      .optional()
      .meta({ description: 'When it was last completed, of those started on this date.' }),
  })
  .meta({ id: 'PhoneDueTask' });

const phoneToday = z
  .strictObject({
    serverTs: timestamp,
    studyName: z.string(),
    subjectName: z.string(),
    timezone: z.string().meta({ description: "The subject's current zone, which determines days and windows." }),
    date,
    isRunning: z
      .boolean()
      .meta({ description: 'False before the study starts and after it stops; reports are then refused.' }),
    dayNumber: count
      .optional()
      .meta({ description: 'Day of the program, counted from 0; absent outside the program.' }),
    countDays: count.optional(),
    tasks: z.array(dueTask),
    unreadMessages: count.meta({ description: 'Unread messages from the study team.' }),
  })
  .meta({ id: 'PhoneToday' });

const phoneProgram = z
  .strictObject({
    serverTs: timestamp,
    studyName: z.string(),
    subjectName: z.string(),
    siteName: z.string(),
    timezone: z.string().meta({ description: "The subject's current zone, which determines days and windows." }),
    isRunning: z.boolean(),
    days: z.array(
      z.strictObject({
        date,
        dayNumber: count.optional().meta({ description: 'Counted from 0; absent outside the program.' }),
        tasks: z.array(dueTask),
      }),
    ),
  })
  .meta({ id: 'PhoneProgram' });

const phoneSensor = z
  .strictObject({
    serial: z.string(),
    displayName: z.string(),
    udid: z.string().optional().meta({ description: 'MAC address, if it is registered.' }),
    hardwareId: z.string().meta({ description: 'Empty when it is not registered.' }),
    location: z.string().meta({ description: 'Where to wear it; empty when the study team has not determined it.' }),
    side: z.string(),
    signal: z.string().optional(),
    heldSinceTs: timestamp,
    lastUploadTs: timestamp.optional().meta({ description: 'Last recording of this subject that the site received.' }),
    lastContactTs: timestamp.optional(),
    batteryPercent: z.number().optional(),
    deviceConfigId: id.optional(),
    sensorConfig: sensorConfig.optional(),
  })
  .meta({ id: 'PhoneSensor' });

const phoneMessage = z
  .strictObject({
    id,
    from: z.enum(['TEAM', 'SUBJECT']),
    authorName: z.string(),
    body: z.string(),
    createdTs: timestamp.meta({ description: 'When the site received the message.' }),
    isRead: z.boolean(),
    readTs: timestamp.optional(),
    writtenTs: timestamp
      .optional()
      .meta({ description: "When the subject wrote it, in the site's time, if the phone reported that." }),
    problem: z.strictObject({ kind: z.enum(PROBLEM_KINDS), sensorSerial: z.string().optional() }).optional(),
    image: z
      .strictObject({ href: z.string(), expiration: timestamp, mimeType: z.string(), sizeBytes: count })
      .optional(),
  })
  .meta({ id: 'PhoneMessage' });

export const phoneRoutes = defineRoutes({
  signInPhone: {
    method: 'POST',
    path: '/phone/sign-in',
    access: 'public',
    onLan: true,
    tag: 'Phone',
    summary: 'Sign a phone in with the token of a subject',
    description:
      'A token is valid for one phone until the first call that uses the new credential. Until then, and for at most ten minutes, the same phone may repeat the call when the answer was lost: it receives another credential, and the unused one is revoked. Errors: LOGIN_FAILED, THROTTLED.',
    body: z.object({
      token: z.string().trim().min(1).max(100),
      phoneId: clientId.meta({ description: 'Generated once when the program is installed.' }),
      clockTs: timestamp
        .optional()
        .meta({ description: 'Clock of the phone; from then on the site knows its offset.' }),
    }),
    errorStatuses: [401, 429],
    status: 201,
    response: z
      .strictObject({
        token: z
          .string()
          .meta({ description: 'Credential of the phone, as in pairing.md, section 4. Returned only once.' }),
        credentialId: id,
        siteId: id,
        siteName: z.string(),
        studyId: id,
        subjectId: id,
        serverTs: timestamp,
        pins: pins.optional(),
        addresses: z.array(z.string()),
      })
      .meta({ id: 'PhoneSignIn' }),
  },
  signOutPhone: {
    method: 'POST',
    path: '/phone/sign-out',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'Revoke the credential of the calling phone',
    description: 'Send queued items first: the credential is not accepted afterwards.',
    status: 204,
  },
  getPhoneToday: {
    method: 'GET',
    path: '/phone/today',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: "Get the tasks of the subject's day, due and done",
    description:
      "The day is the local day in the subject's zone. Tasks are those of the program on that day, in its order.",
    errorStatuses: [403],
    status: 200,
    response: phoneToday,
  },
  getPhoneProgram: {
    method: 'GET',
    path: '/phone/program',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: "Get the subject's days to come, to keep for use without a network",
    description:
      'Consecutive local dates with their tasks, as in Get the day. Days outside the program, and all days while the study does not run, have no tasks.',
    query: z.object({
      from: date.optional().meta({ description: 'First local date, YYYY-MM-DD. Default: yesterday.' }),
      days: z.coerce.number().int().min(1).max(31).default(16),
    }),
    errorStatuses: [403],
    status: 200,
    response: phoneProgram,
  },
  listPhoneSensors: {
    method: 'GET',
    path: '/phone/sensors',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'List the sensors that the subject holds',
    description:
      'A sensor whose placement is not certain has an empty location: the phone tells the subject to ask the study team.',
    order: 'by when they were handed out, then serial',
    errorStatuses: [403],
    status: 200,
    response: listOf(phoneSensor),
  },
  syncPhone: {
    method: 'POST',
    path: '/phone/sync',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'Send reports, messages and read receipts in one idempotent batch',
    description:
      'Every item has its own outcome, and the whole may be repeated. At most 8 MB, 200 reports and 50 messages. Also a contact: it measures the clock of the phone, so send it, empty if need be, right after sign-in and whenever the site is reached.',
    body: phoneBatch,
    bodyLimitBytes: PHONE_BODY_BYTES,
    errorStatuses: [403, 429],
    status: 200,
    response: phoneSynced,
  },
  listPhoneTasks: {
    method: 'GET',
    path: '/phone/tasks',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'List the activities and diaries of the study with instructions, timers and questions',
    description: 'Contains everything needed to do them offline.',
    order: 'activities before diaries, each as in Get a study',
    errorStatuses: [403],
    status: 200,
    response: listOf(phoneTask),
  },
  sendTaskReports: {
    method: 'POST',
    path: '/phone/reports',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'Report completed activities and diaries',
    description:
      'Each report is stored or refused individually. Repeating a report is KNOWN and changes nothing. A different report under the same id is refused: the first one counts.',
    body: z.object({ reports: z.array(phoneReport).min(1).max(200) }),
    errorStatuses: [403],
    status: 200,
    response: phoneOutcomes.meta({ id: 'PhoneReportOutcomes' }),
  },
  listPhoneMessages: {
    method: 'GET',
    path: '/phone/messages',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'List the messages to and from the study team',
    description: 'Images have signed addresses, valid for one hour.',
    order: ['createdTs', 'id'],
    errorStatuses: [403],
    status: 200,
    response: listOf(phoneMessage),
  },
  sendPhoneMessages: {
    method: 'POST',
    path: '/phone/messages',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'Send messages to the study team',
    description: 'Idempotent like reports: the same id and text again is KNOWN.',
    body: z.object({ messages: z.array(phoneOutgoingMessage).min(1).max(100) }),
    bodyLimitBytes: PHONE_BODY_BYTES,
    errorStatuses: [403],
    status: 200,
    response: phoneOutcomes.meta({ id: 'PhoneMessageOutcomes' }),
  },
  markPhoneMessagesRead: {
    method: 'POST',
    path: '/phone/messages/read',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: 'Mark messages of the study team as read by the subject',
    description: 'Idempotent; ids of other messages are ignored.',
    body: z.object({ ids: z.array(id).min(1).max(500) }),
    errorStatuses: [403],
    status: 204,
  },
});
