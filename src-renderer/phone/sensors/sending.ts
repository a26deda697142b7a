/** Sends the recordings of this phone, and finishes those that a killed page left; no screen needs to be open for it. */

import { browserCodec } from '../../shared/sensors/browser-codec.ts';
import { idbRecordingStore } from '../../shared/sensors/idb-recording-store.ts';
import { alone, LIVE_LOCK, SEND_LOCK } from '../../shared/sensors/locks.ts';
import { recoverRecordings } from '../../shared/sensors/recording/live-recording.ts';
import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import { browserTiming } from '../../shared/sensors/timing.ts';
import { fetchCall, sendRecordings, type UploadCall } from '../../shared/sensors/upload.ts';
import type { Database } from '../store/database.ts';
import type { Session } from '../store/records.ts';
import { ownerOf } from './owner.ts';

export interface SendingParts {
  database: Database;
  uploadCall?: (token: () => string) => UploadCall;
  /** Site minus phone, if it is known. */
  clockOffsetMs: () => number | undefined;
  /** Site minus the clock of a recording's times. */
  recordingOffsetMs: (row: RecordingRow) => number | undefined;
  /** @param recordingId undefined: none is being sent any more */
  onSending: (recordingId: string | undefined) => void;
  /** The store has changed. */
  onStored: () => Promise<void>;
}

const sessionOf = async (database: Database) => (await database.get('state', 'session')) as Session | undefined;

let recovering: Promise<boolean> | undefined;

/**
 * Finishes what a killed page left, unless a page records; a call while another runs waits for that one. @returns whether anything was to
 * be finished
 */
export async function recover(database: Database): Promise<boolean> {
  recovering ??= (async () => {
    const session = await sessionOf(database);
    if (!session) return false;
    const store = idbRecordingStore(database, ownerOf(session));
    const isNeeded = (await store.list()).some(({ state }) => state === 'RECORDING');
    return isNeeded && (await alone(() => recoverRecordings(store, browserCodec), LIVE_LOCK));
  })().finally(() => {
    recovering = undefined;
  });
  return await recovering;
}

export class RecordingSending {
  readonly #parts: SendingParts;
  readonly #end = new AbortController();
  #running: Promise<boolean> | undefined;
  #isAskedAgain = false;
  #notBeforeMs = 0;

  constructor(parts: SendingParts) {
    this.#parts = parts;
  }

  /** Nothing of a subject who is gone is sent on. */
  close(): void {
    this.#end.abort();
  }

  async recover(): Promise<void> {
    if (await recover(this.#parts.database)) await this.#parts.onStored();
  }

  /** Tries every finished recording once; what fails is tried again by the next call. @returns whether any was delivered */
  async send(): Promise<boolean> {
    // What was finished after this pass began is sent by the next one.
    this.#isAskedAgain = this.#running !== undefined;
    this.#running ??= this.#passes().finally(() => {
      this.#running = undefined;
    });
    return await this.#running;
  }

  async #passes(): Promise<boolean> {
    let hasDelivered = false;
    do {
      this.#isAskedAgain = false;
      hasDelivered = (await this.#pass()) || hasDelivered;
    } while (this.#isAskedAgain && !this.#end.signal.aborted);
    return hasDelivered;
  }

  async #pass(): Promise<boolean> {
    const { database, uploadCall = fetchCall, clockOffsetMs, recordingOffsetMs, onSending, onStored } = this.#parts;
    const session = await sessionOf(database);
    if (!session || this.#end.signal.aborted || performance.now() < this.#notBeforeMs) return false;
    await this.recover();
    const store = idbRecordingStore(database, ownerOf(session));
    const finished = async () => (await store.list()).flatMap((row) => (row.file ? [row.recordingId] : []));
    let hasDelivered = false;
    try {
      await alone(async () => {
        const before = await finished();
        let isShowing = false;
        const result = await sendRecordings({
          store,
          call: uploadCall(() => session.token),
          timing: browserTiming,
          clockOffsetMs,
          recordingOffsetMs,
          signal: this.#end.signal,
          onProgress: ({ recordingId }) => {
            onSending(recordingId);
            // Fast networks make more parts than a screen needs to show.
            if (isShowing) return;
            isShowing = true;
            void onStored()
              .catch(() => undefined)
              .then(() => {
                isShowing = false;
              });
          },
        });
        if (result?.state === 'LATER' && result.retryAfterMs !== undefined)
          this.#notBeforeMs = performance.now() + result.retryAfterMs;
        const after = new Set(await finished());
        hasDelivered = before.some((recordingId) => !after.has(recordingId));
      }, SEND_LOCK);
    } finally {
      onSending(undefined);
      await onStored();
    }
    return hasDelivered;
  }
}
