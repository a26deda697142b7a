/** Endpoints for a subject's phone. How the phone queues and repeats calls is in `resources/protocol/phone.md`. */
import { z } from 'zod';
import { count, date, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { pins } from './device-calls.ts';

const PHONE = ['PHONE'] as const;
/** Idempotency key made by the phone. */
const clientId = z.uuid().transform((value) => value.toLowerCase());
const instant = z.int().min(0).max(8.64e15).meta({ description: 'Epoch milliseconds by the clock of the phone.' });

const question = z.strictObject({
  id,
  text: z.string(),
  type: z.string(),
  values: z.array(z.string()),
});

const phoneTask = z
  .strictObject({
    id,
    type: z.enum(['activity', 'diary']),
    displayName: z.string(),
    durationSec: z.number().optional().meta({ description: 'Duration of the timer of an activity.' }),
    instructions: z.string().optional(),
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
    completedTs: timestamp.optional().meta({ description: 'When it was last started today.' }),
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

const outcome = z
  .strictObject({
    id,
    state: z.enum(['STORED', 'KNOWN', 'REFUSED']).meta({
      description: 'KNOWN: received before, so nothing changed. The phone may discard STORED and KNOWN items.',
    }),
    code: z.string().optional(),
    message: z.string().optional(),
    permanent: z.boolean().optional().meta({ description: 'Only with REFUSED: repeating the item will not help.' }),
  })
  .meta({ id: 'PhoneOutcome' });
const outcomes = z.strictObject({ serverTs: timestamp, outcomes: z.array(outcome) });

const phoneMessage = z
  .strictObject({
    id,
    from: z.enum(['TEAM', 'SUBJECT']),
    authorName: z.string(),
    body: z.string(),
    createdTs: timestamp.meta({ description: 'When the site received the message.' }),
    isRead: z.boolean(),
    readTs: timestamp.optional(),
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
    body: z.object({
      reports: z
        .array(
          z.object({
            id: clientId,
            taskId: id,
            startTs: instant.meta({ description: 'When the task was started.' }),
            stopTs: instant,
            intendedTs: instant.optional().meta({ description: 'When the task was due: the start of its window.' }),
            openedTs: instant.optional().meta({ description: 'When the subject first opened the task.' }),
            completedTs: instant.optional().meta({ description: 'When the last answer was given. Default: stopTs.' }),
            answers: z
              .array(z.object({ questionId: id, value: z.string().max(10_000) }))
              .max(500)
              .default([])
              .meta({
                description: 'In the order of the questions. Several choices of one question are several items.',
              }),
            marks: z
              .array(
                z.object({
                  id: clientId,
                  displayName: z.string().trim().min(1).max(200),
                  startTs: instant,
                  stopTs: instant,
                }),
              )
              .max(100)
              .default([])
              .meta({ description: 'Segments to mark in the signal, such as the postures of a calibration.' }),
          }),
        )
        .min(1)
        .max(200),
    }),
    errorStatuses: [403],
    status: 200,
    response: outcomes.meta({ id: 'PhoneReportOutcomes' }),
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
    body: z.object({
      messages: z
        .array(z.object({ id: clientId, body: z.string().trim().min(1).max(10_000) }))
        .min(1)
        .max(100),
    }),
    errorStatuses: [403],
    status: 200,
    response: outcomes.meta({ id: 'PhoneMessageOutcomes' }),
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
