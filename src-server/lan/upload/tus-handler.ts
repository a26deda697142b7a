/**
 * Answers below `/device/uploads`: tus 1.0 by the tus server, with what it leaves open: checksums, JSON refusals that say
 * whether a retry makes sense, the state of an upload in headers and as JSON.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Metadata, Server } from '@tus/server';
import { OutpostError } from '../../errors.ts';
import type { DeviceIdentity } from '../device-identity.ts';
import { answerBody, toFailure } from './answers.ts';
import { MAX_UPLOAD_BYTES, parseMetadata } from './metadata.ts';
import { endedError, type UploadReceiver } from './receiver.ts';
import { bodyOf } from './request-body.ts';
import { TakeOverLocker } from './take-over-locker.ts';
import { currentRequest, TusStore, type UploadRequest, uploadRequest } from './tus-store.ts';

/** Express's request: the path as it was sent is in `originalUrl`, below the mount in `url`. */
type UploadIncoming = IncomingMessage & { originalUrl?: string };
export type TusHandler = (request: UploadIncoming, response: ServerResponse, device: DeviceIdentity) => Promise<void>;

const PATH = '/api/v1/device/uploads';
const PIECE_TYPE = 'application/offset+octet-stream';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NO_LOCK = { lock: async () => undefined, unlock: async () => undefined };

export function tusHandler(receiver: UploadReceiver, clock: () => number): TusHandler {
  const writers = new TakeOverLocker();
  const server = new Server({
    path: PATH,
    relativeLocation: true,
    datastore: new TusStore(receiver, clock),
    // Only who writes needs the upload for itself: a question about the offset must not end a writer.
    locker: (request) =>
      request.method === 'HEAD' || request.method === 'POST' ? { newLock: () => NO_LOCK } : writers,
    lockDrainTimeout: 1,
    allowedOrigins: () => false,
    // Told to those who ask; a larger file is refused permanently where it is announced (`checkAnnouncement`).
    maxSize: (request) => (request.method === 'OPTIONS' ? MAX_UPLOAD_BYTES : 0),
    getFileIdFromRequest: (_request, last) => (last !== undefined && UUID.test(last) ? last : undefined),
    namingFunction: async (request) => {
      const context = currentRequest();
      const metadata = parseMetadata(metadataOf(request.headers.get('upload-metadata')));
      context.upload = await receiver.begin(context.device, metadata, Number(request.headers.get('upload-length')));
      return context.upload.id;
    },
    onUploadFinish: async (_request, { id }) => {
      const context = currentRequest();
      const upload = await receiver.complete(id);
      context.upload = upload;
      if (upload.state === 'REFUSED' || upload.state === 'REJECTED') throw endedError(upload);
      if (upload.state === 'RECEIVING') {
        const message = upload.message ?? 'The whole file was not as announced. Send it again.';
        throw new OutpostError('FILE_HASH_MISMATCH', message, { details: { offset: 0 } });
      }
      return {};
    },
    onResponseError: (_request, error) => {
      const context = currentRequest();
      context.failure ??= error;
      return undefined;
    },
  });

  return async (request, response, device) => {
    const body = bodyOf(request);
    const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
    const context: UploadRequest = { device, address, body };
    await uploadRequest.run(context, async () => {
      try {
        const answer = await answerTo(server, receiver, context, request);
        if (answer.status >= 400) {
          await answer.body?.cancel();
          throw context.failure ?? answer;
        }
        send(response, answer, context);
      } catch (thrown) {
        if (request.method === 'POST' && thrown instanceof OutpostError) {
          await receiver.noteTurnedDown(device, address, thrown).catch(() => undefined);
        }
        await sendFailure(response, receiver, context, thrown);
      } finally {
        body.release();
      }
    });
  };
}

function metadataOf(header: string | null): Record<string, string | null> {
  try {
    return Metadata.parse(header ?? undefined);
  } catch {
    throw new OutpostError(
      'UPLOAD_METADATA',
      'Upload-Metadata must be pairs of a name and a base64 value, parted by commas.',
    );
  }
}

/** `Upload-Checksum: sha256 <base64 of 32 bytes>`. */
function checksumOf(header: string | undefined): Uint8Array | undefined {
  if (header === undefined) return undefined;
  const match = /^(\S+) ([A-Za-z0-9+/]{43}=)$/.exec(header);
  if (match?.[1] === 'sha256' && match[2] !== undefined) return Buffer.from(match[2], 'base64');
  throw new OutpostError('INVALID_INPUT', 'Upload-Checksum must be `sha256 ` and 32 bytes in base64.');
}

async function answerTo(
  server: Server,
  receiver: UploadReceiver,
  context: UploadRequest,
  request: UploadIncoming,
): Promise<Response> {
  const { method = 'GET' } = request;
  const address = new URL((request.originalUrl ?? request.url ?? '/').replace(/^\/v1\//, '/api/v1/'), 'http://site');
  const id = address.pathname.slice(PATH.length + 1).replace(/\/$/, '');
  requireMethod(method, id === '' ? COLLECTION_METHODS : UPLOAD_METHODS);
  if (method === 'GET') return await stateOf(receiver, context, id);
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (method !== 'OPTIONS' && headers.get('tus-resumable') !== '1.0.0') return new Response(null, { status: 412 });
  if (method === 'PATCH') {
    requirePieceType(headers.get('content-type'));
    const sha256 = checksumOf(headers.get('upload-checksum') ?? undefined);
    if (sha256) context.sha256 = sha256;
    if (UUID.test(id)) await requireOffset(receiver, context, id, headers.get('upload-offset'));
  }
  // Bytes that come with the creation would not go by the offset of an upload that is there already.
  if (method === 'POST') {
    headers.delete('content-type');
    // The tus server would refuse it as any wrong header; the announced file itself must not come again like this.
    metadataOf(headers.get('upload-metadata'));
  }
  const init: RequestInit & { duplex?: 'half' } = { method, headers };
  // The bytes themselves go past it, from the request to the file.
  if (method === 'PATCH') Object.assign(init, { body: context.body.end, duplex: 'half' });
  const answer = await server.handleWeb(new Request(address, init));
  // A device that lost its notes goes on where the announced file already is.
  if (answer.status === 201 && context.upload) {
    answer.headers.set('upload-offset', String(await receiver.offsetOf(context.upload)));
  }
  return answer;
}

const COLLECTION_METHODS = ['POST', 'OPTIONS'];
const UPLOAD_METHODS = ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'];

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new OutpostError('METHOD_NOT_ALLOWED', `${method} is not possible at this address. It takes ${allow}.`, {
    details: { allow },
  });
}

function requirePieceType(type: string | null): void {
  if (type?.split(';')[0]?.trim().toLowerCase() === PIECE_TYPE) return;
  throw new OutpostError('UNSUPPORTED_MEDIA_TYPE', `A piece is sent with Content-Type: ${PIECE_TYPE}.`);
}

/** A late double of a request must not end the writer that goes on: only one who knows the offset takes over. */
async function requireOffset(
  receiver: UploadReceiver,
  context: UploadRequest,
  id: string,
  header: string | null,
): Promise<void> {
  if (header === null || !/^\d+$/.test(header)) return;
  context.upload = await receiver.find(context.device, id);
  const offset = await receiver.offsetOf(context.upload);
  if (offset !== Number(header)) throw wrongOffset(offset);
}

function wrongOffset(offset: number): OutpostError {
  return new OutpostError('UPLOAD_OFFSET', `The upload has ${offset} bytes. Go on from there.`, {
    details: { offset },
  });
}

async function stateOf(receiver: UploadReceiver, context: UploadRequest, id: string): Promise<Response> {
  if (!UUID.test(id)) throw new OutpostError('UPLOAD_GONE', 'There is no such upload of this device.');
  const upload = await receiver.find(context.device, id);
  const offset = upload.state === 'RECEIVING' ? await receiver.offsetOf(upload) : undefined;
  return Response.json(answerBody(upload, offset));
}

/** Headers of the tus server that are for browsers of other origins. */
const DROPPED = /^access-control-/;

function send(response: ServerResponse, answer: Response, { upload }: UploadRequest): void {
  for (const [name, value] of answer.headers) if (!DROPPED.test(name)) response.setHeader(name, value);
  if (upload) {
    response.setHeader('outpost-upload-state', upload.state);
    if (upload.storedRecordingId) response.setHeader('outpost-recording', upload.storedRecordingId);
  }
  response.statusCode = answer.status;
  if (!answer.body) {
    response.end();
    return;
  }
  void answer.arrayBuffer().then((bytes) => response.end(Buffer.from(bytes)));
}

async function sendFailure(
  response: ServerResponse,
  receiver: UploadReceiver,
  context: UploadRequest,
  thrown: unknown,
): Promise<void> {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const facts = {
    id: String(response.getHeader('x-request-id') ?? ''),
    hasToken: response.req.headers.authorization !== undefined,
  };
  const failure = await toFailure(thrown, facts, async () => {
    if (!context.upload) return undefined;
    const upload = await receiver.find(context.device, context.upload.id);
    return await receiver.offsetOf(upload);
  });
  response.setHeader('tus-resumable', '1.0.0');
  for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value);
  response.statusCode = failure.status;
  const body = Buffer.from(JSON.stringify(failure.body));
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', body.length);
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
