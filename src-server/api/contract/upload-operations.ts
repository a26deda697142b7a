/** Uploads of devices and of users in the OpenAPI document. They use tus, which no route of the contract describes. */

import type { RouteErrorStatus } from '../../vocabulary/error-statuses.ts';
import type { Answer, JsonSchema, Operation, Parameter, PathItem, RequestBody } from './openapi-document.ts';

/** A value of a header with its meaning. */
interface Described {
  description: string;
  schema: JsonSchema;
  example?: string;
}

const text = (description: string, example?: string): Described => ({
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});
const bytes = (description: string): Described => ({ description, schema: { type: 'integer', minimum: 0 } });

const tusVersion: Parameter = {
  name: 'Tus-Resumable',
  in: 'header',
  required: true,
  description: 'Version of tus.',
  schema: { const: '1.0.0' },
};
const uploadId: Parameter = {
  name: 'uploadId',
  in: 'path',
  required: true,
  description: 'Use the whole path from Location unchanged.',
  schema: { type: 'string', format: 'uuid' },
};
const header = (name: string, required: boolean, rest: Described): Parameter => ({
  name,
  in: 'header',
  required,
  ...rest,
});

const stateHeaders: Record<string, Described> = {
  'Upload-Offset': bytes('Bytes that are durable on the disk of the site.'),
  'Outpost-Upload-State': text('State of the upload; upload.md, section 5.', 'RECEIVING'),
  'Outpost-Recording': text('Id of the recording, once the upload is STORED.'),
};

function operation(
  id: string,
  summary: string,
  description: string,
  facts: {
    parameters: Parameter[];
    body?: RequestBody;
    success: Record<number, Answer>;
    errors: readonly RouteErrorStatus[];
  },
): Operation {
  const errors = facts.errors.map((status): [string, Answer] => [
    String(status),
    { $ref: `#/components/responses/Error${status}` },
  ]);
  return {
    operationId: id,
    summary,
    description,
    tags: ['Uploads'],
    security: [{ device: [] }],
    parameters: facts.parameters,
    ...(facts.body && { requestBody: facts.body }),
    responses: { ...facts.success, ...Object.fromEntries(errors) },
  };
}

const idInPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', format: 'uuid' },
});

/** The same operations for a user who recorded a sensor of a subject at a desk. */
function ofUsers(path: string, item: PathItem): [string, PathItem] {
  const operations = Object.entries(item).map(([method, operation]): [string, Operation] => [
    method,
    {
      ...operation,
      operationId: `${operation.operationId}OfSubject`,
      summary: `${operation.summary} of a subject`,
      security: [{ basic: [] }],
      'x-permission': 'recording.import',
      parameters: [idInPath('studyId'), idInPath('subjectId'), ...operation.parameters],
      responses: { 404: { $ref: '#/components/responses/Error404' }, ...operation.responses },
    },
  ]);
  return [path.replace('/device/', '/studies/{studyId}/subjects/{subjectId}/'), Object.fromEntries(operations)];
}

/** Returns the upload paths as OpenAPI path items. @param uploadState name of the schema of an upload's state */
export function uploadOperations(uploadState: string): Record<string, PathItem> {
  const ofDevices = deviceOperations(uploadState);
  return { ...ofDevices, ...Object.fromEntries(Object.entries(ofDevices).map(([path, item]) => ofUsers(path, item))) };
}

function deviceOperations(uploadState: string): Record<string, PathItem> {
  const json = { 'application/json': { schema: { $ref: `#/components/schemas/${uploadState}` } } };
  const always: RouteErrorStatus[] = [400, 401, 403, 405, 429, 500, 503];
  return {
    '/device/uploads': {
      post: operation(
        'announceUpload',
        'Announce a file',
        'Creation of tus 1.0. The same file from the same device is the same upload, so repeating the announcement is safe and returns the offset to continue from. Every failure has the headers Outpost-Code and Outpost-Permanent.',
        {
          parameters: [
            tusVersion,
            header('Upload-Length', true, bytes('Size of the file, at most 10,000,000,000.')),
            header(
              'Upload-Metadata',
              true,
              text(
                'Pairs of a name, a space and the base64 of a UTF-8 value, separated by commas: recordingId, sensor, sha256, formatVersion, startUs, and optionally syncPoints and clockTs.',
              ),
            ),
          ],
          success: {
            201: {
              description: 'The upload exists, newly created or from an earlier announcement.',
              headers: {
                ...stateHeaders,
                Location: text('Path of the upload.'),
                'Upload-Expires': text('When the upload expires if the device does not continue it.'),
              },
            },
          },
          errors: [...always, 412, 413, 415, 460, 501, 507],
        },
      ),
    },
    '/device/uploads/{uploadId}': {
      head: operation('getUploadOffset', 'Get the offset of an upload', 'Returns the durable offset.', {
        parameters: [uploadId, tusVersion],
        success: {
          200: {
            description: 'The upload is open or was completed.',
            headers: { ...stateHeaders, 'Upload-Length': bytes('Size of the file.') },
          },
        },
        errors: [...always, 404, 410, 412],
      }),
      get: operation(
        'getUploadState',
        'Get the state of an upload',
        'Poll every few seconds while the state is RECEIVED.',
        {
          parameters: [uploadId],
          success: { 200: { description: 'State of the upload.', content: json } },
          errors: [...always, 404, 410],
        },
      ),
      patch: operation(
        'sendUploadPiece',
        'Send a chunk',
        'The bytes from the durable offset on. The answer to the last chunk comes after the check of the file, or after 20 s.',
        {
          parameters: [
            uploadId,
            tusVersion,
            header('Upload-Offset', true, bytes('Start of the chunk: the durable offset.')),
            header('Upload-Checksum', false, text('`sha256 ` and the base64 of the SHA-256 of the chunk.')),
          ],
          body: {
            required: true,
            content: { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } },
          },
          success: { 204: { description: 'The bytes are durable; no content.', headers: stateHeaders } },
          errors: [...always, 404, 409, 410, 412, 413, 415, 460, 507],
        },
      ),
      delete: operation('endUpload', 'Abandon an unfinished upload', 'Frees its space. A stored recording stays.', {
        parameters: [uploadId, tusVersion],
        success: { 204: { description: 'Done; no content.' } },
        errors: [...always, 404, 410, 412],
      }),
    },
  };
}
