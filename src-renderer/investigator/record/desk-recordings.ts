/**
 * The recordings of this page of the desk: those that grow, and those that the site does not have yet. A recording belongs to the user who
 * made it: nobody else sees it here or sends it, and a sign-out ends it and leaves it to the next sign-in of the same user.
 */
import type { IDBPDatabase } from 'idb';
import { basicAuthorization } from '../../../src-server/api/contract/client-core.ts';
import type { GattDevice } from '../../shared/sensors/bluetooth/gatt.ts';
import { browserCodec } from '../../shared/sensors/browser-codec.ts';
import { idbRecordingStore } from '../../shared/sensors/idb-recording-store.ts';
import { LiveSet, type LiveView } from '../../shared/sensors/live-set.ts';
import { alone, DESK_LIVE_LOCK, DESK_SEND_LOCK } from '../../shared/sensors/locks.ts';
import { type ListedSensor, recordedSensor } from '../../shared/sensors/pick.ts';
import { recoverRecordings } from '../../shared/sensors/recording/live-recording.ts';
import type { RecordingPlace, RecordingRow, RecordingStore } from '../../shared/sensors/recording-store.ts';
import { browserTiming, type Timing } from '../../shared/sensors/timing.ts';
import { sendRecording, siteCall, type UploadCall } from '../../shared/sensors/upload.ts';
import { createStore, type Store } from '../../shared/store.ts';
import { noteUnsent } from './unsent-hint.ts';

/** A recording that the site has, sent by this page. */
export interface Delivered {
  row: RecordingRow;
  siteState: string;
  storedRecordingId?: string;
}

export interface RecordingsState {
  live: readonly LiveView[];
  /** In this browser, complete, not at the site; oldest first. */
  waiting: readonly RecordingRow[];
  /** The one that is being sent. */
  sendingId?: string;
  /** By recording: why it was not sent last time, and is tried again. */
  delays: Readonly<Record<string, string>>;
  delivered: readonly Delivered[];
  /** Recordings that a page left growing when it was closed. */
  recoveredIds: readonly string[];
}

/** What of a sign-in this needs; the token is empty behind a cover. */
type SignedIn = { user: { id: string }; accessToken: string };

export interface RecordingsParts {
  session: Pick<Store<SignedIn | null>, 'get' | 'subscribe'>;
  /** Until the returned function is called, the page is covered instead of left when its session ends. */
  keepPage: () => () => void;
  asksBeforeClosing: boolean;
  timing?: Timing;
  call?: (authorization: () => string) => UploadCall;
}

const RETRY_MS = 30_000;
/** They concern one recording; after any other failure the rest would fail as well. */
const OF_ONE_RECORDING: ReadonlySet<string> = new Set([
  'CONFLICT',
  'FILE_HASH_MISMATCH',
  'FORBIDDEN',
  'NOT_FOUND',
  'RECEIVED',
  'RECEIVING',
  'SUBJECT_ERASED',
  'UPLOAD_GONE',
]);

const EMPTY: RecordingsState = { live: [], waiting: [], delays: {}, delivered: [], recoveredIds: [] };

export class DeskRecordings {
  readonly state = createStore<RecordingsState>(EMPTY);
  readonly #store: RecordingStore;
  readonly #database: IDBPDatabase;
  readonly #timing: Timing;
  readonly #session: RecordingsParts['session'];
  readonly #keepPage: () => () => void;
  readonly #callOf: (authorization: () => string) => UploadCall;
  readonly #live: LiveSet;
  readonly #ends: (() => void)[] = [];
  #userId: string | undefined;
  #leaving = new AbortController();
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #releasePage: (() => void) | undefined;

  constructor(database: IDBPDatabase, parts: RecordingsParts) {
    const { session, keepPage, asksBeforeClosing, timing = browserTiming, call = siteCall } = parts;
    this.#database = database;
    this.#session = session;
    this.#userId = session.get()?.user.id;
    this.#keepPage = keepPage;
    this.#store = idbRecordingStore(database);
    this.#timing = timing;
    this.#callOf = call;
    this.#live = new LiveSet({
      timing,
      lock: DESK_LIVE_LOCK,
      asksBeforeClosing,
      onChange: (live) => this.#showLive(live),
    });
    const onOnline = () => this.#sendSoon();
    addEventListener('online', onOnline);
    const timer = setInterval(onOnline, RETRY_MS);
    this.#ends.push(
      session.subscribe(() => this.#followSession()),
      () => removeEventListener('online', onOnline),
      () => clearInterval(timer),
    );
  }

  /** Finishes what closed pages left, and sends what waits. */
  async begin(): Promise<void> {
    await this.#recover();
    await this.#show();
    this.#sendSoon();
  }

  /** @throws SensorProblem */
  async start(
    device: GattDevice,
    sensor: ListedSensor,
    subject: { studyId: string; subjectId: string },
  ): Promise<void> {
    const userId = this.#session.get()?.user.id;
    if (userId === undefined) return;
    this.#live.requireRoom();
    if (this.#live.size === 0) await this.#recover();
    await this.#live.take();
    const place: RecordingPlace = { userId, studyId: subject.studyId, subjectId: subject.subjectId };
    this.#live.start({
      device,
      sensor: { ...recordedSensor(device, sensor), place },
      store: {
        ...this.#store,
        create: async (row) => {
          await this.#store.create(row);
          noteUnsent(true);
        },
      },
      onFile: () => this.#sendSoon(),
    });
    this.#releasePage ??= this.#keepPage();
  }

  async stop(serial: string): Promise<void> {
    await this.#live.stop(serial);
    await this.#show();
    await this.send();
  }

  /** Sends what the site refused once more, such as after staff have corrected an assignment. */
  async retry(recordingId: string): Promise<void> {
    await this.#store.update(recordingId, { state: 'FINISHED', code: undefined, message: undefined });
    await this.#show();
    await this.send();
  }

  async remove(recordingId: string): Promise<void> {
    await this.#store.remove(recordingId);
    await this.#show();
  }

  /** Tries every recording of the user once; a call while another runs has one more pass follow. */
  async send(): Promise<void> {
    this.#isAskedAgain = this.#running !== undefined;
    this.#running ??= this.#passes().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** A store that was closed or is full shows on the page; the next round tries again. */
  #sendSoon(): void {
    this.#show()
      .then(() => this.send())
      .catch(() => undefined);
  }

  /** For tests: a page that is gone. */
  async close(): Promise<void> {
    for (const end of this.#ends) end();
    this.#leaving.abort();
    await this.#live.abandon();
    this.#database.close();
  }

  async #recover(): Promise<void> {
    const growing = (await this.#store.list()).filter(({ state }) => state === 'RECORDING');
    if (growing.length === 0) return;
    // Another page that holds the lock records them.
    const hasRun = await alone(() => recoverRecordings(this.#store, browserCodec), DESK_LIVE_LOCK);
    if (!hasRun) return;
    const ids = growing.map(({ recordingId }) => recordingId);
    this.#change({ recoveredIds: [...this.state.get().recoveredIds, ...ids] });
    await this.#show();
  }

  async #passes(): Promise<void> {
    do {
      this.#isAskedAgain = false;
      await this.#pass();
    } while (this.#isAskedAgain);
  }

  async #pass(): Promise<void> {
    const user = this.#userId;
    const { signal } = this.#leaving;
    if (!this.#session.get()?.accessToken || (await this.#own()).every(({ state }) => state !== 'FINISHED')) return;
    try {
      await alone(async () => {
        for (const row of await this.#own()) {
          if (row.state !== 'FINISHED' || signal.aborted || this.#userId !== user) continue;
          this.#change({ sendingId: row.recordingId });
          if (!(await this.#sendOne(row, signal))) return;
        }
      }, DESK_SEND_LOCK);
    } finally {
      this.#change({ sendingId: undefined });
      await this.#show();
    }
  }

  /** @returns whether others are worth a try */
  async #sendOne(row: RecordingRow, signal: AbortSignal): Promise<boolean> {
    const { place, recordingId } = row;
    const authorization = () => {
      const now = this.#session.get();
      // Never in the name of another user.
      if (!now || now.user.id !== place?.userId) throw new Error('The user of this recording is not signed in.');
      return basicAuthorization({ userId: now.user.id, accessToken: now.accessToken });
    };
    const result = await sendRecording(row, {
      store: this.#store,
      call: this.#callOf(authorization),
      timing: this.#timing,
      signal,
      collectionOf: () => `/studies/${place?.studyId}/subjects/${place?.subjectId}/uploads`,
      onProgress: (changed) => this.#showProgress(changed),
    });
    if (signal.aborted) return false;
    const { [recordingId]: _before, ...delays } = this.state.get().delays;
    if (result.state === 'DELIVERED') {
      const { siteState, storedRecordingId } = result;
      const delivered = { row, siteState, ...(storedRecordingId !== undefined && { storedRecordingId }) };
      this.#change({ delays, delivered: [...this.state.get().delivered, delivered] });
    } else if (result.state === 'LATER') {
      this.#change({ delays: { ...delays, [recordingId]: result.code } });
      return OF_ONE_RECORDING.has(result.code);
    } else this.#change({ delays });
    await this.#show();
    return true;
  }

  #followSession(): void {
    const now = this.#session.get();
    const userId = now?.user.id;
    if (userId === this.#userId) {
      // Behind a cover the recording continues; it is sent after the next sign-in.
      if (now?.accessToken) this.#sendSoon();
      return;
    }
    this.#userId = userId;
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.state.set(EMPTY);
    // A recorder that cannot write any more leaves its frames for the next start.
    this.#live.stop().then(
      () => this.#sendSoon(),
      () => this.#sendSoon(),
    );
  }

  #showLive(live: readonly LiveView[]): void {
    if (live.length === 0) {
      this.#releasePage?.();
      this.#releasePage = undefined;
    }
    this.#change({ live: live.filter(({ place }) => place?.userId === this.#userId) });
  }

  #showProgress(changed: RecordingRow): void {
    const { waiting } = this.state.get();
    this.#change({ waiting: waiting.map((row) => (row.recordingId === changed.recordingId ? changed : row)) });
  }

  async #own(): Promise<RecordingRow[]> {
    return (await this.#store.list()).filter(({ place }) => place !== undefined && place.userId === this.#userId);
  }

  async #show(): Promise<void> {
    const all = await this.#store.list();
    noteUnsent(all.length > 0);
    const own = all.filter(({ place, state }) => state !== 'RECORDING' && place?.userId === this.#userId);
    this.#change({ waiting: own });
  }

  #change(change: Partial<{ [K in keyof RecordingsState]: RecordingsState[K] | undefined }>): void {
    this.state.set({ ...this.state.get(), ...change } as RecordingsState);
  }
}
