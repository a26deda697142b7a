/** Files on their way from devices: what waits for a decision, what was refused, and what devices still hold. */
import { z } from 'zod';
import { count, id, listOf, repeatedParameter, timestamp } from '../common.ts';
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
const UPLOAD_ACTIONS = ['accept', 'reject'] as const;

const upload = z
  .strictObject({
    id,
    deviceId: z.string().meta({ description: 'Serial number of the hub or phone.' }),
    sensorId: z.string().meta({ description: 'Serial number of the sensor.' }),
    recordingId: id,
    state: z.enum(UPLOAD_STATES),
    sizeBytes: count,
    receivedBytes: count,
    startTs: timestamp.meta({ description: 'Start of the recording: corrected once it is known, else by the sensor.' }),
    stopTs: timestamp.optional(),
    location: z.string().optional(),
    code: z.string().optional().meta({ description: 'Why it was refused or waits for a decision.' }),
    message: z.string().optional(),
    actions: z.array(z.enum(UPLOAD_ACTIONS)).meta({ description: 'What the desk can do with it now.' }),
    studyId: id.optional(),
    subjectId: id.optional().meta({ description: 'Whose it is, or would be.' }),
    decisionReason: z.string().optional(),
    createdTs: timestamp,
    modifiedTs: timestamp,
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof upload>;

const uploadProgress = z
  .strictObject({
    deviceId: z.string().meta({ description: 'Serial number of the hub or phone.' }),
    recordings: count.meta({
      description: 'That it sends or sent, those that were refused or wait for a decision apart.',
    }),
    sizeBytes: count,
    receivedBytes: count.meta({ description: 'Safe on the disk of the site.' }),
    verified: count.meta({ description: 'Recordings whose file was checked and stored.' }),
    analysed: count.meta({ description: 'Recordings whose metrics are there.' }),
    blocked: count.meta({ description: 'Files that were refused or wait for a decision.' }),
    lastTs: timestamp.meta({ description: 'When something of it moved on last.' }),
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
    summary: 'List files that devices sent or send',
    description:
      'With no `state`: those under way, in quarantine and refused. Those of a study are listed to its members. At most 500.',
    order: ['-createdTs', '-id'],
    params: z.object({ accountId: id }),
    query: z.object({ state: repeatedParameter(z.enum(UPLOAD_STATES)).optional() }),
    status: 200,
    response: listOf(upload),
  },
  listUploadProgress: {
    method: 'GET',
    path: '/accounts/{accountId}/upload_progress',
    access: 'user',
    operation: 'upload.read',
    tag: 'Uploads',
    summary: 'How far the files of each device have come',
    description:
      'Bytes received, recordings verified and recordings analysed, of what is under way and what moved on in the last 24 hours. What belongs to a study counts for its members.',
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
    summary: 'Take a quarantined file as a recording of a subject',
    description:
      'The file is checked again and stored; its state tells when that is done. A file of another state is 409.',
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
    summary: 'Decide against a quarantined file',
    description: 'The device is told for good. The file is kept for 30 days, in which it can still be accepted.',
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
    summary: 'Report which recordings the device and its sensors still hold',
    description:
      'Replaces the report before it. The answer says of each what to do: SEND it, KEEP it for now (the site refuses it until staff have put something right), or DELETE it, as the site has it safe or staff decided against it.',
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
