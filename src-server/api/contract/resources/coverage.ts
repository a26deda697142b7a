/** Where the data of a subject is, and why data is missing. */
import { z } from 'zod';
import { ACTION_KINDS, CAUSE_CODES, CAUSE_TOPICS, PATH_STATES, TARGET_TYPES } from '../../../vocabulary/coverage.ts';
import { FREEABLE_PARTS } from '../../../vocabulary/disk.ts';
import { count, date, id, idParams, instantParameter, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

export const attentionAction = z
  .strictObject({
    kind: z
      .enum(ACTION_KINDS)
      .meta({ description: 'The one thing to do. WAIT: nothing; processing continues automatically.' }),
    target: z.strictObject({ type: z.enum(TARGET_TYPES), id: z.string() }),
  })
  .meta({ id: 'AttentionAction' });

export const evidence = z
  .strictObject({
    sensorId: z.string().optional().meta({ description: 'Serial number.' }),
    sensorName: z.string().optional(),
    deviceId: z.string().optional().meta({ description: 'Serial number of the hub or phone.' }),
    deviceName: z.string().optional(),
    recordingId: z.string().optional(),
    uploadId: z.string().optional(),
    jobId: z.string().optional(),
    atTs: timestamp.optional().meta({ description: 'When it happened, or since when it has been so.' }),
    untilTs: timestamp.optional().meta({ description: 'End of a state that lasted from `atTs`.' }),
    sizeBytes: count.optional(),
    receivedBytes: count.optional(),
    seconds: z.number().optional(),
    count: count.optional(),
    largest: z
      .array(z.strictObject({ part: z.enum(FREEABLE_PARTS), sizeBytes: count }))
      .optional()
      .meta({ description: 'Of a full disk: the largest that can be freed.' }),
    percent: z.number().optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
    date: date.optional().meta({ description: 'Of a visit.' }),
    time: z.string().optional().meta({ description: 'Of a visit, local, hh:mm.' }),
    personName: z.string().optional().meta({ description: 'Whom something is assigned to.' }),
  })
  .meta({ id: 'Evidence' });

const cause = z
  .strictObject({
    code: z.enum(CAUSE_CODES),
    topic: z.enum(CAUSE_TOPICS).meta({
      description:
        '`wear`: the sensor recorded nothing, or nothing usable. `transport`: data may exist but has not arrived.',
    }),
    sentence: z.string(),
    evidence,
    action: attentionAction,
  })
  .meta({ id: 'Cause' });
export type Cause = z.infer<typeof cause>;

const whyNoData = z
  .strictObject({
    date,
    startTs: timestamp,
    stopTs: timestamp.meta({ description: 'Exclusive.' }),
    untilTs: timestamp.meta({
      description: 'End of the examined time: now, on a day that is not over. Later time does not count as missing.',
    }),
    recordedSeconds: z.number().meta({ description: 'Time of the day that at least one stored recording covers.' }),
    holes: z.array(
      z.strictObject({
        startTs: timestamp,
        stopTs: timestamp,
        location: z
          .string()
          .optional()
          .meta({ description: 'Set when only this placement has no data here while others recorded.' }),
        causes: z.array(cause),
      }),
    ),
    causes: z
      .array(cause)
      .meta({ description: 'The causes of all holes and of the analysis, each once, in order of precedence.' }),
  })
  .meta({ id: 'WhyNoData' });
export type WhyNoData = z.infer<typeof whyNoData>;

const signalGap = z
  .strictObject({
    startTs: timestamp,
    stopTs: timestamp,
    udid: z.string().meta({ description: 'Address of the sensor, as in its recordings.' }),
    location: z.string(),
    recordingId: id.optional().meta({ description: 'The recording that contains the gap; absent between recordings.' }),
    causes: z.array(cause).meta({ description: 'Never empty; the first one explains the gap.' }),
  })
  .meta({ id: 'SignalGap' });
export type SignalGap = z.infer<typeof signalGap>;

const coverageDay = z
  .strictObject({
    date,
    startTs: timestamp,
    stopTs: timestamp.meta({ description: 'Exclusive.' }),
    wornSeconds: z.number().optional().meta({ description: 'Absent until the day is analysed.' }),
    sensors: z.array(
      z.strictObject({
        sensorId: z.string().meta({
          description:
            'Serial number; the MAC address of an unregistered sensor; `unknown` when the file names no sensor.',
        }),
        displayName: z.string(),
        location: z.string().optional(),
        isAssigned: z.boolean().meta({ description: 'The subject held the sensor at some time of the day.' }),
        states: z.array(
          z.strictObject({
            state: z.enum(PATH_STATES),
            recordings: count,
            seconds: z.number(),
            sizeBytes: count,
            receivedBytes: count.optional(),
            spans: z
              .array(z.strictObject({ startTs: timestamp, stopTs: timestamp }))
              .meta({ description: 'The parts of the day that it covers, in order of time; `stopTs` is exclusive.' }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'CoverageDay' });
export type CoverageDay = z.infer<typeof coverageDay>;

export const coverageRoutes = defineRoutes({
  listCoverage: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/coverage',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get the coverage of a subject per day and sensor',
    description:
      'Each recording counts once, in its furthest state: ON_SENSOR, ON_HUB (as devices report), RECEIVING, RECEIVED, QUARANTINED (waits for a decision), VERIFIED, ANALYSED, REJECTED. A recording that spans midnight is part of both days; its bytes are divided in proportion to time. Dates are local to the subject; default: the 14 days up to today; at most 366.',
    order: ['date'],
    params: idParams.subject,
    query: z.object({ from: date.optional(), to: date.optional() }),
    status: 200,
    response: listOf(coverageDay),
  },
  getWhyNoData: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/why-no-data',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Explain missing data of a subject on a day',
    description:
      'Every hole of five minutes or more with its causes, the one that explains it first, each with its evidence and one action. Default: today.',
    params: idParams.subject,
    query: z.object({ date: date.optional() }),
    status: 200,
    response: whyNoData,
  },
  listGaps: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/gaps',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Explain gaps in the signals of a subject',
    description:
      'Gaps of one second or more that touch the window, of every sensor with a recording in it: within recordings, and between recordings of one sensor up to the ends of the window or to now. Default: the 14 days up to now; at most 31 days, and the 1000 longest gaps.',
    order: ['startTs', 'stopTs'],
    params: idParams.subject,
    query: z.object({ from: instantParameter.optional(), to: instantParameter.optional() }),
    status: 200,
    response: listOf(signalGap),
  },
});
