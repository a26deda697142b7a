/** The model of the screens over the store, the clock and the engine. Several tabs may have one each: the store is the truth. */
import { type KeptClock, PhoneClock } from '../clock/phone-clock.ts';
import { recordingOffsetMs } from '../clock/recording-offset.ts';
import type { Phase, PhoneActions, PhoneModel, PhoneSnapshot, WipeReason } from '../model.ts';
import type { RecordingSending, SendingParts } from '../sensors/sending.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { PhoneFailure } from '../store/failure.ts';
import { jpegOf } from '../store/jpeg.ts';
import { NO_CONTENTS, PhoneStore, unsentCount } from '../store/store.ts';
import { SyncEngine } from '../sync/engine.ts';
import type { SiteCalls } from '../sync/site-calls.ts';
import type { AppWorker } from '../worker/registration.ts';
import { type ActionParts, actionsOf, later } from './actions.ts';
import { timerAfterRestart } from './drafts.ts';
import { marker } from './marker.ts';
import { alone, batteryPercent, reachNow, storageState } from './platform.ts';
import { type PageState, snapshotOf } from './snapshot.ts';

export interface ModelParts {
  calls: SiteCalls;
  worker: Pick<AppWorker, 'isTrusted' | 'isReady' | 'updateWaits' | 'applyUpdate'>;
  installOffer: { readonly canInstall: boolean; install(): Promise<void> };
  version: string;
  /** Calls with a token that send recordings; the site's own if it is absent. */
  uploadCall?: SendingParts['uploadCall'];
  /** The database was taken away, such as by a newer version in another tab. */
  onGone: () => void;
}

type Told = 'STORED' | 'WIPED';

const LOOK_EVERY_MS = 5_000;
const KEEP_CLOCK_EVERY_MS = 30_000;
/** A phone that was put away is locked again after this time. */
const LOCK_AFTER_HIDDEN_MS = 2 * 60_000;

export class StoredPhoneModel implements PhoneModel {
  readonly actions: PhoneActions;
  readonly #parts: ModelParts;
  readonly #listeners = new Set<() => void>();
  readonly #channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('outpost-phone') : undefined;
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #end = new AbortController();
  readonly #pictureUrls = new Map<string, string>();
  #database: Database | undefined;
  #store: PhoneStore | undefined;
  #engine: SyncEngine | undefined;
  #clock = newClock();
  #contents = NO_CONTENTS;
  #sending: RecordingSending | undefined;
  #reading = Promise.resolve();
  #isUnlocked = false;
  #isFull = false;
  #hiddenSinceMs: number | undefined;
  #page: PageState;
  #snapshot: PhoneSnapshot;

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.#page = {
      phase: 'LOADING',
      connection: { state: 'OFFLINE' },
      storage: { isPersistent: null, state: 'FINE' },
      reach: reachNow(parts.worker, false),
      updateWaits: false,
      version: parts.version,
      pictureUrls: this.#pictureUrls,
    };
    this.#snapshot = snapshotOf(NO_CONTENTS, this.#page, this.#clock);
    this.actions = actionsOf(this.#actionParts());
  }

  snapshot(): PhoneSnapshot {
    return this.#snapshot;
  }

  clockNow(): ReturnType<PhoneModel['clockNow']> {
    const stamp = this.#clock.stamp();
    const { state, offsetMs } = this.#clock.offsetAt(stamp);
    return { stamp, ...(state === 'MEASURED' && { offsetMs }) };
  }

  subscribe(onChange: () => void): () => void {
    this.#listeners.add(onChange);
    return () => this.#listeners.delete(onChange);
  }

  /** Opens the store and begins to work. Without a store the phone can do nothing but say so. */
  async start(): Promise<void> {
    try {
      this.#database = await openDatabase(this.#parts.onGone);
      this.#store = new PhoneStore(this.#database, (kept, used) => this.#clockWith(kept, used));
      this.#clock = newClock(await this.#store.state('clock'));
    } catch {
      this.#set({ phase: 'SIGNED_OUT', storage: { isPersistent: null, state: 'UNAVAILABLE' } });
      return;
    }
    await this.#finishWipe();
    await this.#noticeEviction();
    await this.#settleTimers();
    await this.#keepClock().catch(() => undefined);
    this.#engine = this.#makeEngine(this.#store);
    await this.#reload();
    this.#listen();
    await this.#lookAtStorage();
    void this.#recordings((sending) => sending.recover());
    void this.#engine.now();
  }

  /** Something outside of the store has changed, such as the worker. */
  changed(): void {
    this.#render();
  }

  close(): void {
    this.#end.abort();
    for (const timer of this.#timers) clearInterval(timer);
    this.#engine?.close();
    this.#sending?.close();
    this.#channel?.close();
    this.#store?.close();
  }

  #makeEngine(store: PhoneStore): SyncEngine {
    return new SyncEngine({
      store,
      clock: this.#clock,
      calls: this.#parts.calls,
      alone,
      onStored: () => this.#stored(),
      onConnection: (connection) => {
        this.#set({ connection });
        // At the end of a round that went well.
        if (connection.state === 'ONLINE') void this.#sendRecordings();
      },
      onWipe: (reason) => this.#wipe(reason),
      batteryPercent,
    });
  }

  #actionParts(): ActionParts {
    return {
      store: () => {
        if (!this.#store)
          throw new PhoneFailure('STORAGE_UNAVAILABLE', 'This browser does not let the app store anything.');
        return this.#store;
      },
      clock: () => this.#clock,
      contents: () => this.#contents,
      calls: this.#parts.calls,
      stored: () => this.#stored(),
      sync: () => void this.#engine?.now(),
      syncNow: async () => {
        await this.#engine?.now();
        if (this.#page.connection.state === 'ONLINE') await this.#sendRecordings();
      },
      recordingsChanged: async () => {
        await this.#stored();
        if (this.#page.connection.state !== 'REFUSED') await this.#sendRecordings();
      },
      wipe: (reason) => this.#wipe(reason),
      setLocked: (isLocked) => {
        this.#isUnlocked = !isLocked;
        this.#render();
      },
      noteWrite: (isFull) => this.#noteWrite(isFull),
      lookAtStorage: () => this.#lookAtStorage(),
      install: () => this.#parts.installOffer.install(),
      applyUpdate: () => this.#parts.worker.applyUpdate(),
    };
  }

  #listen(): void {
    const { signal } = this.#end;
    const seen = () => {
      if (document.visibilityState === 'hidden') {
        this.#clock.hide();
        this.#hiddenSinceMs = Date.now();
        void this.#keepClock().catch(() => undefined);
        return;
      }
      this.#clock.show();
      // A clock that was set back meanwhile must not keep the phone open.
      const hiddenMs = this.#hiddenSinceMs === undefined ? 0 : Math.abs(Date.now() - this.#hiddenSinceMs);
      this.#hiddenSinceMs = undefined;
      if (hiddenMs > LOCK_AFTER_HIDDEN_MS) this.#isUnlocked = false;
      this.#render();
      void this.#engine?.now();
    };
    document.addEventListener('visibilitychange', seen, { signal });
    addEventListener('online', () => void this.#engine?.now(), { signal });
    this.#channel?.addEventListener(
      'message',
      ({ data }: MessageEvent<Told>) => void this.#told(data).catch(() => undefined),
      { signal },
    );
    this.#timers.push(
      setInterval(() => {
        if (this.#clock.look()) void this.#keepClock().catch(() => undefined);
        this.#render();
      }, LOOK_EVERY_MS),
      setInterval(() => void this.#keepClock().catch(() => undefined), KEEP_CLOCK_EVERY_MS),
    );
  }

  async #told(what: Told): Promise<void> {
    if (what === 'WIPED') this.#forget();
    const kept = await this.#store?.state('clock');
    if (kept) this.#clock.merge(kept);
    await this.#reload();
  }

  /** Another tab shows it as well. */
  async #stored(): Promise<void> {
    await this.#reload();
    this.#channel?.postMessage('STORED' satisfies Told);
  }

  /** One after the other: what was read first must not be shown last. */
  async #reload(): Promise<void> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    await reading;
  }

  async #read(): Promise<void> {
    const store = this.#store;
    if (!store) return;
    this.#contents = await store.contents();
    if (this.#contents.state.session) marker.noteSignedIn(unsentCount(this.#contents));
    await this.#showPictures(store);
    this.#render();
  }

  async #showPictures(store: PhoneStore): Promise<void> {
    const add = (id: string, picture: Blob) => this.#pictureUrls.set(id, URL.createObjectURL(picture));
    for (const id of this.#contents.pictureIds) {
      const picture = this.#pictureUrls.has(id) ? undefined : await store.picture(id);
      if (picture) add(id, picture);
    }
    for (const record of this.#contents.outbox) {
      const image = record.kind === 'MESSAGE' ? record.message.image : undefined;
      if (image && !this.#pictureUrls.has(image.id)) add(image.id, jpegOf(image.base64));
    }
  }

  /** The clock to be stored, after what other pages have stored. */
  #clockWith(kept: KeptClock | undefined, used: ReadonlySet<string> | undefined): KeptClock {
    if (kept) this.#clock.merge(kept);
    return this.#clock.kept(used);
  }

  async #keepClock(): Promise<void> {
    await this.#store?.keepClock();
  }

  async #settleTimers(): Promise<void> {
    const drafts = (await this.#store?.contents())?.drafts ?? [];
    const step = timerAfterRestart(this.#clock.stamp(), this.#clock);
    for (const { id, running } of drafts) if (running) await this.#store?.changeDraft(id, step).catch(() => undefined);
  }

  /** The browser removed the database, but not the note beside it. */
  async #noticeEviction(): Promise<void> {
    const signedIn = marker.signedIn();
    if (!signedIn || marker.wiped() || (await this.#store?.state('session'))) return;
    marker.noteWipe({ reason: 'STORE_EVICTED', unsent: signedIn.unsent });
  }

  /** A wipe that was interrupted, by a killed page for example, continues. */
  async #finishWipe(): Promise<void> {
    const note = marker.wiped();
    if (note && (await this.#store?.state('session'))) await this.#store?.wipe(note.reason === 'SIGNED_OUT');
  }

  async #wipe(reason: WipeReason): Promise<void> {
    const contents = (await this.#store?.contents()) ?? NO_CONTENTS;
    marker.noteWipe({ reason, unsent: unsentCount(contents) });
    await this.#store?.wipe(reason === 'SIGNED_OUT');
    this.#forget();
    // The round that follows says whether the site was reached.
    if (reason === 'SIGNED_OUT') this.#page.connection = { state: 'SENDING' };
    this.#channel?.postMessage('WIPED' satisfies Told);
    // A recorder ends when it sees it.
    await this.#reload();
  }

  /** Removes from memory what was removed from the store. */
  #forget(): void {
    for (const url of this.#pictureUrls.values()) URL.revokeObjectURL(url);
    this.#pictureUrls.clear();
    this.#contents = NO_CONTENTS;
    this.#sending?.close();
    this.#sending = undefined;
    this.#clock = newClock();
    this.#engine?.close();
    if (this.#store) this.#engine = this.#makeEngine(this.#store);
    this.#isUnlocked = false;
    this.#page = { ...this.#page, connection: { state: 'OFFLINE' } };
  }

  #sendRecordings(): Promise<void> {
    return this.#recordings(async (sending) => {
      // The site knows now when the sensor last brought data.
      if (await sending.send()) await this.#engine?.now();
    });
  }

  /** Most phones record nothing: the code is loaded when there is something to send. */
  async #recordings(work: (sending: RecordingSending) => Promise<void>): Promise<void> {
    const database = this.#database;
    if (!database || this.#contents.recordings.length === 0) return;
    try {
      const { RecordingSending } = await later.recordings();
      if (this.#end.signal.aborted) return;
      this.#sending ??= new RecordingSending({
        database,
        ...(this.#parts.uploadCall && { uploadCall: this.#parts.uploadCall }),
        clockOffsetMs: () => this.clockNow().offsetMs,
        recordingOffsetMs: (row) => recordingOffsetMs(row, this.#clock),
        onSending: (sendingRecordingId) => this.#set({ sendingRecordingId }),
        onStored: () => this.#stored(),
      });
      await work(this.#sending);
    } catch {
      // The code, or the database, is out of reach now: the next round tries again.
    }
  }

  #noteWrite(isFull: boolean): void {
    if (this.#isFull === isFull) return;
    this.#isFull = isFull;
    void this.#lookAtStorage();
  }

  async #lookAtStorage(): Promise<void> {
    this.#set({ storage: await storageState(this.#isFull) });
  }

  #phase(): Phase {
    const { session, lock } = this.#contents.state;
    if (session) return lock && !this.#isUnlocked ? 'LOCKED' : 'READY';
    return marker.wiped() ? 'WIPED' : 'SIGNED_OUT';
  }

  #set(changes: Partial<PageState>): void {
    this.#page = { ...this.#page, ...changes };
    this.#render();
  }

  #render(): void {
    const { worker, installOffer } = this.#parts;
    const isLoaded = this.#engine !== undefined;
    const { wipedBecause: _reason, wipedUnsent: _unsent, ...page } = this.#page;
    const phase = isLoaded ? this.#phase() : page.phase;
    const note = phase === 'WIPED' ? marker.wiped() : undefined;
    this.#page = {
      ...page,
      phase,
      ...(note && { wipedBecause: note.reason, wipedUnsent: note.unsent }),
      reach: reachNow(worker, installOffer.canInstall),
      updateWaits: worker.updateWaits,
    };
    const next = snapshotOf(this.#contents, this.#page, this.#clock);
    // Screens render again only when something has changed.
    if (JSON.stringify(next) === JSON.stringify(this.#snapshot)) return;
    this.#snapshot = next;
    for (const listener of this.#listeners) listener();
  }
}

function newClock(kept?: ConstructorParameters<typeof PhoneClock>[1]): PhoneClock {
  return new PhoneClock(
    { wallMs: () => Date.now(), monotonicMs: () => performance.now(), newId: () => crypto.randomUUID() },
    kept,
  );
}
