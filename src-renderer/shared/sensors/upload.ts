/**
 * Uploads finished recordings as `upload.md` describes. The announcement is idempotent and carries the offset, and every chunk has a
 * checksum; tus-js-client does neither, which is why this is not it.
 */

import { fileBlob } from './recording/file.ts';
import type { RecordingRow, RecordingStore } from './recording-store.ts';
import type { Timing } from './timing.ts';

export interface UploadAnswer {
  status: number;
  header(name: string): string | null;
  /** The JSON of the body, or null. */
  body: Record<string, unknown> | null;
}

/** Makes one call of a sender; `path` is below `/api/v1`. @throws when the site cannot be reached */
export type UploadCall = (call: {
  method: 'POST' | 'PATCH' | 'GET';
  path: string;
  headers: Record<string, string>;
  body?: Blob;
}) => Promise<UploadAnswer>;

export interface UploadOptions {
  store: RecordingStore;
  call: UploadCall;
  timing: Timing;
  /** Site minus this device's clock now, if it is known. */
  clockOffsetMs?: () => number | undefined;
  /** Site minus the clock of a recording's times, as known now; default: what the recording kept. */
  recordingOffsetMs?: (row: RecordingRow) => number | undefined;
  /** Called once the site has said how much of a recording it has, and after each part. */
  onProgress?: (row: RecordingRow) => void;
  signal?: AbortSignal;
  chunkBytes?: number;
  /** Where a recording is announced, below `/api/v1`; default: the address of devices. */
  collectionOf?: (row: RecordingRow) => string;
}

export type UploadResult =
  /** The site has the file. */
  | { state: 'DELIVERED'; siteState: string; storedRecordingId?: string }
  /** Never sent again automatically. */
  | { state: 'REFUSED'; code: string; message: string }
  /** Try again, not before `retryAfterMs`. */
  | { state: 'LATER'; code: string; retryAfterMs?: number };

const FORMAT_VERSION = '1';
const CHUNK_BYTES = 256 << 10;
const POLL_MS = 2000;
const MAX_POLLS = 30;
const DONE = new Set(['STORED', 'QUARANTINED', 'REJECTED']);
/** Ends the sending of everything: the sign-in is gone, not the file. */
const OF_THE_DEVICE = new Set(['UNAUTHORIZED', 'DEVICE_REVOKED', 'DEVICE_WRONG_SITE']);

class Failed extends Error {
  readonly answer: UploadAnswer;

  constructor(answer: UploadAnswer) {
    super(`The site answered ${answer.status}.`);
    this.answer = answer;
  }

  get code(): string {
    return String(this.answer.body?.code ?? this.answer.header('outpost-code') ?? this.answer.status);
  }

  get isPermanent(): boolean {
    return this.answer.body?.permanent === true || this.answer.header('outpost-permanent') === 'true';
  }

  get retryAfterMs(): number | undefined {
    const seconds = Number(this.answer.header('retry-after') ?? Number.NaN);
    return Number.isFinite(seconds) ? seconds * 1000 : undefined;
  }
}

/**
 * Sends every finished recording, oldest first, and removes the local copy of what the site has. Stops at the first failure that concerns
 * the connection or the sign-in, and returns its result.
 */
export async function sendRecordings(options: UploadOptions): Promise<UploadResult | null> {
  for (const row of await options.store.list()) {
    if (row.state !== 'FINISHED' || options.signal?.aborted) continue;
    const result = await sendRecording(row, options);
    if (result.state === 'LATER') return result;
  }
  return null;
}

/** Sends one recording; repeating it is always safe. */
export async function sendRecording(row: RecordingRow, options: UploadOptions): Promise<UploadResult> {
  const { store } = options;
  try {
    const result = await attempt(row, options);
    if (result.state === 'DELIVERED') await store.remove(row.recordingId);
    return result;
  } catch (error) {
    if (!(error instanceof Failed)) return { state: 'LATER', code: 'UNREACHABLE' };
    const { code, retryAfterMs } = error;
    // The person was erased at the site: nothing of theirs may stay.
    if (code === 'SUBJECT_ERASED') await store.remove(row.recordingId);
    if (!error.isPermanent || OF_THE_DEVICE.has(code)) {
      return { state: 'LATER', code, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    const message = String(error.answer.body?.message ?? '');
    await store.update(row.recordingId, { state: 'REFUSED', code, message });
    return { state: 'REFUSED', code, message };
  }
}

async function attempt(row: RecordingRow, options: UploadOptions): Promise<UploadResult> {
  const { store, timing, signal } = options;
  const { file } = row;
  const blocks = await store.blocks(row.recordingId);
  const content = file && fileBlob(file.header, blocks, file.footer);
  if (!file || content?.size !== file.sizeBytes) throw incomplete(row);
  const reached = async (sentBytes: number) => {
    await store.update(row.recordingId, { sentBytes });
    options.onProgress?.({ ...row, sentBytes });
  };
  const announced = await call(options, {
    method: 'POST',
    path: options.collectionOf?.(row) ?? '/device/uploads',
    headers: { 'upload-length': String(file.sizeBytes), 'upload-metadata': metadataOf(row, options) },
  });
  const path = new URL(announced.header('location') ?? '', 'https://site').pathname.replace(/^\/api\/v1/, '');
  let offset = offsetOf(announced);
  let state = announced.header('outpost-upload-state') ?? '';
  await reached(offset);
  while (offset < file.sizeBytes && !DONE.has(state)) {
    signal?.throwIfAborted();
    const chunk = content.slice(offset, offset + (options.chunkBytes ?? CHUNK_BYTES));
    try {
      const answer = await call(options, {
        method: 'PATCH',
        path,
        headers: {
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
          'upload-checksum': `sha256 ${await checksumOf(chunk)}`,
        },
        body: chunk,
      });
      offset = offsetOf(answer);
      state = answer.header('outpost-upload-state') ?? '';
    } catch (error) {
      // Not a failure: the acknowledgement of an earlier attempt was lost.
      if (!(error instanceof Failed) || error.code !== 'UPLOAD_OFFSET') throw error;
      offset = offsetOf(error.answer);
    }
    await reached(offset);
  }
  return await outcome(path, timing, options);
}

/** It can never be sent, and must not hold up those behind it. */
const incomplete = ({ recordingId }: RecordingRow): Failed =>
  new Failed({
    status: 0,
    header: () => null,
    body: {
      code: 'RECORDING_INCOMPLETE',
      permanent: true,
      message: `A part of the recording ${recordingId} is missing.`,
    },
  });

async function outcome(path: string, timing: Timing, options: UploadOptions): Promise<UploadResult> {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const { body } = await call(options, { method: 'GET', path, headers: {} });
    const state = String(body?.state ?? '');
    if (DONE.has(state)) {
      const stored = body?.storedRecordingId;
      return {
        state: 'DELIVERED',
        siteState: state,
        ...(typeof stored === 'string' && { storedRecordingId: stored }),
      };
    }
    if (state === 'REFUSED') {
      throw new Failed({ status: 403, header: () => null, body: { ...body, permanent: true } });
    }
    if (state !== 'RECEIVED') return { state: 'LATER', code: state };
    await timing.wait(POLL_MS, options.signal);
  }
  return { state: 'LATER', code: 'RECEIVED' };
}

async function call(options: UploadOptions, request: Parameters<UploadCall>[0]): Promise<UploadAnswer> {
  const answer = await options.call({ ...request, headers: { 'tus-resumable': '1.0.0', ...request.headers } });
  if (answer.status >= 400) throw new Failed(answer);
  return answer;
}

function metadataOf(row: RecordingRow, options: UploadOptions): string {
  const file = row.file!;
  const metadata: Record<string, string> = {
    recordingId: row.recordingId,
    sensor: row.serial,
    sha256: file.sha256,
    formatVersion: FORMAT_VERSION,
    startUs: String(file.startUs),
    clockTs: String(clockOf(row, options)),
    syncPoints: JSON.stringify(file.syncPoints.map(({ sensorUs, hostUs }) => [sensorUs, hostUs])),
  };
  return Object.entries(metadata)
    .map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`)
    .join(',');
}

/**
 * What this device's clock would show now, had nobody set it since the recording: the pairs of the file are readings of that clock.
 */
function clockOf(row: RecordingRow, { timing, clockOffsetMs, recordingOffsetMs }: UploadOptions): number {
  const nowOffsetMs = clockOffsetMs?.();
  const offsetMs = recordingOffsetMs ? recordingOffsetMs(row) : row.clockOffsetMs;
  const wasSetByMs = nowOffsetMs !== undefined && offsetMs !== undefined ? nowOffsetMs - offsetMs : 0;
  return Math.round(timing.wallMs() + wasSetByMs);
}

async function checksumOf(chunk: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await chunk.arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

function offsetOf(answer: UploadAnswer): number {
  const offset = Number(answer.header('upload-offset') ?? Number.NaN);
  if (!Number.isSafeInteger(offset)) throw new Error('The site did not say how far the upload is.');
  return offset;
}

/** Calls of the page's own site by fetch. @param token of the phone */
export function fetchCall(token: () => string): UploadCall {
  return siteCall(() => `Bearer ${token()}`);
}

/** The same with any Authorization header. */
export function siteCall(authorization: () => string): UploadCall {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(`/api/v1${path}`, {
      method,
      headers: { ...headers, authorization: authorization() },
      ...(body && { body }),
      cache: 'no-store',
    });
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: isJson ? ((await response.json()) as Record<string, unknown>) : null,
    };
  };
}
