/**
 * True times of events by a clock that may be wrong and may be set at any time.
 *
 * An *epoch* is a stretch in which nobody set the phone's clock: it begins with the page, and again with each jump that the page
 * sees. An event keeps the phone's time and its epoch. Contacts with the site measure the offset of the epoch that they fall
 * into; others take theirs from a measured epoch that they are linked to, so an event gets its true time even when the clock
 * was measured only later, or was set in between.
 */
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { bestOffset, type OffsetSample } from '../../../src-server/phone-protocol/clock-offset.ts';

/**
 * How an epoch follows on another one. `SET`: the clock was set forward (or back) by `byMs` while the monotonic clock ran on.
 * `REOPENED`: the page was closed in between, or hidden and the phone perhaps asleep, and nothing speaks for a change; the clocks
 * of a hidden page moved apart by `byMs`, which is the sleep, or a clock that was set. `UNKNOWN`: the clock was set back while the page was
 * closed or hidden; by `byMs` and any sleep besides, or by an unknown amount without it.
 */
export type EpochLink = { after: string } & (
  | { kind: 'SET'; byMs: number }
  | { kind: 'REOPENED'; byMs?: number }
  | { kind: 'UNKNOWN'; byMs?: number }
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
  /** `CHANGED`: an estimate, as the clock was set at a time that nobody knows, or may have been. `UNKNOWN`: never measured. */
  state: 'MEASURED' | 'CHANGED' | 'UNKNOWN';
}

/** An instant by the phone's clock. */
export interface Stamp {
  wallMs: number;
  epoch: string;
}

/** Two measurements that differ by less speak of the same clock. */
const SAME_CLOCK_MS = 2_000;
/** Well within the two minutes that the site takes for one setting of a clock: its reading of a call includes the way of the call. */
const SURELY_SAME_SETTING_MS = MINUTE_MS;
/** Uncertainty of an offset that nobody measured. */
const NOTHING_KNOWN_MS = 8.64e15;

interface Candidate {
  offsetMs: number;
  uncertaintyMs: number;
  /** Links on the way that nobody can check. */
  assumed: number;
  /** What would be added to the offset if the clock was set, rather than the phone asleep: by the epoch behind the link. */
  jumps: ReadonlyMap<string, number>;
}

/** Offset of an epoch at a time of the phone's clock. */
export function offsetIn(epochs: readonly ClockEpoch[], id: string, atMs: number): ClockOffset {
  const own = bestOffset(epochs.find((epoch) => epoch.id === id)?.samples ?? [], atMs);
  if (own) return { offsetMs: own.offsetMs, uncertaintyMs: own.uncertaintyMs, state: 'MEASURED' };
  const found = candidatesOf(epochs, id, atMs);
  const best = nearestOf(found);
  if (!best) return apart(epochs, id, atMs);
  // Without a break that could hide a change the first measured neighbour decides; with one, all of them must agree.
  const disagreementMs = disagreementOf(found, best);
  const isAgreed = best.assumed === 0 || disagreementMs - best.uncertaintyMs <= SAME_CLOCK_MS;
  // Without a measurement on its other side nothing tells whether a jump was a sleep or a clock that was set.
  const untoldMs = untoldOf(found);
  const { offsetMs, uncertaintyMs } = (isAgreed ? best : explained(found)) ?? {};
  if (offsetMs !== undefined && uncertaintyMs !== undefined) {
    if (untoldMs === 0) return { offsetMs, uncertaintyMs, state: 'MEASURED' };
    return { offsetMs, uncertaintyMs: Math.ceil(uncertaintyMs + untoldMs), state: 'CHANGED' };
  }
  return {
    offsetMs: best.offsetMs,
    uncertaintyMs: Math.ceil(disagreementMs + best.uncertaintyMs + untoldMs),
    state: 'CHANGED',
  };
}

/**
 * What a phone claims to the site, which knows only the offsets that it measured itself. One that follows from the size of a jump
 * is as exact, but the site cannot check it and would dispute it: it is claimed as an estimate.
 */
export function claimIn(epochs: readonly ClockEpoch[], id: string, atMs: number): ClockOffset {
  const offset = offsetIn(epochs, id, atMs);
  const isChecked = epochs.some(({ samples }) =>
    samples.some(({ offsetMs }) => Math.abs(offsetMs - offset.offsetMs) <= SURELY_SAME_SETTING_MS),
  );
  return offset.state === 'MEASURED' && !isChecked ? { ...offset, state: 'CHANGED' } : offset;
}

function nearestOf(found: readonly Candidate[]): Candidate | undefined {
  return found.toSorted((a, b) => a.assumed - b.assumed || a.uncertaintyMs - b.uncertaintyMs)[0];
}

const disagreementOf = (found: readonly Candidate[], best: Candidate): number =>
  Math.max(...found.map((other) => Math.abs(other.offsetMs - best.offsetMs) - other.uncertaintyMs));

/** How much the offset would differ if the jumps on the way to every candidate were a clock that was set, ms. */
function untoldOf(found: readonly Candidate[]): number {
  const [first, ...others] = found;
  const shared = [...(first?.jumps ?? [])].filter(([epoch]) => others.every(({ jumps }) => jumps.has(epoch)));
  return shared.reduce((sum, [, byMs]) => sum + Math.abs(byMs), 0);
}

/**
 * The offset on which all candidates agree if exactly one jump of a hidden page was a clock that was set. Undefined when none of
 * the jumps explains the difference, and when several do with different results.
 */
function explained(found: readonly Candidate[]): Candidate | undefined {
  const explanations = [...new Set(found.flatMap(({ jumps }) => [...jumps.keys()]))].flatMap((jump) => {
    const shifted = found.map((one) => ({ ...one, offsetMs: one.offsetMs + (one.jumps.get(jump) ?? 0) }));
    const best = nearestOf(shifted);
    return best && isSame(shifted, best) ? [best] : [];
  });
  const [first] = explanations;
  return first && isSame(explanations, first) ? first : undefined;
}

/** Narrower than the uncertainty of samples after days: a sleep that happens to be nearly as long is no explanation. */
const isSame = (found: readonly Candidate[], { offsetMs }: Candidate): boolean =>
  found.every((other) => Math.abs(other.offsetMs - offsetMs) <= SAME_CLOCK_MS);

interface Step {
  id: string;
  shiftMs: number;
  assumed: number;
  jump?: [epoch: string, byMs: number];
  from?: Step;
}

/** The first measured epoch in each direction from one, with its offset as seen from there. */
function candidatesOf(epochs: readonly ClockEpoch[], id: string, atMs: number, isGuess = false): Candidate[] {
  const neighbours = neighboursOf(epochs);
  const seen = new Set([id]);
  let edge: Step[] = [{ id, shiftMs: 0, assumed: 0 }];
  const found: Candidate[] = [];
  while (edge.length > 0) {
    const next: Step[] = [];
    for (const from of edge) {
      for (const { to, link, isForward, epoch } of neighbours.get(from.id) ?? []) {
        if (seen.has(to.id) || (link.kind === 'UNKNOWN' && !(isGuess && link.byMs !== undefined))) continue;
        seen.add(to.id);
        // A clock that was set forward by x is x less behind from then on.
        const byMs = isForward ? (link.byMs ?? 0) : -(link.byMs ?? 0);
        const isJump = link.kind === 'REOPENED' && byMs !== 0;
        const step: Step = {
          id: to.id,
          shiftMs: from.shiftMs + (link.kind === 'REOPENED' ? 0 : byMs),
          assumed: from.assumed + (link.kind === 'SET' ? 0 : 1),
          from,
          ...(isJump && { jump: [epoch, byMs] }),
        };
        const sample = bestOffset(to.samples, atMs + step.shiftMs);
        if (sample) found.push(candidate(sample, step));
        else next.push(step);
      }
    }
    edge = next;
  }
  return found;
}

function candidate(sample: OffsetSample, last: Step): Candidate {
  const jumps = new Map<string, number>();
  for (let step: Step | undefined = last; step; step = step.from) if (step.jump) jumps.set(...step.jump);
  const { shiftMs, assumed } = last;
  return { offsetMs: sample.offsetMs + shiftMs, uncertaintyMs: sample.uncertaintyMs, assumed, jumps };
}

interface Neighbour {
  to: ClockEpoch;
  link: EpochLink;
  isForward: boolean;
  /** The one that the link belongs to. */
  epoch: string;
}

/** A phone that is away for weeks keeps many epochs: each is looked at once. */
function neighboursOf(epochs: readonly ClockEpoch[]): Map<string, Neighbour[]> {
  const byId = new Map(epochs.map((epoch) => [epoch.id, epoch]));
  const neighbours = new Map<string, Neighbour[]>(epochs.map(({ id }) => [id, []]));
  for (const epoch of epochs) {
    const { id, link } = epoch;
    const before = link && byId.get(link.after);
    if (!before) continue;
    neighbours.get(before.id)?.push({ to: epoch, link, isForward: true, epoch: id });
    neighbours.get(id)?.push({ to: before, link, isForward: false, epoch: id });
  }
  return neighbours;
}

/** An epoch between two changes of unknown size, or before any contact. */
function apart(epochs: readonly ClockEpoch[], id: string, atMs: number): ClockOffset {
  // Set back in the settings of a phone that was awake, the clock changed by exactly the jump; by more if the phone slept besides.
  const guess = nearestOf(candidatesOf(epochs, id, atMs, true));
  if (guess) return { offsetMs: guess.offsetMs, uncertaintyMs: NOTHING_KNOWN_MS, state: 'CHANGED' };
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
