/** Uploads from devices and desks: those in progress, quarantined or refused, and recordings that devices still hold. */
import { z } from 'zod';
import { count, id, listOf, repeatedParameter, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const UPLOAD_STATES = [
  'RECEIVING',
  'RECEIVED',
  'STORED',
  'QUARANTINED',
  'REJECTED',
  'REFUSED',
  'EXPIRED',
  'ENDED',
] as const;
const SENDER = 'Serial number of the hub or phone, or the id of the user who sends from a desk.';
const UPLOAD_ACTIONS = ['accept', 'reject'] as const;

const upload = z
  .strictObject({
    id,
    deviceId: z.string().meta({ description: SENDER }),
    userId: id.optional().meta({ description: 'The user who sent it from a desk; absent for those of devices.' }),
    sensorId: z.string().meta({ description: 'Serial number of the sensor.' }),
    recordingId: id,
    state: z.enum(UPLOAD_STATES),
    sizeBytes: count,
    receivedBytes: count,
    startTs: timestamp.meta({
      description: 'Start of the recording: corrected once known, until then by the clock of the sensor.',
    }),
    stopTs: timestamp.optional(),
    location: z.string().optional(),
    code: z.string().optional().meta({ description: 'Why it was refused or waits for a decision.' }),
    message: z.string().optional(),
    actions: z.array(z.enum(UPLOAD_ACTIONS)).meta({ description: 'Actions available at the desk now.' }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'The subject of the recording, or the presumed one.' }),
    decisionReason: z.string().optional(),
    createdTs: timestamp,
    modifiedTs: timestamp,
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof upload>;

const uploadProgress = z
  .strictObject({
    deviceId: z.string().meta({ description: SENDER }),
    recordings: count.meta({
      description: 'Recordings sent or being sent, excluding those refused or waiting for a decision.',
    }),
    sizeBytes: count,
    receivedBytes: count.meta({ description: 'Bytes durable on the disk of the site.' }),
    verified: count.meta({ description: 'Recordings whose file has been checked and stored.' }),
    analysed: count.meta({ description: 'Recordings whose metrics have been computed.' }),
    blocked: count.meta({ description: 'Files that have been refused or wait for a decision.' }),
    lastTs: timestamp.meta({ description: 'Time of the last progress.' }),
  })
  .meta({ id: 'UploadProgress' });
export type UploadProgress = z.infer<typeof uploadProgress>;

const uploadParams = z.object({ accountId: id, uploadId: id });
const reason = z.string().trim().min(1).max(500);

const heldRecording = z.object({
  recordingId: z.string().min(1).max(64),
  sensor: z.string().min(1).max(64).meta({ description: 'Serial number of the sensor.' }),
  place: z.enum(['SENSOR', 'HUB']),
  sizeBytes: z.int().min(0),
  startTs: timestamp,
  stopTs: timestamp,
});

export const uploadRoutes = defineRoutes({
  listUploads: {
    method: 'GET',
    path: '/accounts/{accountId}/uploads',
    access: 'user',
    operation: 'upload.read',
    tag: 'Uploads',
    summary: 'List uploads of devices',
    description:
      'Without `state`: uploads in progress, quarantined and refused. Uploads of a study are visible to its members. At most 500 without `limit`; a page holds fewer where the caller may not see all.',
    order: ['-createdTs', '-id'],
    params: z.object({ accountId: id }),
    query: z.object({ state: repeatedParameter(z.enum(UPLOAD_STATES)).optional(), ...pageQuery }),
    status: 200,
    response: pageOf(upload),
  },
  listUploadProgress: {
    method: 'GET',
    path: '/accounts/{accountId}/upload_progress',
    access: 'user',
    operation: 'upload.read',
    tag: 'Uploads',
    summary: 'Get the upload progress of each device',
    description:
      'Bytes received, recordings verified and recordings analysed, over uploads in progress and those that progressed in the last 24 hours. Uploads of a study count for its members only.',
    order: ['-lastTs', 'deviceId'],
    params: z.object({ accountId: id }),
    status: 200,
    response: listOf(uploadProgress),
  },
  acceptUpload: {
    method: 'POST',
    path: '/accounts/{accountId}/uploads/{uploadId}/accept',
    access: 'user',
    operation: 'upload.decide',
    tag: 'Uploads',
    summary: 'Accept a quarantined file as a recording of a subject',
    description:
      'The file is checked again and stored; its state shows when this is done. 409 for a file in another state.',
    params: uploadParams,
    body: z.object({ studyId: id, subjectId: id, reason }),
    status: 200,
    response: upload,
  },
  rejectUpload: {
    method: 'POST',
    path: '/accounts/{accountId}/uploads/{uploadId}/reject',
    access: 'user',
    operation: 'upload.decide',
    tag: 'Uploads',
    summary: 'Reject a quarantined file',
    description:
      'The rejection is final for the device. The file is kept for 30 days, during which it can still be accepted.',
    params: uploadParams,
    body: z.object({ reason }),
    status: 200,
    response: upload,
  },
  reportManifest: {
    method: 'POST',
    path: '/device/manifest',
    access: 'device',
    tag: 'Devices',
    summary: 'Report the recordings that the device and its sensors still hold',
    description:
      'Replaces the previous report. The answer states the action for each recording: SEND it, KEEP it for now (the site refuses it until staff resolve the reason), or DELETE it because the site has stored it, staff rejected it, or its person was erased.',
    body: z.object({ recordings: z.array(heldRecording).max(5000) }),
    status: 200,
    response: z
      .strictObject({
        reportedTs: timestamp,
        recordings: z.array(
          z.strictObject({
            recordingId: z.string(),
            action: z.enum(['SEND', 'KEEP', 'DELETE']),
            state: z.enum(UPLOAD_STATES).optional(),
            code: z.string().optional(),
          }),
        ),
      })
      .meta({ id: 'ManifestAnswer' }),
  },
});
