/** Recordings, their raw data and their files. */
import { z } from 'zod';
import {
  booleanParameter,
  count,
  date,
  dateWindow,
  id,
  idParams,
  instantParameter,
  link,
  listOf,
  signedUrl,
  timestamp,
} from '../common.ts';
import { newestFirst, pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { physicalConfig, sensorConfig } from './definition.ts';
import { fault } from './equipment.ts';

/** All formats except the ZIP, which has an address of its own. */
const OTHER_RECORDING_FORMATS = [
  'edf',
  'edf-d',
  'edf-exact',
  'bdf',
  'bdf-d',
  'bdf-exact',
  'wfdb',
  'beats-csv',
  'beats-method',
  'rr-kubios',
  'rr-kubios-detected',
  'parquet',
] as const;

export const recording = z
  .strictObject({
    id,
    studyId: id,
    subjectId: id,
    deviceConfigId: id,
    createdTs: timestamp,
    recordingId: z.int(),
    recordingStartTs: timestamp,
    recordingStopTs: timestamp,
    uploadStartTs: timestamp,
    export: z.strictObject({ href: z.string(), sizeBytes: count }),
    faults: z.array(fault),
    firmwareId: z.string(),
    hardwareId: z.string(),
    udid: z.string().meta({ description: 'MAC address of the sensor; empty when the file names none.' }),
    equipmentId: z
      .string()
      .optional()
      .meta({ description: 'Serial number of the registered sensor; absent when unknown.' }),
    physicalConfig,
    sensorConfig,
    status: z.string(),
  })
  .meta({ id: 'Recording' });
export type Recording = z.infer<typeof recording>;

const rawDataChannel = z
  .strictObject({
    type: z.string().meta({ description: 'ACCEL, GYRO, ECG, EMG, or the label of a foreign signal.' }),
    dimensions: z.array(z.string()),
    times: z.array(z.int()),
    values: z.record(z.string(), z.array(z.number())),
    recording,
  })
  .meta({ id: 'RawDataChannel' });
export type RawDataChannel = z.infer<typeof rawDataChannel>;

const rawDataWarning = z
  .strictObject({
    code: z.literal('SIGNAL_FILE_DAMAGED'),
    message: z.string(),
    recordingId: id,
    type: z
      .string()
      .optional()
      .meta({ description: 'The channel that lost samples; absent when any channel of the recording may have.' }),
    fromTs: timestamp.optional().meta({ description: 'First lost sample; absent when unknown.' }),
    toTs: timestamp.optional().meta({ description: 'Last lost sample.' }),
  })
  .meta({ id: 'RawDataWarning' });
export type RawDataWarning = z.infer<typeof rawDataWarning>;

const rawDataPage = z
  .strictObject({
    channels: z.array(rawDataChannel),
    warnings: z.array(rawDataWarning).optional().meta({
      description:
        'Stored data of this window that could not be read. Rows missing for this reason are not a gap in the recording. Absent when everything was read.',
    }),
    links: z.array(link).optional().meta({ description: 'One link `next`; absent on the last page.' }),
  })
  .meta({ id: 'RawDataPage' });
export type RawDataPage = z.infer<typeof rawDataPage>;

const recordingStats = z
  .strictObject({
    subjectId: id,
    countDays: count.meta({ description: 'Distinct local dates on which recordings started.' }),
    countRecordings: count,
    countSensors: count.meta({ description: 'Distinct sensors that were ever assigned to the subject.' }),
    durationMs: count.meta({ description: 'Sum over all recordings of all sensors.' }),
    firstStartTs: timestamp,
    lastStartTs: timestamp,
    lastUploadTs: timestamp.meta({ description: 'Upload of the last recording.' }),
  })
  .meta({ id: 'RecordingStats' });

const dailyRecordingStats = z
  .strictObject({
    studyId: id,
    date,
    countRecordings: count,
    countSubjects: count,
    firstRecStartTs: timestamp,
    lastRecStartTs: timestamp,
    sumDurationMs: count.meta({ description: 'Total duration of the recordings that started on this date.' }),
  })
  .meta({ id: 'DailyRecordingStats' });

const recordingsQuery = z.object({
  ...pageQuery,
  from: instantParameter
    .optional()
    .meta({ description: 'Only recordings that end at or after this instant: epoch milliseconds, or ISO 8601.' }),
  to: instantParameter
    .optional()
    .meta({ description: 'Only recordings that start at or before this instant: epoch milliseconds, or ISO 8601.' }),
  newest: newestFirst,
});

const subjectRecordingsQuery = recordingsQuery.extend({
  overlapping: id.optional().meta({
    description:
      'Only this recording and those that share time with it. None when it is not a recording of the subject.',
  }),
});

const tsMicros = booleanParameter.optional().meta({ description: 'true: `times` in microseconds. Default false.' });

const rawDataAlternatives = {
  'application/vnd.apache.arrow.stream':
    'An Arrow IPC stream. One row per sample, each record batch of one channel of one recording, channels in the order of the JSON answer, each at its own rate. Columns: `recording_id` and `type` (dictionaries of text), `time` (timestamp in microseconds, UTC, regardless of `tsMicros`), and one float64 per dimension (`v`, or `x`, `y` and `z`), null where the row has no such dimension. Metadata of the schema: `channels` (JSON, with unit and nominal rate of each), `warnings` (JSON, as in the JSON answer) and `next` (address of the next page); the last two are present only when needed.',
};

export const recordingRoutes = defineRoutes({
  listStudyRecordings: {
    method: 'GET',
    path: '/studies/{studyId}/recordings',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'List recordings of a study',
    description: 'All metadata of each recording, without its data. `export.href` returns a signed address of its ZIP.',
    order: ['recordingStartTs', 'id'],
    params: idParams.study,
    query: recordingsQuery,
    status: 200,
    isStored: true,
    response: pageOf(recording),
  },
  listSubjectRecordings: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/recordings',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'List recordings of a subject',
    description: 'All metadata of each recording, without its data. `export.href` returns a signed address of its ZIP.',
    order: ['recordingStartTs', 'id'],
    params: idParams.subject,
    query: subjectRecordingsQuery,
    status: 200,
    isStored: true,
    response: pageOf(recording),
  },
  listRecordingStats: {
    method: 'GET',
    path: '/studies/{studyId}/recording_stats',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get recording stats of a study per subject',
    description:
      'One item per subject with recordings. A recording counts on the local date on which it started, in the zone of the subject at that time. Test subjects are excluded; hidden subjects count.',
    order: 'that of List subjects',
    params: idParams.study,
    status: 200,
    response: listOf(recordingStats),
  },
  listDailyRecordingStats: {
    method: 'GET',
    path: '/studies/{studyId}/daily_recording_stats',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get recording stats of a study per day',
    description:
      'One item per local date on which recordings started, each in the zone of its subject. Test subjects are excluded; hidden subjects count.',
    order: ['date'],
    params: idParams.study,
    query: dateWindow,
    status: 200,
    response: listOf(dailyRecordingStats),
  },
  getRawData: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/data',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get recording data',
    description:
      'Samples whose time in ms, floor(us / 1000), is between `from` and `to`, both inclusive. Channels are ordered by recording start, then recording id, then channel. At most 200,000 rows per page; follow `links` for the rest. Times are those of the sensor; no nominal rate is assumed. `warnings` lists damaged segments and recordings whose file cannot be read; when nothing of the window can be read, the answer is 500 SIGNAL_FILE_DAMAGED.',
    params: idParams.subject,
    query: z.object({ from: instantParameter, to: instantParameter, deviceId: z.string().optional(), tsMicros }),
    status: 200,
    response: rawDataPage,
    alternatives: rawDataAlternatives,
  },
  getAnnotationData: {
    method: 'GET',
    path: '/studies/{studyId}/annotations/{annotationId}/data',
    access: 'user',
    operation: 'recording.read',
    tag: 'Recordings',
    summary: 'Get recording data from the start to the stop of an annotation',
    description: 'Covers all sensors of the subject. Pages and their links are those of Get recording data.',
    params: z.object({ studyId: id, annotationId: id }),
    query: z.object({ deviceId: z.string().optional(), tsMicros }),
    status: 200,
    response: rawDataPage,
    alternatives: rawDataAlternatives,
  },
  getRecordingExport: {
    method: 'GET',
    path: '/studies/{studyId}/recordings/{recordingId}/export',
    access: 'user',
    operation: 'recording.export',
    tag: 'Recordings',
    summary: 'Get a signed address of the file of a recording',
    description:
      'The address is valid for one hour and needs no credentials. It is that of the ZIP of CSV files unless `format` names another. The file is created when it is first fetched; its size is then in Content-Length. EDF+ holds 16 bits per sample and is refused (415) for a recording with more; BDF+ holds 24. 409 for a recording that a subject who withdrew does not allow to be used.',
    params: z.object({ studyId: id, recordingId: id }),
    query: z.object({
      format: z
        .enum(['zip', ...OTHER_RECORDING_FORMATS])
        .default('zip')
        .meta({
          description:
            'zip: CSV per modality. edf: EDF+C, which every EDF reader opens, with each signal interpolated onto an even grid at its measured rate; spans without samples hold a physical zero and carry an annotation `Gap: TYPE`. edf-d: EDF+D, the same grid without records that hold no sample; EDFlib and EDFbrowser do not read it. edf-exact: every count as recorded and, where samples are not evenly spaced, the time of each in additional signals (EDF+D). bdf, bdf-d, bdf-exact: the same with 24 bits per sample. EDF and BDF files have the local time of the subject, with its offset from UTC after `TZ=` in the recording field, and hold labels, tasks and answers as annotations. wfdb: a ZIP with one WFDB record per channel on an even grid (times UTC, places without a sample marked as such) and the heartbeats as annotation file `qrs`. beats-csv: one row per heartbeat: `time_us`, `time_utc`, `rr_ms` (empty after a gap and beside a doubtful beat), `is_nn` (1 where variability uses the interval), `use`, `is_after_break`. rr-kubios: two columns in seconds, time of the beat from the first one on and RR interval, as Kubios HRV opens them; rr-kubios-detected: the same without corrections. beats-method: JSON with what the beats in these files were found with, which they cannot say themselves: version of the algorithms, parameters of the study, corrections, and SHA-256 of the recording and of all inputs. Where people corrected beats, beats-csv has the columns `code`, `correction` (ADDED, MOVED, RELABELLED, DELETED, EXCLUDED), `original_time_us` and `original_use` in addition, with a row for each beat taken out, and wfdb an annotation file `auto` with the beats as detected. parquet: one row per sample with `type`, `time` (UTC, microseconds) and one column per dimension.',
        }),
      deidentified: booleanParameter.optional().meta({
        description:
          'true: without anything that identifies the subject, the sensor or a date. Ids become codes, times are shifted as in de-identified exports of the study, serial number, versions and source are removed, and unknown channel labels are numbered. Default false.',
      }),
    }),
    errorStatuses: [409],
    status: 200,
    response: signedUrl,
  },
  downloadRecordingFile: {
    method: 'GET',
    path: '/files/recordings/{recordingId}/export.zip',
    access: 'signed-url',
    tag: 'Recordings',
    summary: 'Download the ZIP of a recording',
    description: 'Needs no credentials while the signature is valid. Range requests are supported.',
    params: z.object({ recordingId: id }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    errorStatuses: [409],
    status: 200,
    media: 'application/zip',
  },
  downloadRecordingDeidentified: {
    method: 'GET',
    path: '/files/recordings/{recordingId}/deidentified/{format}',
    access: 'signed-url',
    tag: 'Recordings',
    summary: 'Download a de-identified recording',
    description:
      'Needs no credentials while the signature is valid. Range requests are supported. The file name reveals neither the recording nor a date.',
    params: z.object({ recordingId: id, format: z.enum(['zip', ...OTHER_RECORDING_FORMATS]) }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    errorStatuses: [409],
    status: 200,
    media: 'application/octet-stream',
    alternatives: {
      'application/zip': 'The answer for a ZIP.',
      'application/vnd.apache.parquet': 'The answer for Parquet.',
      'application/json': 'The answer for the method of beats.',
      'text/csv': 'The answer for the CSV of beats.',
      'text/plain': 'The answer for RR intervals.',
    },
  },
  downloadRecordingAs: {
    method: 'GET',
    path: '/files/recordings/{recordingId}/formats/{format}',
    access: 'signed-url',
    tag: 'Recordings',
    summary: 'Download a recording as EDF+, BDF+ or Parquet',
    description: 'Needs no credentials while the signature is valid. Range requests are supported.',
    params: z.object({ recordingId: id, format: z.enum(OTHER_RECORDING_FORMATS) }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    errorStatuses: [409],
    status: 200,
    media: 'application/octet-stream',
    alternatives: { 'application/vnd.apache.parquet': 'The answer for Parquet.' },
  },
});
