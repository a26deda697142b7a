/** What a subject's phone calls. How it queues and repeats is in `resources/protocol/phone.md`. */
import { z } from 'zod';
import { count, date, id, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { pins } from './device-calls.ts';

const PHONE = ['PHONE'] as const;
/** Made by the phone, so that sending again changes nothing. */
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
    durationSec: z.number().optional().meta({ description: 'Of an activity: how long its timer runs.' }),
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
      .meta({ description: 'When it is meant to be done: local times, and the instants they are today.' }),
    completed: z.boolean(),
    completedTs: timestamp.optional().meta({ description: 'When it was last begun today.' }),
  })
  .meta({ id: 'PhoneDueTask' });

const phoneToday = z
  .strictObject({
    serverTs: timestamp,
    studyName: z.string(),
    subjectName: z.string(),
    timezone: z.string().meta({ description: "The subject's zone now: days and windows go by it." }),
    date,
    isRunning: z.boolean().meta({ description: 'False when the study takes nothing more, or not yet.' }),
    dayNumber: count.optional().meta({ description: 'Day of the program, from 0; absent outside of it.' }),
    countDays: count.optional(),
    tasks: z.array(dueTask),
    unreadMessages: count.meta({ description: 'Of the study team, not read yet.' }),
  })
  .meta({ id: 'PhoneToday' });

const outcome = z
  .strictObject({
    id,
    state: z.enum(['STORED', 'KNOWN', 'REFUSED']).meta({
      description: 'KNOWN: it had come before, so nothing changed. The phone may forget STORED and KNOWN ones.',
    }),
    code: z.string().optional(),
    message: z.string().optional(),
    permanent: z.boolean().optional().meta({ description: 'Of REFUSED: sending it again will not help.' }),
  })
  .meta({ id: 'PhoneOutcome' });
const outcomes = z.strictObject({ serverTs: timestamp, outcomes: z.array(outcome) });

const phoneMessage = z
  .strictObject({
    id,
    from: z.enum(['TEAM', 'SUBJECT']),
    authorName: z.string(),
    body: z.string(),
    createdTs: timestamp.meta({ description: 'When the site had it.' }),
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
      'A token is good for one phone and ends with the first call that uses its credential. Until then, and for ten minutes at most, the same phone may repeat the call when the answer was lost: it gets another credential, and the unused one ends. Refusals: LOGIN_FAILED, THROTTLED.',
    body: z.object({
      token: z.string().trim().min(1).max(100),
      phoneId: clientId.meta({ description: 'Made once when the program was installed.' }),
    }),
    errorStatuses: [401, 429],
    status: 201,
    response: z
      .strictObject({
        token: z
          .string()
          .meta({ description: 'Credential of the phone, as in pairing.md, section 4. Shown this once.' }),
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
    summary: 'End the credential of the calling phone',
    description: 'Send what waits first: nothing is taken with this credential after it.',
    status: 204,
  },
  getPhoneToday: {
    method: 'GET',
    path: '/phone/today',
    access: 'device',
    deviceKinds: PHONE,
    tag: 'Phone',
    summary: "The subject's day: what is due, when, and what is done",
    description: "The day is that of the subject's own zone. Tasks are those the program puts on it, in its order.",
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
    summary: 'Every activity and diary of the study, with instructions, timers and questions',
    description: 'Enough to do them without a network.',
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
    summary: 'Report activities and diaries that were done',
    description:
      'Each report is taken or refused for itself. The same report again is KNOWN and changes nothing; another one under the same id is refused: the first one counts.',
    body: z.object({
      reports: z
        .array(
          z.object({
            id: clientId,
            taskId: id,
            startTs: instant.meta({ description: 'When it was begun.' }),
            stopTs: instant,
            intendedTs: instant.optional().meta({ description: 'When it was due: the start of its window.' }),
            openedTs: instant.optional().meta({ description: 'When the subject first opened it.' }),
            completedTs: instant.optional().meta({ description: 'When the last answer was given; default stopTs.' }),
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
              .meta({ description: 'Stretches to be marked on the signal, such as the postures of a calibration.' }),
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
    summary: 'The conversation with the study team',
    description: 'Pictures come by signed addresses that hold for an hour.',
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
    description: 'Repeated as reports are: the same id and text again is KNOWN.',
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
    summary: 'Say which messages of the study team the subject has read',
    description: 'Doing it again changes nothing; ids that are no such messages are passed over.',
    body: z.object({ ids: z.array(id).min(1).max(500) }),
    errorStatuses: [403],
    status: 204,
  },
});
