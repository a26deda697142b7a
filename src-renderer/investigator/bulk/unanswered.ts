/**
 * Rows of actions on many whose answer has not come, with the id of each request: kept in the browser, so that after a lost connection
 * or a closed tab the same requests can be sent again, which does nothing twice. Holds ids alone, no texts and no names.
 *
 * Each run has an entry of its own in the storage, which only its own tab and a dismissal write: tabs do not overwrite each other.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src-server/durations.ts';
import { createStore } from '../../shared/store.ts';

const PREFIX = 'outpost.unanswered.';
/** Later, nobody remembers what the action was about. */
const KEPT_MS = DAY_MS;
const BEAT_MS = 15 * SECOND_MS;
/** A tab without a heartbeat for this long has ended. Browsers slow the timers of hidden tabs down to one a minute. */
const ALIVE_MS = 2 * MINUTE_MS;

/** By row id: the id of the request. */
type RequestIds = Readonly<Record<string, string>>;

interface Entry {
  userId: string;
  kind: string;
  startedMs: number;
  /** Last heartbeat while the run is under way; 0 once it has ended. */
  aliveMs: number;
  requestIds: RequestIds;
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' &&
  value !== null &&
  'startedMs' in value &&
  'requestIds' in value &&
  typeof value.requestIds === 'object' &&
  value.requestIds !== null;

/** Entries that the storage did not take (private windows, policies, a full disk): they last as long as the page. */
const ofThisPage = new Map<string, Entry>();

/** Counts the changes, for components that show what is unanswered. */
export const unansweredChanges = createStore(0);

/** Rows whose request is under way in this page, as `kind rowId`, also after their dialog was closed. */
export const rowsUnderWay = createStore<ReadonlySet<string>>(new Set());

const underWayKey = (kind: string, rowId: string) => `${kind} ${rowId}`;
export const isUnderWay = (rows: ReadonlySet<string>, kind: string, rowId: string): boolean =>
  rows.has(underWayKey(kind, rowId));

function entryOf(text: string | null): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? 'null');
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

function write(runId: string, entry: Entry | undefined): void {
  ofThisPage.delete(runId);
  try {
    if (entry) localStorage.setItem(PREFIX + runId, JSON.stringify(entry));
    else localStorage.removeItem(PREFIX + runId);
  } catch {
    if (entry) ofThisPage.set(runId, entry);
  }
  unansweredChanges.set(unansweredChanges.get() + 1);
}

/** Returns every entry, the oldest first. */
function readAll(): [runId: string, entry: Entry][] {
  const all = new Map<string, Entry>();
  try {
    for (let index = 0; index < localStorage.length; index++) {
      const key = localStorage.key(index) ?? '';
      const entry = key.startsWith(PREFIX) && entryOf(localStorage.getItem(key));
      if (entry) all.set(key.slice(PREFIX.length), entry);
    }
  } catch {
    // What this page knows.
  }
  for (const [runId, entry] of ofThisPage) all.set(runId, entry);
  return [...all].sort(([, a], [, b]) => a.startedMs - b.startedMs);
}

const readOf = (userId: string, kind: string, nowMs: number) =>
  readAll().filter(([, entry]) => entry.userId === userId && entry.kind === kind && nowMs - entry.startedMs < KEPT_MS);

function removeRows(entries: readonly [string, Entry][], isLeaving: (rowId: string, requestId: string) => boolean) {
  for (const [runId, entry] of entries) {
    const rows = Object.entries(entry.requestIds);
    const left = rows.filter(([rowId, requestId]) => !isLeaving(rowId, requestId));
    if (left.length === rows.length) continue;
    write(runId, left.length > 0 ? { ...entry, requestIds: Object.fromEntries(left) } : undefined);
  }
}

export interface UnansweredRun {
  /** The request of a row begins. */
  begins: (rowId: string) => void;
  /** The request of a row has ended, with or without an answer. */
  ends: (rowId: string, isAnswered: boolean) => void;
  /** The run is over: its rows without an answer can be offered again. */
  over: () => void;
}

/** Keeps the requests of a run before the first of them is sent. */
export function beginRun(userId: string, kind: string, requestIds: RequestIds, nowMs: number): UnansweredRun {
  for (const [runId, { startedMs }] of readAll()) if (nowMs - startedMs >= KEPT_MS) write(runId, undefined);
  const runId = crypto.randomUUID();
  const change = (patch: Partial<Entry>) => {
    const entry = readAll().find(([id]) => id === runId)?.[1];
    if (entry) write(runId, { ...entry, ...patch });
  };
  write(runId, { userId, kind, startedMs: nowMs, aliveMs: nowMs, requestIds });
  const beat = setInterval(() => change({ aliveMs: Date.now() }), BEAT_MS);
  const over = () => {
    clearInterval(beat);
    globalThis.removeEventListener?.('pagehide', over);
    change({ aliveMs: 0 });
  };
  globalThis.addEventListener?.('pagehide', over);
  const setUnderWay = (rowId: string, isBegun: boolean) => {
    const rows = new Set(rowsUnderWay.get());
    if (isBegun) rows.add(underWayKey(kind, rowId));
    else rows.delete(underWayKey(kind, rowId));
    rowsUnderWay.set(rows);
  };
  return {
    begins: (rowId) => setUnderWay(rowId, true),
    ends: (rowId, isAnswered) => {
      setUnderWay(rowId, false);
      if (!isAnswered) return;
      // An earlier run may hold the same request.
      const own = requestIds[rowId];
      removeRows(readOf(userId, kind, nowMs), (id, requestId) => id === rowId && requestId === own);
    },
    over,
  };
}

/** Returns the requests of a kind that were not answered, by row: a further action of the kind on these rows repeats them. */
export function unansweredOf(userId: string, kind: string, nowMs: number): RequestIds {
  return Object.assign({}, ...readOf(userId, kind, nowMs).map(([, { requestIds }]) => requestIds)) as RequestIds;
}

/** Returns the rows of the runs that have ended without all answers; another tab may still be at the rest. */
export function interruptedOf(userId: string, kind: string, nowMs: number): string[] {
  const entries = readOf(userId, kind, nowMs).map(([, entry]) => entry);
  const isAlive = ({ aliveMs }: Entry) => nowMs - aliveMs < ALIVE_MS;
  const alive = new Set(entries.filter(isAlive).flatMap(({ requestIds }) => Object.keys(requestIds)));
  const rows = new Set(entries.flatMap(({ requestIds }) => Object.keys(requestIds)));
  return [...rows].filter((id) => !alive.has(id));
}

/** Forgets the requests of rows: what is done to these rows next is new. */
export function dropUnanswered(userId: string, kind: string, rowIds: readonly string[], nowMs: number): void {
  const leaving = new Set(rowIds);
  removeRows(readOf(userId, kind, nowMs), (id) => leaving.has(id));
}
