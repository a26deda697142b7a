/** Schemas of what a phone sends: task reports and messages, with the state of its clock. */
import { z } from 'zod';
import { LONGEST_MESSAGE } from '../../../vocabulary/message-placeholders.ts';
import { PROBLEM_KINDS } from '../../../vocabulary/problems.ts';
import { count, id, timestamp } from '../common.ts';

/** Idempotency key made by the phone. */
export const clientId = z.uuid().transform((value) => value.toLowerCase());
const instant = z.int().min(0).max(8.64e15).meta({ description: 'Epoch milliseconds by the clock of the phone.' });

/** Pictures of one message. A phone sends further ones as messages of their own. */
const MAX_IMAGES = 1;
/** As base64; the limit of the whole call is larger. */
const MAX_IMAGE_CHARACTERS = 7_900_000;

const clock = z
  .object({
    offsetMs: z
      .int()
      .min(-8.64e15)
      .max(8.64e15)
      .meta({ description: "Add it to the phone's times to get the site's." }),
    uncertaintyMs: z.number().min(0).max(8.64e15),
    state: z.enum(['MEASURED', 'CHANGED', 'UNKNOWN']).meta({
      description:
        'MEASURED: the clock was not set since a contact that measured the offset. CHANGED: it was set since, and the offset is an estimate. UNKNOWN: never measured.',
    }),
  })
  .meta({
    id: 'PhoneClock',
    description:
      'The clock of the phone when the item was made. Without it, times are taken as they are. The site does not trust an offset that contradicts its own measurements.',
  });

export const phoneReport = z
  .object({
    id: clientId,
    taskId: id,
    startTs: instant.meta({ description: 'When the task was started.' }),
    stopTs: instant,
    intendedTs: instant.optional().meta({
      description:
        "When the task was due: `window.startTs` as the site gave it. It is in the site's time and is never corrected by `clock`.",
    }),
    openedTs: instant.optional().meta({ description: 'When the subject first opened the task.' }),
    completedTs: instant.optional().meta({ description: 'When the last answer was given. Default: stopTs.' }),
    clock: clock.optional(),
    answers: z
      .array(
        z.union([
          z.object({ questionId: id, value: z.string().max(10_000) }),
          z.object({ questionId: id, skipped: z.literal(true) }),
        ]),
      )
      .max(500)
      .default([])
      .meta({
        description:
          'In the order of the questions. Several choices of one question are several items. `skipped`: the subject chose not to answer.',
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
  })
  .meta({ id: 'PhoneReport' });
export type PhoneReport = z.output<typeof phoneReport>;

export const phoneOutgoingMessage = z
  .object({
    id: clientId,
    body: z.string().trim().max(LONGEST_MESSAGE).default('').meta({
      description: 'May be empty with an image or a problem.',
    }),
    createdTs: instant.optional().meta({ description: 'When the subject wrote it.' }),
    clock: clock.optional(),
    problem: z
      .object({
        kind: z.enum(PROBLEM_KINDS),
        sensorSerial: z.string().min(1).max(64).optional().meta({ description: 'As in List sensors.' }),
      })
      .optional()
      .meta({ description: 'The message reports a problem: it becomes an item on Today at the desk.' }),
    images: z
      .array(
        z.object({
          id: clientId,
          mimeType: z.literal('image/jpeg'),
          base64: z.string().min(1).max(MAX_IMAGE_CHARACTERS),
        }),
      )
      .max(MAX_IMAGES)
      .default([])
      .meta({ description: 'At most one; send further pictures as messages of their own.' }),
  })
  .meta({ id: 'PhoneOutgoingMessage' });
export type PhoneOutgoingMessage = z.output<typeof phoneOutgoingMessage>;

/** An item that breaks its schema: refused alone, and the others of its batch are stored. */
const malformed = z
  .looseObject({ id: clientId })
  .transform((item) => ({ id: item.id, malformed: item as unknown }))
  .meta({ description: 'Anything else with an id is refused, and the other items are stored.' });

/** An item of a batch: as documented, or with an outcome of its own. */
export const phoneBatch = z.object({
  clockTs: instant.meta({ description: 'Clock of the phone when it sent this call.' }),
  batteryPercent: z.number().min(0).max(100).optional(),
  reports: z
    .array(z.union([phoneReport, malformed]))
    .max(200)
    .default([]),
  messages: z
    .array(z.union([phoneOutgoingMessage, malformed]))
    .max(50)
    .default([]),
  readIds: z
    .array(id)
    .max(500)
    .default([])
    .meta({ description: 'Messages of the study team that the subject has read; other ids are ignored.' }),
});

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
export const phoneOutcomes = z.strictObject({ serverTs: timestamp, outcomes: z.array(outcome) });

export const phoneSynced = z
  .strictObject({
    receivedTs: timestamp.meta({ description: "Site's clock when the head of this call arrived." }),
    serverTs: timestamp.meta({ description: "Site's clock when this answer was made." }),
    reports: z.array(outcome).meta({ description: 'In the order of the call.' }),
    messages: z.array(outcome),
    unreadMessages: count,
  })
  .meta({ id: 'PhoneSynced' });
