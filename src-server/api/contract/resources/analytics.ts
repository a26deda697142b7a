/** Daily metrics and intraday channels, as JSON and CSV. */
import { z } from 'zod';
import { CUT_POINT_IDS, NON_WEAR_IDS } from '../../../vocabulary/analysis-parameters.ts';
import { CHANNEL_TABLE, CHANNELS, FURTHER_CHANNELS, PIPELINE_ID } from '../channels.ts';
import {
  booleanParameter,
  count,
  date,
  dateWindow,
  id,
  idParams,
  instantParameter,
  listOf,
  repeatedParameter,
  timestamp,
} from '../common.ts';
import { defineRoutes } from '../route.ts';
import { analysisParameters } from './analysis-parameters.ts';

/** The one pipeline of every study. */
export const METRICS_PIPELINE = { id: PIPELINE_ID, displayName: 'Heart, activity, posture and sleep', version: '1' };

const BIN_INTERVALS_MS = [1000, 5000, 10000, 15000, 30000, 60000] as const;

const algorithmVersion = z.string().meta({
  description:
    'Version of the algorithms that computed the values. Where versions differ within the answer, they are joined by `+`, such as `8+9`.',
});

const number = z.number().nullable();
const epochMethod = z
  .strictObject({
    site: z.enum(['wrist', 'waist']),
    cutPoints: z.enum(CUT_POINT_IDS),
    nonWear: z.enum(NON_WEAR_IDS).nullable().meta({
      description: 'Null for a lower back: its wear follows from breathing too.',
    }),
    calibration: z.strictObject({
      fault: z.enum(['TOO_FEW_WINDOWS', 'SPHERE_NOT_COVERED', 'NO_IMPROVEMENT']).nullable().meta({
        description: 'Why the sensor was not calibrated; null where it was.',
      }),
      offsetG: z.array(z.number()),
      gain: z.array(z.number()),
      errorBeforeG: number,
      errorAfterG: number,
      windows: count,
    }),
  })
  .meta({ id: 'EpochMethod', description: 'How acceleration was calibrated and classified on this day.' });

const parametersOfResults = z.array(analysisParameters).meta({
  description:
    'The parameters that the study had chosen: one entry, or several where results of several are in the answer.',
});

const inputsHash = z.string().meta({
  description:
    'SHA-256 over the lines `date hash` of the days behind the answer, in order, where `hash` is that of version, parameters, recordings, labels of postures and corrections. The same hash means the same values.',
});
const ofAnalysisRun = id.optional().meta({
  description: 'Of this analysis run of the study, instead of those in use.',
});

const dailyMetricsItem = z
  .strictObject({
    dayStartMsUtc: timestamp,
    dataStartTs: timestamp,
    dataStopTs: timestamp,
    errorTypes: z.array(z.string()),
    libraryConfigId: id.meta({
      description:
        'Identifies the version of the algorithms and their settings that computed this day: one id per version.',
    }),
    algorithmVersion,
    inputsHash: z.string().meta({
      description:
        'SHA-256 of all that the day was computed from: version, chosen parameters, recordings, labels of postures and corrections. The same hash means the same values.',
    }),
    parameters: analysisParameters,
    epochMethod: epochMethod.optional().meta({
      description: 'Absent without a wrist, waist or lower back sensor, and on days computed before version 11.',
    }),
    subjectTz: z.string(),
    subjectTzOffset: z.string().meta({ description: 'At the start of the day, +-HH:MM.' }),
    metrics: z.record(z.string(), z.number()),
    validSeconds: z.record(z.string(), z.number()).meta({
      description:
        'Seconds of valid data behind the metrics of each state. Where the heart rate does not come from an ECG alone, also seconds by its origin (HEART_ECG, HEART_RR, HEART_PPI), the number of intervals between heartbeats (BEAT_INTERVALS), and how many of them variability leaves out (BEAT_INTERVALS_LEFT_OUT). HEART_EXCLUDED: seconds in which a person excluded the beats. SLEEPING_BY_WRIST, SLEEPING_BY_CHEST and the like: the seconds asleep, and the sensor by which they were found. With an ECG, also its seconds (HEART_SIGNAL) and those that are readable (HEART_READABLE). HEART_AF: seconds with intervals between heartbeats, over which the bounds of the burden of atrial fibrillation are.',
    }),
    uncorrected: z
      .strictObject({
        algorithmVersion,
        metrics: z.record(z.string(), z.number()),
        validSeconds: z.record(z.string(), z.number()),
      })
      .optional()
      .meta({
        description:
          'On days that corrections by people touch: the values as computed without any. `metrics` then holds the corrected ones.',
      }),
  })
  .meta({ id: 'DailyMetricsItem' });
export type DailyMetricsItem = z.infer<typeof dailyMetricsItem>;

const restingPosture = z
  .strictObject({ c: z.string(), ca: z.number(), s: z.string(), sa: z.number() })
  .meta({ id: 'RestingPosture' });

const intradayChannel = z
  .strictObject({
    type: z.string(),
    units: z.string(),
    times: z.array(z.int()),
    values: z.array(z.union([z.number(), z.string(), restingPosture, z.null()])),
  })
  .meta({ id: 'IntradayChannel' });
export type IntradayChannel = z.infer<typeof intradayChannel>;

const interval = z
  .union([z.int(), z.string()])
  .transform((value, context) => {
    const ms = Number(value);
    if ((BIN_INTERVALS_MS as readonly number[]).includes(ms)) return ms;
    context.addIssue({ code: 'custom', message: `must be one of ${BIN_INTERVALS_MS.join(', ')}` });
    return z.NEVER;
  })
  .meta({ description: `Bin width in ms: ${BIN_INTERVALS_MS.join(', ')}. Default 60000.` });

const CHANNEL_NAMES: readonly string[] = [...CHANNELS, ...FURTHER_CHANNELS].map(({ type }) => type);

const channelTypes = repeatedParameter(
  z
    .string()
    .max(100)
    .refine((type) => CHANNEL_NAMES.includes(type), { message: `must be one of ${CHANNEL_NAMES.join(', ')}` }),
);

export const analyticsRoutes = defineRoutes({
  listMetrics: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/pipelines/metrics',
    access: 'user',
    operation: 'analytics.read',
    tag: 'Analytics',
    summary: 'Get daily metrics',
    description: 'One item per local day with data. A metric without enough data is absent.',
    order: ['dayStartMsUtc'],
    params: idParams.subject,
    query: dateWindow.extend({
      name: repeatedParameter(z.string().max(100)).optional().meta({
        description: 'Only these metrics; a day without any of them has none. Default all.',
      }),
      run: ofAnalysisRun,
    }),
    status: 200,
    response: listOf(dailyMetricsItem),
  },
  getChannels: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/pipelines/{pipelineId}/channels',
    access: 'user',
    operation: 'analytics.read',
    tag: 'Analytics',
    summary: 'Get intraday channels',
    description:
      'Without `type` always the nine channels of the interface; with it those named, as JSON, among them further ones: `/metric_definitions` lists them. All are on one regular grid of bin starts, with null where there is no value. The window is clipped to the existing data; spans of 31 days or more without a recording are omitted. `algorithmVersion` is that of the days in the window, absent when there are none.',
    params: z.object({ studyId: id, subjectId: id, pipelineId: z.string() }),
    query: z.object({
      masterId: z.string(),
      from: instantParameter,
      to: instantParameter,
      interval: interval.optional(),
      type: channelTypes.optional().meta({
        description: `Only these channels. Further ones than the nine: ${FURTHER_CHANNELS.map(({ type }) => type).join(', ')}.`,
      }),
      run: ofAnalysisRun,
    }),
    status: 200,
    response: z.strictObject({
      channels: z.array(intradayChannel),
      libraryConfigId: id.optional(),
      algorithmVersion: algorithmVersion.optional(),
      parameters: parametersOfResults.optional(),
      inputsHash: inputsHash.optional(),
    }),
    alternatives: {
      [CHANNEL_TABLE]:
        'The same values as little-endian columns, in about a ninth of the bytes; each part begins at a multiple of 8 bytes. File: `OPCH`, uint32 length of the head, the head (JSON: `intervalMs`, `columns`, `libraryConfigId`, `algorithmVersion`, `parameters`, `inputsHash`), then blocks. Block: uint32 rows, uint32 0, float64 time of the first row in epoch ms (rows follow at `intervalMs`), one byte per column with the width of its entries, then the columns. A column with `divisor` holds signed integers of 1, 2 or 4 bytes to be divided by it (the smallest integer is null) or float64 where the width is 8 (NaN is null). A column with `names` holds indexes of 1 byte into them. The last block has 0 rows; without it the answer is incomplete.',
    },
  },
  downloadMetricsCsv: {
    method: 'GET',
    path: '/archives/{studyId}/subjects/{subjectId}/metrics',
    access: 'user',
    operation: 'analytics.export',
    tag: 'Analytics',
    summary: 'Download daily metrics as CSV',
    description:
      'One row per local day with data and a column for every metric in alphabetical order. The header `Outpost-Algorithm-Version` holds the version of the algorithms that computed the rows, `Outpost-Analysis-Parameters` their parameters as a JSON list, and `Outpost-Inputs-Hash` the hash of their inputs as in Get intraday channels. Of a subject who withdrew, only the days whose data may be used; 409 where none may.',
    order: 'DATE',
    params: idParams.subject,
    errorStatuses: [409],
    status: 200,
    media: 'text/csv',
  },
  downloadChannelsCsv: {
    method: 'GET',
    path: '/archives/{studyId}/subjects/{subjectId}/days/{date}/channels',
    access: 'user',
    operation: 'analytics.export',
    tag: 'Analytics',
    summary: 'Download the channels of one local day as CSV',
    description:
      'One row per minute: 1440, or 1380 or 1500 on days with a clock change. The header `Outpost-Algorithm-Version` holds the version of the algorithms that computed the rows, `Outpost-Analysis-Parameters` their parameters as a JSON list, and `Outpost-Inputs-Hash` the hash of their inputs as in Get intraday channels. 409 for a day that a subject who withdrew does not allow to be used.',
    params: z.object({ studyId: id, subjectId: id, date }),
    query: z.object({
      further: booleanParameter.optional().meta({
        description: 'Adds the further channels as columns after those of the interface.',
      }),
      run: ofAnalysisRun,
    }),
    errorStatuses: [409],
    status: 200,
    media: 'text/csv',
  },
});
