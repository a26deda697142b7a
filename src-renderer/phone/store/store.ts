/**
 * Reads and writes of the phone's database. Every method is one transaction. A write that finds no room fails as STORAGE_FULL
 * and leaves everything as it was.
 */
import type { IDBPObjectStore, IDBPTransaction, StoreNames } from 'idb';
import { fateOf, type Outcome } from '../../../src-server/phone-protocol/batch.ts';
import type { RecordingRow } from '../../shared/sensors/recording-store.ts';
import type { Stamp } from '../clock/epochs.ts';
import { type KeptClock, MOST_EPOCHS } from '../clock/phone-clock.ts';
import type { Writing, WritingPlace } from '../model.ts';
import { type Database, type PhoneDatabase, STORES, type StateValues } from './database.ts';
import { PhoneFailure, storeFailure } from './failure.ts';
import { jpegOf } from './jpeg.ts';
import {
  type DayRecord,
  type DraftRecord,
  type KeptMessage,
  type KeptSensor,
  type MessageContent,
  type OutboxRecord,
  type ReportContent,
  type Session,
  stampsOf,
  type TaskRecord,
} from './records.ts';

/** Everything that screens show, read at one moment. */
export interface Contents {
  state: Partial<StateValues>;
  days: DayRecord[];
  tasks: TaskRecord[];
  messages: KeptMessage[];
  sensors: KeptSensor[];
  outbox: OutboxRecord[];
  drafts: DraftRecord[];
  recordings: RecordingRow[];
  pictureIds: string[];
}

export const NO_CONTENTS: Contents = {
  state: {},
  days: [],
  tasks: [],
  messages: [],
  sensors: [],
  outbox: [],
  drafts: [],
  recordings: [],
  pictureIds: [],
};

/** How many things were made here and did not reach the site. What it refused is known to be lost. */
export const unsentCount = ({ outbox, recordings }: Contents): number =>
  outbox.filter(({ kind, refused }) => kind !== 'READ' && !refused).length +
  recordings.filter(({ state }) => state !== 'REFUSED').length;

/** What a contact brings. Absent members stay as they are. */
export interface Refreshed {
  study?: StateValues['study'];
  days?: readonly DayRecord[];
  tasks?: readonly TaskRecord[];
  messages?: readonly KeptMessage[];
  sensors?: readonly KeptSensor[];
}

type WritingTx<S extends StoreNames<PhoneDatabase>> = IDBPTransaction<PhoneDatabase, S[], 'readwrite'>;

const REFRESHED_STORES: RefreshedStore[] = ['days', 'tasks', 'messages', 'sensors', 'pictures', 'outbox'];
type RefreshedStore = 'days' | 'tasks' | 'messages' | 'sensors' | 'pictures' | 'outbox';

/**
 * The clock as it is to be stored: what this page knows, and what other pages have stored since.
 * @param used epochs that what waits here refers to; the others may be forgotten. Absent: nothing is forgotten
 */
export type ClockKeeper = (kept: KeptClock | undefined, used?: ReadonlySet<string>) => KeptClock;

/** The clock is stored with every write of a time, and forgets only what none of these refers to. */
const CLOCK_STORES: ClockStore[] = ['state', 'outbox', 'drafts', 'recordings'];
type ClockStore = 'state' | 'outbox' | 'drafts' | 'recordings';

export class PhoneStore {
  readonly #database: Database;
  readonly #clock: ClockKeeper | undefined;

  /** @param clock absent where a page writes nothing that bears a time of its clock */
  constructor(database: Database, clock?: ClockKeeper) {
    this.#database = database;
    this.#clock = clock;
  }

  close(): void {
    this.#database.close();
  }

  async contents(): Promise<Contents> {
    const tx = this.#database.transaction(STORES, 'readonly');
    const [stateKeys, stateValues, days, tasks, messages, sensors, outbox, drafts, recordings, pictureIds] =
      await Promise.all([
        tx.objectStore('state').getAllKeys(),
        tx.objectStore('state').getAll(),
        tx.objectStore('days').getAll(),
        tx.objectStore('tasks').getAll(),
        tx.objectStore('messages').getAll(),
        tx.objectStore('sensors').getAll(),
        tx.objectStore('outbox').getAll(),
        tx.objectStore('drafts').getAll(),
        tx.objectStore('recordings').getAll(),
        tx.objectStore('pictures').getAllKeys(),
      ]);
    const state = Object.fromEntries(stateKeys.map((key, index) => [key, stateValues[index]])) as Partial<StateValues>;
    return { state, days, tasks, messages, sensors, outbox, drafts, recordings, pictureIds };
  }

  async state<K extends keyof StateValues>(key: K): Promise<StateValues[K] | undefined> {
    return (await this.#database.get('state', key)) as StateValues[K] | undefined;
  }

  async setState(values: { [K in keyof StateValues]?: StateValues[K] | null }): Promise<void> {
    await this.#write(['state'], async (tx) => {
      for (const [key, value] of Object.entries(values)) {
        const store = tx.objectStore('state');
        if (value === null) await store.delete(key as keyof StateValues);
        else if (value !== undefined)
          await store.put(value as StateValues[keyof StateValues], key as keyof StateValues);
      }
    });
  }

  async keepClock(): Promise<void> {
    await this.#write(CLOCK_STORES, (tx) => this.#putClock(tx));
  }

  /**
   * The site has answered a call with a credential. What the contact measured is kept with it: the next page may be opened
   * without a network. @throws NOT_FOUND, as all writes below, when the subject is no longer signed in with that credential
   */
  async noteContact(lastContactTs: number, credentialId: string): Promise<void> {
    const note = (tx: WritingTx<'state'>) => tx.objectStore('state').put(lastContactTs, 'lastContactTs');
    await this.#writeSignedIn([], note, credentialId);
  }

  /** Returns the draft of a task on a date, made from `fresh` if there is none yet. */
  async openDraft(fresh: DraftRecord): Promise<DraftRecord> {
    return await this.#writeSignedIn(['drafts'], async (tx) => {
      const store = tx.objectStore('drafts');
      const known = await store.index('task').get([fresh.taskId, fresh.date]);
      if (known) return known;
      await store.add(fresh);
      return fresh;
    });
  }

  /** Changes a draft as it is stored now, so that two pages never undo each other's answers. @throws NOT_FOUND */
  async changeDraft(id: string, change: (draft: DraftRecord) => DraftRecord): Promise<DraftRecord> {
    return await this.#writeSignedIn(['drafts'], async (tx) => {
      const draft = await tx.objectStore('drafts').get(id);
      if (!draft) throw notFound();
      const changed = change(draft);
      await tx.objectStore('drafts').put(changed);
      return changed;
    });
  }

  async removeDraft(id: string): Promise<void> {
    await this.#write(['drafts'], (tx) => tx.objectStore('drafts').delete(id));
  }

  /** Queues the report of a draft and removes the draft, both or neither. A draft that is gone was completed by another page. */
  async completeDraft(id: string, make: (draft: DraftRecord) => OutboxRecord): Promise<void> {
    await this.#writeSignedIn(['drafts', 'outbox'], async (tx) => {
      const draft = await tx.objectStore('drafts').get(id);
      if (!draft) throw notFound();
      await tx.objectStore('outbox').add(make(draft));
      await tx.objectStore('drafts').delete(id);
    });
  }

  /** @param writing undefined removes it */
  async keepWriting(place: WritingPlace, writing: Writing | undefined): Promise<void> {
    await this.#writeSignedIn([], (tx) => putWriting(tx, place, writing));
  }

  /**
   * Queues new items; those whose id is queued already are left out.
   * @param written what they were made of: removed in the same step, so that it is neither lost nor sent twice
   */
  async queue(records: readonly OutboxRecord[], written?: WritingPlace): Promise<void> {
    await this.#writeSignedIn(['outbox', 'messages'], async (tx) => {
      if (written) await putWriting(tx, written, undefined);
      const outbox = tx.objectStore('outbox');
      for (const record of records) {
        if ((await outbox.index('id').getKey(record.id)) === undefined) await outbox.add(record);
        if (record.kind !== 'READ') continue;
        const message = await tx.objectStore('messages').get(record.id);
        if (message) await tx.objectStore('messages').put({ ...message, isRead: true });
      }
    });
  }

  /** Items that wait, oldest first, with their final text: made for those that have none yet and stored before it is returned. */
  async freeze(textOf: (record: OutboxRecord) => string): Promise<(OutboxRecord & { json: string })[]> {
    return await this.#write(['outbox'], async (tx) => {
      const outbox = tx.objectStore('outbox');
      const frozen: (OutboxRecord & { json: string })[] = [];
      for (const record of await outbox.getAll()) {
        if (record.refused) continue;
        const json = record.json ?? textOf(record);
        const withText = { ...record, json };
        if (record.json === undefined) await outbox.put(withText);
        frozen.push(withText);
      }
      return frozen;
    });
  }

  /** Takes over the outcomes of a batch, all at once; a task that was reported counts as done from then on. */
  async settle(
    outcomes: readonly Outcome[],
    readIds: readonly string[],
    timeOf: (stamp: Stamp) => number,
    credentialId: string,
  ): Promise<void> {
    const settle = async (tx: SettleTx) => {
      const outbox = tx.objectStore('outbox');
      for (const id of readIds) {
        const key = await outbox.index('id').getKey(id);
        if (key !== undefined) await outbox.delete(key);
      }
      for (const outcome of outcomes) {
        const record = await outbox.index('id').get(outcome.id);
        const fate = fateOf(outcome);
        if (record?.sequence === undefined || fate === 'STAYS') continue;
        if (fate === 'REFUSED' && record.kind !== 'READ') {
          const { code = 'REFUSED', message = '' } = outcome;
          await outbox.put({ ...record, refused: { code, message } });
          continue;
        }
        await outbox.delete(record.sequence);
        if (record.kind === 'REPORT') await markDone(tx, record.report, timeOf(record.report.completed));
        if (record.kind === 'MESSAGE') await keepSent(tx, record.id, record.message, timeOf(record.created));
      }
    };
    await this.#writeSignedIn(['outbox', 'days', 'messages', 'pictures'], settle, credentialId);
  }

  /** Removes an item that the site refused permanently. @throws NOT_FOUND when it was not refused */
  async removeRefused(id: string): Promise<void> {
    await this.#write(['outbox', 'recordings', 'frames', 'pages'], async (tx) => {
      if ((await tx.objectStore('recordings').get(id))?.state === 'REFUSED') {
        await tx.objectStore('recordings').delete(id);
        for (const name of ['frames', 'pages'] as const)
          await tx.objectStore(name).delete(IDBKeyRange.bound([id, 0], [id, Infinity]));
        return;
      }
      const record = await tx.objectStore('outbox').index('id').get(id);
      if (record?.sequence === undefined || !record.refused) throw notFound();
      await tx.objectStore('outbox').delete(record.sequence);
    });
  }

  /** @throws NOT_FOUND when it was not refused */
  async queueRecordingAgain(recordingId: string): Promise<void> {
    await this.#write(['recordings'], async (tx) => {
      const row = await tx.objectStore('recordings').get(recordingId);
      if (row?.state !== 'REFUSED') throw notFound();
      const { code: _code, message: _message, ...rest } = row;
      await tx.objectStore('recordings').put({ ...rest, state: 'FINISHED' });
    });
  }

  /** Replaces what the site knows better. */
  async refresh({ study, days, tasks, messages, sensors }: Refreshed, credentialId: string): Promise<void> {
    const replaceAll = async (tx: WritingTx<RefreshedStore | 'state'>) => {
      if (study) await tx.objectStore('state').put(study, 'study');
      const replace = async <S extends 'days' | 'tasks' | 'sensors'>(
        name: S,
        values: readonly PhoneDatabase[S]['value'][] | undefined,
      ) => {
        if (!values) return;
        await tx.objectStore(name).clear();
        for (const value of values) await tx.objectStore(name).put(value as never);
      };
      await replace('days', days);
      await replace('tasks', tasks);
      await replace('sensors', sensors);
      if (!messages) return;
      // A message that was read here stays read although the site does not know it yet.
      const queued = await tx.objectStore('outbox').getAll();
      const readIds = new Set(queued.flatMap(({ id, kind }) => (kind === 'READ' ? [id] : [])));
      await tx.objectStore('messages').clear();
      for (const message of messages)
        await tx.objectStore('messages').put(readIds.has(message.id) ? { ...message, isRead: true } : message);
      const ids = new Set(messages.map(({ id }) => id));
      for (const id of await tx.objectStore('pictures').getAllKeys())
        if (!ids.has(id)) await tx.objectStore('pictures').delete(id);
    };
    await this.#writeSignedIn(REFRESHED_STORES, replaceAll, credentialId);
  }

  async keepPicture(id: string, picture: Blob, credentialId: string): Promise<void> {
    await this.#writeSignedIn(['pictures'], (tx) => tx.objectStore('pictures').put(picture, id), credentialId);
  }

  async picture(id: string): Promise<Blob | undefined> {
    return await this.#database.get('pictures', id);
  }

  /**
   * Removes everything of the subject in one step. Tokens that the site has yet to revoke stay.
   * @param signsOut the token of the session becomes one of them
   */
  async wipe(signsOut = false): Promise<void> {
    await this.#write([...STORES], async (tx) => {
      const state = tx.objectStore('state');
      const session = (await state.get('session')) as Session | undefined;
      const tokens = new Set((await state.get('signOuts')) as string[] | undefined);
      if (signsOut && session) tokens.add(session.token);
      for (const name of STORES) await tx.objectStore(name).clear();
      if (tokens.size > 0) await state.put([...tokens], 'signOuts');
    });
  }

  /** The site has revoked a token, or does not know it. */
  async removeSignOut(token: string): Promise<void> {
    await this.#write(['state'], async (tx) => {
      const state = tx.objectStore('state');
      const left = (((await state.get('signOuts')) as string[] | undefined) ?? []).filter((one) => one !== token);
      if (left.length > 0) await state.put(left, 'signOuts');
      else await state.delete('signOuts');
    });
  }

  /**
   * A write of the subject who is signed in: a round or another page that works on after a wipe must not bring anything back.
   * Stores the clock with it. A page that was killed between the two left times of an epoch that nobody knew: answers
   * of a phone whose clock had been set by 5 h arrived 5 h wrong.
   */
  async #writeSignedIn<S extends StoreNames<PhoneDatabase>, T>(
    stores: S[],
    work: (tx: WritingTx<S | 'state'>) => Promise<T>,
    credentialId?: string,
  ): Promise<T> {
    const all = [...new Set<StoreNames<PhoneDatabase>>([...stores, ...CLOCK_STORES])];
    // One transaction for two: `work` sees its own stores, the clock those that it reads.
    return await this.#write(all, async (wide) => {
      const tx = wide as never as WritingTx<ClockStore>;
      const state = tx.objectStore('state');
      const session = (await state.get('session')) as Session | undefined;
      if (!session || (credentialId ?? session.credentialId) !== session.credentialId) throw notSignedIn();
      const result = await work(wide as never);
      await this.#putClock(tx);
      return result;
    });
  }

  /** What waits is read only once there are epochs to forget: it may hold pictures. */
  async #putClock(tx: WritingTx<ClockStore>): Promise<void> {
    if (!this.#clock) return;
    const state = tx.objectStore('state');
    const kept = (await state.get('clock')) as KeptClock | undefined;
    const clock = this.#clock(kept);
    const isFull = clock.epochs.length > MOST_EPOCHS;
    await state.put(isFull ? this.#clock(kept, await usedEpochs(tx)) : clock, 'clock');
  }

  async #write<S extends StoreNames<PhoneDatabase>, T>(
    stores: S[],
    work: (tx: WritingTx<S>) => Promise<T>,
  ): Promise<T> {
    let tx: WritingTx<S>;
    try {
      // An answer counts as stored when it is on the disk, not when the browser has it in memory.
      tx = this.#database.transaction(stores, 'readwrite', { durability: 'strict' });
    } catch (thrown) {
      throw storeFailure(thrown);
    }
    // The result of the transaction is awaited below in every case.
    tx.done.catch(() => undefined);
    try {
      const result = await work(tx);
      await tx.done;
      return result;
    } catch (thrown) {
      try {
        tx.abort();
      } catch {
        // It has ended on its own.
      }
      if (thrown instanceof PhoneFailure) throw thrown;
      // A request in a transaction that the browser ends for want of room fails as aborted; the transaction knows why.
      throw storeFailure(tx.error ?? thrown);
    }
  }
}

const notSignedIn = () => new PhoneFailure('NOT_FOUND', 'Nobody is signed in on this phone any more.');
const notFound = () => new PhoneFailure('NOT_FOUND', 'This is no longer on the phone. Open it again from Today.');

async function usedEpochs(tx: WritingTx<ClockStore>): Promise<ReadonlySet<string>> {
  const [outbox, drafts, recordings] = await Promise.all([
    tx.objectStore('outbox').getAll(),
    tx.objectStore('drafts').getAll(),
    tx.objectStore('recordings').getAll(),
  ]);
  const clocks = recordings.flatMap(({ clockStamp }) => clockStamp ?? []);
  const stamps = [...outbox.flatMap(stampsOf), ...drafts.flatMap(stampsOf), ...clocks];
  return new Set(stamps.map(({ epoch }) => epoch));
}

/** Takes the store of single values of any transaction that has it. */
async function putWriting(
  tx: {
    objectStore(name: 'state'): Pick<IDBPObjectStore<PhoneDatabase, ['state'], 'state', 'readwrite'>, 'get' | 'put'>;
  },
  place: WritingPlace,
  writing: Writing | undefined,
): Promise<void> {
  const state = tx.objectStore('state');
  const { [place]: _former, ...others } = ((await state.get('writing')) as StateValues['writing'] | undefined) ?? {};
  await state.put({ ...others, ...(writing && { [place]: writing }) }, 'writing');
}

type SettleTx = WritingTx<'outbox' | 'days' | 'messages' | 'pictures' | 'state'>;

/** The conversation shows it until the site's own list of it arrives. */
async function keepSent(tx: SettleTx, id: string, message: MessageContent, createdTs: number): Promise<void> {
  const { body, image } = message;
  const shown = { id, from: 'SUBJECT' as const, authorName: '', body, createdTs, isRead: false };
  await tx.objectStore('messages').put(shown);
  if (image) await tx.objectStore('pictures').put(jpegOf(image.base64), id);
}

async function markDone(tx: SettleTx, report: ReportContent, completedTs: number): Promise<void> {
  const day = await tx.objectStore('days').get(report.date);
  if (!day) return;
  const tasks = day.tasks.map((task) =>
    task.taskId === report.taskId ? { ...task, completed: true, completedTs } : task,
  );
  await tx.objectStore('days').put({ ...day, tasks });
}
