/**
 * True times of events by a clock that may be wrong and may be set at any time.
 *
 * An *epoch* is a stretch in which nobody set the phone's clock: it begins with the page, and again with each jump that the page
 * sees. An event keeps the phone's time and its epoch. Contacts with the site measure the offset of the epoch that they fall
 * into; others take theirs from a measured epoch that they are linked to, so an event gets its true time even when the clock
 * was measured only later, or was set in between.
 */
import { bestOffset, type OffsetSample } from '../../../src-server/phone-protocol/clock-offset.ts';

/**
 * How an epoch follows on another one. `SET`: the clock was set forward (or back) by `byMs` while the monotonic clock ran on.
 * `REOPENED`: the page was closed in between, or the phone asleep, and nothing speaks for a change. `UNKNOWN`: the clock
 * was set while the page was closed, nobody knows by how much.
 */
export type EpochLink = { after: string } & (
  | { kind: 'SET'; byMs: number }
  | { kind: 'REOPENED' }
  | { kind: 'UNKNOWN' }
);

export interface ClockEpoch {
  id: string;
  /** By the phone's clock. */
  startedMs: number;
  link?: EpochLink;
  samples: OffsetSample[];
}

export interface ClockOffset {
  /** Site minus phone. */
  offsetMs: number;
  uncertaintyMs: number;
  /** `CHANGED`: an estimate, as the clock was set at a time that nobody knows. `UNKNOWN`: never measured. */
  state: 'MEASURED' | 'CHANGED' | 'UNKNOWN';
}

/** An instant by the phone's clock. */
export interface Stamp {
  wallMs: number;
  epoch: string;
}

/** Two measurements that differ by less speak of the same clock. */
const SAME_CLOCK_MS = 2_000;
/** Uncertainty of an offset that nobody measured. */
const NOTHING_KNOWN_MS = 8.64e15;

interface Candidate {
  offsetMs: number;
  uncertaintyMs: number;
  /** Links on the way that nobody can check. */
  assumed: number;
}

/** Offset of an epoch at a time of the phone's clock. */
export function offsetIn(epochs: readonly ClockEpoch[], id: string, atMs: number): ClockOffset {
  const byId = new Map(epochs.map((epoch) => [epoch.id, epoch]));
  const own = bestOffset(byId.get(id)?.samples ?? [], atMs);
  if (own) return { offsetMs: own.offsetMs, uncertaintyMs: own.uncertaintyMs, state: 'MEASURED' };
  const found = candidatesOf(epochs, id, atMs);
  const least = Math.min(...found.map(({ assumed }) => assumed));
  const nearest = found.filter(({ assumed }) => assumed === least);
  const best = nearest.toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)[0];
  if (!best) return apart(epochs, atMs);
  const { offsetMs, uncertaintyMs } = best;
  if (least === 0) return { offsetMs, uncertaintyMs, state: 'MEASURED' };
  // Without a break that could hide a change the first measured neighbour decides; with one, all of them must agree.
  const spreadMs = Math.max(...found.map((other) => Math.abs(other.offsetMs - offsetMs) - other.uncertaintyMs));
  if (spreadMs - uncertaintyMs <= SAME_CLOCK_MS) return { offsetMs, uncertaintyMs, state: 'MEASURED' };
  return { offsetMs, uncertaintyMs: Math.ceil(spreadMs + uncertaintyMs), state: 'CHANGED' };
}

/** The first measured epoch in each direction from one, with its offset as seen from there. */
function candidatesOf(epochs: readonly ClockEpoch[], id: string, atMs: number): Candidate[] {
  const seen = new Set([id]);
  let edge: { id: string; shiftMs: number; assumed: number }[] = [{ id, shiftMs: 0, assumed: 0 }];
  const found: Candidate[] = [];
  while (edge.length > 0) {
    const next: typeof edge = [];
    for (const from of edge) {
      for (const { to, link, isForward } of neighbours(epochs, from.id)) {
        if (seen.has(to.id) || link.kind === 'UNKNOWN') continue;
        seen.add(to.id);
        // A clock that was set forward by x is x less behind from then on.
        const shiftMs = from.shiftMs + (link.kind === 'SET' ? (isForward ? link.byMs : -link.byMs) : 0);
        const assumed = from.assumed + (link.kind === 'REOPENED' ? 1 : 0);
        const sample = bestOffset(to.samples, atMs + shiftMs);
        if (sample) found.push({ offsetMs: sample.offsetMs + shiftMs, uncertaintyMs: sample.uncertaintyMs, assumed });
        else next.push({ id: to.id, shiftMs, assumed });
      }
    }
    edge = next;
  }
  return found;
}

function neighbours(epochs: readonly ClockEpoch[], id: string) {
  return epochs.flatMap((epoch) => {
    if (!epoch.link) return [];
    if (epoch.link.after === id) return [{ to: epoch, link: epoch.link, isForward: true }];
    if (epoch.id !== id) return [];
    const before = epochs.find((other) => other.id === epoch.link?.after);
    return before ? [{ to: before, link: epoch.link, isForward: false }] : [];
  });
}

/** An epoch between two changes of unknown size, or before any contact. */
function apart(epochs: readonly ClockEpoch[], atMs: number): ClockOffset {
  const latest = epochs.findLast(({ samples }) => samples.length > 0);
  const sample = latest && bestOffset(latest.samples, atMs);
  if (!sample) return { offsetMs: 0, uncertaintyMs: NOTHING_KNOWN_MS, state: 'UNKNOWN' };
  return { offsetMs: sample.offsetMs, uncertaintyMs: NOTHING_KNOWN_MS, state: 'CHANGED' };
}

/** Instant of a stamp by the site's clock, as far as it is known. */
export const siteTime = (epochs: readonly ClockEpoch[], { wallMs, epoch }: Stamp): number =>
  Math.round(wallMs + offsetIn(epochs, epoch, wallMs).offsetMs);

/** The same instant by the clock of another epoch: what that clock would have shown. */
export const wallTimeIn = (epochs: readonly ClockEpoch[], stamp: Stamp, target: string): number => {
  if (stamp.epoch === target) return stamp.wallMs;
  return Math.round(siteTime(epochs, stamp) - offsetIn(epochs, target, stamp.wallMs).offsetMs);
};
