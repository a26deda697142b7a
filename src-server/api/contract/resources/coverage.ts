/** Where the data of a subject is, and why there is none. */
import { z } from 'zod';
import { count, date, id, idParams, instantParameter, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { ACTION_KINDS, CAUSE_CODES, CAUSE_TOPICS, PATH_STATES, TARGET_TYPES } from '../vocabulary/coverage.ts';

export const attentionAction = z
  .strictObject({
    kind: z.enum(ACTION_KINDS).meta({ description: 'The one thing to do. WAIT: nothing, it goes on by itself.' }),
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
    atTs: timestamp.optional().meta({ description: 'When it happened, or since when it is so.' }),
    untilTs: timestamp.optional().meta({ description: 'When it ended, of what lasted from `atTs`.' }),
    sizeBytes: count.optional(),
    receivedBytes: count.optional(),
    seconds: z.number().optional(),
    count: count.optional(),
    percent: z.number().optional(),
    code: z.string().optional(),
    detail: z.string().optional(),
  })
  .meta({ id: 'Evidence' });

const cause = z
  .strictObject({
    code: z.enum(CAUSE_CODES),
    topic: z.enum(CAUSE_TOPICS).meta({
      description:
        '`wear`: the sensor recorded nothing or nothing useful. `transport`: data may exist, but has not come.',
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
      description:
        'Only the time before it is looked at: now, on a day that is not over. What is still to come is not missing.',
    }),
    recordedSeconds: z.number().meta({ description: 'Time of the day that at least one stored recording covers.' }),
    holes: z.array(
      z.strictObject({
        startTs: timestamp,
        stopTs: timestamp,
        location: z.string().optional().meta({ description: 'Only this placement has no data here; others recorded.' }),
        causes: z.array(cause),
      }),
    ),
    causes: z.array(cause).meta({ description: 'Of all holes and of the analysis, each once, in order.' }),
  })
  .meta({ id: 'WhyNoData' });
export type WhyNoData = z.infer<typeof whyNoData>;

const signalGap = z
  .strictObject({
    startTs: timestamp,
    stopTs: timestamp,
    udid: z.string().meta({ description: 'Address of the sensor, as in its recordings.' }),
    location: z.string(),
    recordingId: id.optional().meta({ description: 'The recording it lies in; absent between recordings.' }),
    causes: z.array(cause).meta({ description: 'Never empty; the first settles it.' }),
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
            'Serial number; the address of a sensor that is not registered; `unknown` where a file names none.',
        }),
        displayName: z.string(),
        location: z.string().optional(),
        isAssigned: z.boolean().meta({ description: 'The subject held it at some time of the day.' }),
        states: z.array(
          z.strictObject({
            state: z.enum(PATH_STATES),
            recordings: count,
            seconds: z.number(),
            sizeBytes: count,
            receivedBytes: count.optional(),
            spans: z
              .array(z.strictObject({ startTs: timestamp, stopTs: timestamp }))
              .meta({ description: 'When in the day it is, in order of time; `stopTs` is exclusive.' }),
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
    summary: 'Get where the data of a subject is, per day and sensor',
    description:
      'Each recording counts once, in its furthest state: ON_SENSOR, ON_HUB (as devices report), RECEIVING, RECEIVED, QUARANTINED (waits for a decision), VERIFIED, ANALYSED, REJECTED. A recording over midnight is part of both days; its bytes are shared out by time. Dates are local to the subject; default the 14 days up to today, at most 366.',
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
    summary: 'Get why a subject has no data on a day',
    description:
      'Every hole of five minutes and more with its causes, the one that settles it first, each with the facts it rests on and one thing to do. Default: today.',
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
    summary: 'Get where the signals of a subject break off, and why',
    description:
      'Breaks of a second or more that touch the window, of every sensor with a recording in it: within recordings, and between those of one sensor up to the ends of the window, or to now. Default: the 14 days up to now; at most 31 days, and the 1000 longest.',
    order: ['startTs', 'stopTs'],
    params: idParams.subject,
    query: z.object({ from: instantParameter.optional(), to: instantParameter.optional() }),
    status: 200,
    response: listOf(signalGap),
  },
});
