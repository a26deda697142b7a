/**
 * Rows of an action on many whose answer has not come, with the id of each request: kept in the browser, so that after a lost connection
 * or a closed tab the same requests can be sent again, which does nothing twice. Holds ids alone, no texts and no names.
 */
import { DAY_MS } from '../../../src-server/durations.ts';

const KEY = 'outpost.unanswered';
/** Later, nobody remembers what the action was about. */
const KEPT_MS = DAY_MS;

/** By row id: the id of the request. */
type RequestIds = Readonly<Record<string, string>>;

interface Kept {
  userId: string;
  /** By kind of action. */
  runs: Readonly<Record<string, { startedMs: number; requestIds: RequestIds }>>;
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'userId' in value &&
  'runs' in value &&
  typeof value.runs === 'object' &&
  value.runs !== null;

/** Storage can be blocked (private windows, policies); then what is unanswered lasts as long as the page. */
let ofThisPage: Kept | undefined;

function read(userId: string): Kept['runs'] {
  let kept: unknown = ofThisPage;
  try {
    kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    // What this page knows.
  }
  return isKept(kept) && kept.userId === userId ? kept.runs : {};
}

function write(userId: string, runs: Kept['runs']): void {
  ofThisPage = { userId, runs };
  try {
    if (Object.keys(runs).length > 0) localStorage.setItem(KEY, JSON.stringify(ofThisPage));
    else localStorage.removeItem(KEY);
  } catch {
    // Lasts as long as the page.
  }
}

/** What the person chose to send again, until the next run of its kind. */
const resumed = new Map<string, RequestIds>();
const resumedKey = (userId: string, kind: string) => `${userId} ${kind}`;

/** Keeps the requests of a run before the first of them is sent; they replace those of an earlier run of this kind. */
export function keepUnanswered(userId: string, kind: string, requestIds: RequestIds, nowMs: number): void {
  resumed.delete(resumedKey(userId, kind));
  write(userId, { ...read(userId), [kind]: { startedMs: nowMs, requestIds } });
}

/** Drops a row, because its answer has come, or all rows of the kind. */
export function dropUnanswered(userId: string, kind: string, rowId?: string): void {
  if (rowId === undefined) resumed.delete(resumedKey(userId, kind));
  const { [kind]: run, ...others } = read(userId);
  if (!run) return;
  const left = Object.entries(run.requestIds).filter(([id]) => rowId !== undefined && id !== rowId);
  const rest = { ...run, requestIds: Object.fromEntries(left) };
  write(userId, left.length > 0 ? { ...others, [kind]: rest } : others);
}

/** The next run of this kind repeats these requests instead of making new ones. */
export function resumeUnanswered(userId: string, kind: string, requestIds: RequestIds): void {
  resumed.set(resumedKey(userId, kind), requestIds);
}

export const resumedOf = (userId: string, kind: string): RequestIds => resumed.get(resumedKey(userId, kind)) ?? {};

/** Returns the requests of a kind that were not answered, by row. */
export function unansweredOf(userId: string, kind: string, nowMs: number): RequestIds {
  const run = read(userId)[kind];
  return run && nowMs - run.startedMs < KEPT_MS ? run.requestIds : {};
}
