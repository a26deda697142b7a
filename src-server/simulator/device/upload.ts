/** Uploads one recording: announces it, sends it in chunks and resumes at the site's offset, with retries. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackOff } from '../../phone-protocol/back-off.ts';
import { type Answer, type Connection, Refusal } from './connection.ts';

export interface RecordingFile {
  path: string;
  recordingId: string;
  /** Serial number of the sensor. */
  sensor: string;
  sizeBytes: number;
  sha256: string;
  startUs: number;
  syncPoints: [number, number][];
}

/** Faults of one chunk. */
export interface Disturbance {
  cutAfterBytes?: number;
  bytesPerSecond?: number;
  duplicate?: boolean;
  /** Sends the chunk after it first. */
  reorder?: boolean;
  flip?: boolean;
  /** Called when the chunk is cut. */
  onCut?: () => void;
}

export interface UploadSteps {
  connection: Connection;
  /** Connection for concurrent duplicates. */
  another: () => Connection;
  /** The device's clock, epoch ms. */
  clock: () => number;
  backOff: BackOff;
  /** Largest chunk; default 4 MiB. */
  chunkBytes?: number;
  disturb: (chunk: { offset: number; sizeBytes: number; recordingId: string }) => Disturbance;
  onSent: (bytes: number) => void;
  onTrouble: (problem: unknown, waitMs: number) => void;
  signal?: AbortSignal;
}

/** The outcome. QUARANTINED counts as delivered: the site has stored the recording and its staff decide. */
export type UploadEnd =
  | { state: 'DELIVERED'; siteState: string; storedRecordingId?: string }
  | { state: 'REFUSED'; code: string; message: string };

interface UploadState {
  state: string;
  offset?: number;
  storedRecordingId?: string;
  code?: string;
  message?: string;
}

const FORMAT_VERSION = 1;
const FIRST_PIECE_BYTES = 1 << 20;
const SMALLEST_PIECE_BYTES = 32 << 10;
const LARGEST_PIECE_BYTES = 8 << 20;
/** Target duration of a chunk: longer ones lose more when cut, much shorter ones cost needless round trips. */
const PIECE_TAKES_MS = 8000;
const ASK_EVERY_MS = 250;
/** Refusals that concern the pairing or the whole device, so that no other recording would be accepted either. */
const ENDS_EVERYTHING: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'DEVICE_WRONG_SITE', 'DEVICE_REVOKED']);

/**
 * Sends a recording until the site has stored it or refuses it permanently.
 * @throws Refusal when the site no longer knows this device; the reason of `signal`
 */
export async function sendRecording(file: RecordingFile, steps: UploadSteps): Promise<UploadEnd> {
  const handle = await open(file.path, 'r');
  const upload = new Upload(file, handle, steps);
  try {
    for (;;) {
      steps.signal?.throwIfAborted();
      try {
        return await upload.run();
      } catch (thrown) {
        steps.signal?.throwIfAborted();
        if (thrown instanceof Refusal) {
          if (ENDS_EVERYTHING.has(thrown.code)) throw thrown;
          if (thrown.permanent) return { state: 'REFUSED', code: thrown.code, message: thrown.message };
        }
        const seconds = thrown instanceof Refusal ? thrown.retryAfterSeconds : 0;
        const waitMs = steps.backOff.next(seconds);
        steps.onTrouble(thrown, waitMs);
        await sleep(waitMs, undefined, { signal: steps.signal });
      }
    }
  } finally {
    await handle.close();
  }
}

class Upload {
  readonly #file: RecordingFile;
  readonly #handle: FileHandle;
  readonly #steps: UploadSteps;
  #chunkBytes: number;

  constructor(file: RecordingFile, handle: FileHandle, steps: UploadSteps) {
    this.#file = file;
    this.#handle = handle;
    this.#steps = steps;
    this.#chunkBytes = Math.min(FIRST_PIECE_BYTES, steps.chunkBytes ?? LARGEST_PIECE_BYTES);
  }

  /** One attempt, beginning with the announcement, which is idempotent: it resumes an upload in progress. */
  async run(): Promise<UploadEnd> {
    const { location, offset: start } = await this.#announce();
    let offset = start;
    while (offset < this.#file.sizeBytes) {
      this.#steps.signal?.throwIfAborted();
      offset = await this.#sendPiece(location, offset);
      this.#steps.backOff.reset();
    }
    return await this.#end(location);
  }

  async #announce(): Promise<{ location: string; offset: number }> {
    const { recordingId, sensor, sha256, startUs, syncPoints, sizeBytes } = this.#file;
    const metadata: Record<string, string> = {
      recordingId,
      sensor,
      sha256,
      formatVersion: String(FORMAT_VERSION),
      startUs: String(startUs),
      clockTs: String(this.#steps.clock()),
      ...(syncPoints.length > 0 && { syncPoints: JSON.stringify(syncPoints) }),
    };
    const answer = await this.#steps.connection.call({
      method: 'POST',
      path: '/device/uploads',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': sizeBytes,
        'upload-metadata': Object.entries(metadata)
          .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
          .join(','),
        'content-length': 0,
      },
    });
    const location = new URL(answer.headers.location ?? '', 'https://site/api/v1/device/uploads/').pathname;
    return { location: location.replace(/^\/api\/v1/, ''), offset: offsetOf(answer) };
  }

  /** Returns the offset from which to continue. */
  async #sendPiece(location: string, offset: number): Promise<number> {
    const { connection, another, disturb, onSent } = this.#steps;
    const bytes = await this.#read(offset, this.#chunkBytes);
    const disturbance = disturb({ offset, sizeBytes: bytes.length, recordingId: this.#file.recordingId });
    const { cutAfterBytes, bytesPerSecond, onCut } = disturbance;
    const calls: Promise<unknown>[] = [];
    const doubles: Connection[] = [];
    const send = (via: Connection, at: number, chunk: Buffer, wire: Buffer, cut?: number) => {
      onSent(cut ?? chunk.length);
      return via.call({
        method: 'PATCH',
        path: location,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': at,
          'content-type': 'application/offset+octet-stream',
          'upload-checksum': `sha256 ${createHash('sha256').update(chunk).digest('base64')}`,
        },
        bytes: wire,
        ...(cut !== undefined && { cutAfterBytes: cut }),
        ...(bytesPerSecond !== undefined && { bytesPerSecond }),
      });
    };
    const aside = (at: number, chunk: Buffer) => {
      const double = another();
      doubles.push(double);
      // The result is ignored: duplicates must not harm the site.
      calls.push(send(double, at, chunk, chunk).catch(() => undefined));
    };
    const startedMs = performance.now();
    try {
      if (disturbance.reorder) {
        const next = await this.#read(offset + bytes.length, this.#chunkBytes);
        if (next.length > 0) aside(offset + bytes.length, next);
        await calls[0];
      }
      if (disturbance.duplicate) aside(offset, bytes);
      const sent = send(connection, offset, bytes, disturbance.flip ? flipped(bytes) : bytes, cutAfterBytes);
      calls.push(sent);
      const answer = await sent;
      this.#adapt(performance.now() - startedMs, bytes.length);
      return offsetOf(answer);
    } catch (thrown) {
      if (cutAfterBytes !== undefined) onCut?.();
      // The offsets differ: the site knows where to continue.
      if (thrown instanceof Refusal && thrown.offset !== undefined && !thrown.permanent) {
        if (thrown.code === 'UPLOAD_OFFSET' || thrown.code === 'CHECKSUM_MISMATCH') return thrown.offset;
      }
      this.#chunkBytes = Math.max(SMALLEST_PIECE_BYTES, this.#chunkBytes / 2);
      throw thrown;
    } finally {
      await Promise.allSettled(calls);
      for (const double of doubles) double.close();
    }
  }

  #adapt(tookMs: number, sentBytes: number): void {
    if (sentBytes < this.#chunkBytes) return;
    if (tookMs > PIECE_TAKES_MS * 2) this.#chunkBytes = Math.max(SMALLEST_PIECE_BYTES, this.#chunkBytes / 2);
    else if (tookMs < PIECE_TAKES_MS / 4)
      this.#chunkBytes = Math.min(this.#steps.chunkBytes ?? LARGEST_PIECE_BYTES, this.#chunkBytes * 2);
  }

  async #end(location: string): Promise<UploadEnd> {
    for (;;) {
      this.#steps.signal?.throwIfAborted();
      const upload = await this.#steps.connection.json<UploadState>(location);
      const { state, storedRecordingId, code, message } = upload;
      switch (state) {
        case 'STORED':
        case 'QUARANTINED':
          return { state: 'DELIVERED', siteState: state, ...(storedRecordingId && { storedRecordingId }) };
        case 'REFUSED':
        case 'REJECTED':
          return { state: 'REFUSED', code: code ?? 'UPLOAD_REJECTED', message: message ?? '' };
        case 'RECEIVED':
          await sleep(ASK_EVERY_MS, undefined, { signal: this.#steps.signal });
          break;
        default:
          // The file differs from its announcement, or the upload was aborted: restart from the announcement.
          throw new Error(message ?? `The upload is ${state}.`);
      }
    }
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.#file.sizeBytes - offset));
    const buffer = Buffer.alloc(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await this.#handle.read(buffer, filled, wanted - filled, offset + filled);
      if (bytesRead === 0) throw new Error(`The recording ${this.#file.recordingId} is shorter than it was.`);
      filled += bytesRead;
    }
    return buffer;
  }
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 0x10;
  return copy;
}

function offsetOf(answer: Answer): number {
  const offset = Number(answer.headers['upload-offset']);
  if (!Number.isSafeInteger(offset)) throw new Error('The site did not say how far the upload is.');
  return offset;
}
