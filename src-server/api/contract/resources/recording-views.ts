/** Derived views of one recording for a viewer: minimum and maximum per bin of a window, and the detected beats. */
import { z } from 'zod';
import { GAP_REASONS } from '../../../vocabulary/coverage.ts';
import { booleanParameter, count, id, instantParameter, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

export const MAX_VIEW_BINS = 4000;
/** Longest window of Get beats, in ms. */
export const MAX_BEATS_WINDOW_MS = 10 * 60_000;

const oneRecording = z.object({ studyId: id, recordingId: id });

const overviewChannel = z
  .strictObject({
    type: z.string(),
    dimensions: z.array(z.string()),
    unit: z.string(),
    nominalRateHz: z.number(),
    startTs: timestamp.meta({ description: 'Start of the first bin.' }),
    binMs: count.meta({ description: 'Width of every bin; never below 1000.' }),
    sampleCounts: z.array(z.int()).meta({ description: 'Samples per bin; 0 marks a gap.' }),
    minima: z.record(z.string(), z.array(z.number().nullable())),
    maxima: z.record(z.string(), z.array(z.number().nullable())),
    gaps: z
      .array(
        z
          .strictObject({
            startTs: timestamp,
            stopTs: timestamp,
            reason: z
              .enum(GAP_REASONS)
              .optional()
              .meta({ description: 'As the recording itself gives it; absent when it gives none.' }),
          })
          .meta({ id: 'ChannelGap' }),
      )
      .meta({ description: 'Gaps of one second or more within the window.' }),
  })
  .meta({ id: 'OverviewChannel' });
export type OverviewChannel = z.infer<typeof overviewChannel>;

const recordingOverview = z
  .strictObject({
    startTs: timestamp,
    stopTs: timestamp,
    readableFromTs: timestamp.nullable().optional().meta({
      description:
        'With `readable=true`: where the signal first becomes readable, by the results of the analysis: ten seconds in a row with an ECG of quality 10 or more, or with beat intervals, or, without either channel, on the body; without so many, the first such second. Null where the whole recording was analysed and has none; absent where that is not known. Results are those of the subject: another recording in the same time counts as well.',
    }),
    channels: z.array(overviewChannel),
  })
  .meta({ id: 'RecordingOverview' });
export type RecordingOverview = z.infer<typeof recordingOverview>;

const beatUse = z.enum(['USED', 'EARLY_OR_ODD', 'DOUBTFUL']);

const beat = z
  .strictObject({
    timeUs: z.int().meta({ description: 'R peak or pulse wave, epoch microseconds.' }),
    use: beatUse.meta({
      description:
        'USED: counts for heart rate and variability. EARLY_OR_ODD: counts for the rate only. DOUBTFUL: hardly distinguishable from noise, excluded from both.',
    }),
    isAfterBreak: z.boolean().meta({ description: 'No RR interval ends at this beat.' }),
    intervalMs: z.number().optional().meta({
      description:
        'The interval that ends at this beat as the device reported it, if it did: also where a beat was missed and the interval is not used.',
    }),
    correction: z.enum(['ADDED', 'MOVED', 'RELABELLED']).optional().meta({ description: 'What a person did to it.' }),
    code: z.string().optional().meta({ description: 'The type that a person gave it, as in List corrections.' }),
    originalUs: z.int().optional().meta({ description: 'Where a moved beat was detected.' }),
    originalUse: beatUse.optional().meta({ description: 'What a moved or relabelled beat was detected as.' }),
  })
  .meta({ id: 'Beat' });
export type Beat = z.infer<typeof beat>;

const beatsOfRecording = z
  .strictObject({
    algorithmVersion: z.string().meta({ description: 'Version of the algorithms that found the beats.' }),
    inputsHash: z.string().meta({
      description:
        'SHA-256 of what they were found from: version, recording and the corrections in force. Finding beats has no parameters that a study chooses.',
    }),
    beats: z.array(beat),
    gone: z
      .array(
        z.strictObject({
          timeUs: z.int(),
          correction: z.enum(['DELETED', 'EXCLUDED']),
          originalUs: z.int().optional(),
          originalUse: beatUse.optional(),
        }),
      )
      .optional()
      .meta({ description: 'Detected beats that a person deleted or excluded. Absent when there are none.' }),
    excluded: z
      .array(z.strictObject({ startTs: timestamp, stopTs: timestamp }))
      .optional()
      .meta({ description: 'Spans that a person excluded. Absent when there are none.' }),
    quality: z
      .strictObject({
        startTs: timestamp,
        values: z.array(z.int().nullable()).meta({
          description: 'Signal quality per second, 0 to 100; -1 without contact; null without samples.',
        }),
      })
      .optional(),
    unresolved: z
      .array(z.strictObject({ startTs: timestamp, stopTs: timestamp }))
      .optional()
      .meta({
        description:
          'Whole seconds in which the rhythm cannot be resolved into beats, as in ventricular flutter or fibrillation or under strong interference: they have no beats, no heart rate and quality 0. Absent when there are none.',
      }),
  })
  .meta({ id: 'RecordingBeats' });
export type RecordingBeats = z.infer<typeof beatsOfRecording>;

export const recordingViewRoutes = defineRoutes({
  getRecordingOverview: {
    method: 'GET',
    path: '/studies/{studyId}/recordings/{recordingId}/overview',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get minimum and maximum per bin in a window of a recording',
    description:
      'Channels are in the order of the file; bins ascend in time and are aligned to multiples of their width since the epoch. Default: the whole recording in at most 1000 bins.',
    params: oneRecording,
    query: z.object({
      from: instantParameter.optional(),
      to: instantParameter.optional(),
      bins: z.coerce.number().int().min(1).max(MAX_VIEW_BINS).default(1000),
      readable: booleanParameter.optional().meta({ description: 'Also looks for the first readable signal.' }),
    }),
    status: 200,
    response: recordingOverview,
  },
  getRecordingBeats: {
    method: 'GET',
    path: '/studies/{studyId}/recordings/{recordingId}/beats',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get the beats in a window of a recording',
    description:
      'Ascending in time; the window is at most 10 minutes. Beats are computed per request with the method of the metrics and half a minute of signal on each side, so that a beat at an edge is the same in every window. Beats come from the ECG, else from RR intervals, else from pulse intervals, whose beats are EARLY_OR_ODD as their variability is not that of the heart. A recording without any has none. Corrections by people are applied; with `detected=true` they are not.',
    params: oneRecording,
    query: z.object({ from: instantParameter, to: instantParameter, detected: booleanParameter.optional() }),
    status: 200,
    response: beatsOfRecording,
  },
});
