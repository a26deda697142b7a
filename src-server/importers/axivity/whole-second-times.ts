/**
 * Times of blocks whose stamps have no fraction of a second (2010 firmware). A stamp says only in which second a block began, so the
 * distance of two says nothing of a period; all stamps of an hour bound it to a few hundred ppm. Times run along straight lines between
 * knots an hour apart, through the stated seconds where a line can.
 */
import { type CwaFile, walkBlocks } from './cwa-blocks.ts';

const SECOND_US = 1e6;
const KNOT_US = 3600e6;
/** Recorders are at most this far off their nominal rate. */
const MAX_RATE_ERROR = 0.03;
/** Halvings of that: to well below 1 ppm. */
const STEPS = 24;

/** Blocks that follow each other: samples before each, and its stamp. */
interface Run {
  rows: number[];
  stampsUs: number[];
  nominalPeriodUs: number;
}

/** The time of the first sample of each whole block, in the order of the file. */
export async function wholeSecondTimes(file: CwaFile): Promise<Float64Array> {
  const runs: Run[] = [];
  let last = { sequence: 0, session: -1, count: 0, rateHz: 0, timeUs: 0 };
  const walk = walkBlocks(file, (_, __, block, skippedBytes) => {
    const { sequence, session, count, rateHz, timeUs } = block;
    const lastUs = (last.count * 1e6) / last.rateHz;
    const follows =
      skippedBytes === 0 &&
      session === last.session &&
      sequence === last.sequence + 1 &&
      rateHz === last.rateHz &&
      Math.abs(timeUs - last.timeUs - lastUs) <= lastUs + SECOND_US;
    if (!follows) runs.push({ rows: [], stampsUs: [], nominalPeriodUs: 1e6 / rateHz });
    const run = runs.at(-1)!;
    run.rows.push(follows ? run.rows.at(-1)! + last.count : 0);
    run.stampsUs.push(timeUs);
    last = { sequence, session, count, rateHz, timeUs };
    return undefined;
  });
  await walk.next();
  const times = new Float64Array(runs.reduce((sum, { rows }) => sum + rows.length, 0));
  let at = 0;
  for (const run of runs) {
    times.set(timesOf(run), at);
    at += run.rows.length;
  }
  return times;
}

function timesOf(run: Run): Float64Array {
  const { rows, stampsUs } = run;
  const last = rows.length - 1;
  const pieces = Math.max(1, Math.round((stampsUs[last]! - stampsUs[0]!) / KNOT_US));
  const knots = Array.from({ length: pieces + 1 }, (_, k) => Math.round((k * last) / pieces));
  const lines = Array.from({ length: pieces }, (_, k) => lineThrough(run, knots[k]!, knots[k + 1]!));
  const knotTimes = knots.map((block, k) => {
    const sides = [lines[k - 1], lines[k]].filter((line) => line !== undefined);
    return sides.reduce((sum, { startUs, periodUs }) => sum + startUs + rows[block]! * periodUs, 0) / sides.length;
  });
  const times = new Float64Array(rows.length);
  for (let k = 0; k < pieces; k++) {
    const [from, to] = [knots[k]!, knots[k + 1]!];
    const periodUs = to > from ? (knotTimes[k + 1]! - knotTimes[k]!) / (rows[to]! - rows[from]!) : 0;
    for (let block = from; block <= to; block++) times[block] = knotTimes[k]! + (rows[block]! - rows[from]!) * periodUs;
  }
  return times;
}

/** The line whose times lie within the stated seconds, near the nominal period where several do. */
function lineThrough({ rows, stampsUs, nominalPeriodUs }: Run, from: number, to: number) {
  /** Where row 0 may lie; `room` is negative when no line of this period passes through all seconds. */
  const boundsOf = (periodUs: number) => {
    let earliest = Number.NEGATIVE_INFINITY;
    let latest = Number.POSITIVE_INFINITY;
    for (let block = from; block <= to; block++) {
      const startUs = stampsUs[block]! - rows[block]! * periodUs;
      if (startUs > earliest) earliest = startUs;
      if (startUs < latest) latest = startUs;
    }
    return { room: latest + SECOND_US - earliest, middleUs: (latest + SECOND_US + earliest) / 2 };
  };
  const roomOf = (periodUs: number): number => boundsOf(periodUs).room;
  let low = nominalPeriodUs * (1 - MAX_RATE_ERROR);
  let high = nominalPeriodUs * (1 + MAX_RATE_ERROR);
  const [least, most] = [low, high];
  // The room is a concave function of the period.
  for (let step = 0; step < STEPS; step++) {
    const third = (high - low) / 3;
    if (roomOf(low + third) < roomOf(high - third)) low += third;
    else high -= third;
  }
  const best = (low + high) / 2;
  let periodUs = best;
  if (roomOf(best) >= 0) {
    const [shortest, longest] = [edge(roomOf, best, least), edge(roomOf, best, most)];
    const quarter = (longest - shortest) / 4;
    periodUs = Math.min(longest - quarter, Math.max(shortest + quarter, nominalPeriodUs));
  }
  return { startUs: boundsOf(periodUs).middleUs, periodUs };
}

/** The last period with room on the way from one that has some. */
function edge(roomOf: (periodUs: number) => number, inside: number, outside: number): number {
  if (roomOf(outside) >= 0) return outside;
  let [good, bad] = [inside, outside];
  for (let step = 0; step < STEPS; step++) {
    const middle = (good + bad) / 2;
    if (roomOf(middle) >= 0) good = middle;
    else bad = middle;
  }
  return good;
}
