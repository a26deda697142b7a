/**
 * Finds intervals and stamps that damage has changed, where each row is stamped with the begin of its interval. The text has no
 * checksum, but inside a batch of the sensor each stamp is the one before plus its interval, so the stamps show which number is
 * wrong. Between batches the phone's time jumps by up to a second, so that nothing can be compared.
 */
export interface StampedInterval {
  /** NaN where the stamp is damaged. */
  phoneUs: number;
  counts: number[];
  /** Damaged rows before this one; a stretch without line ends counts as one. */
  lostRows: number;
}

/**
 * How a row lies behind the one that was kept before it: its interval begins where the other ends; it does so after a hole that the
 * stamps measure; or rows are missing and only its stamp tells where.
 */
export type Joint = { kind: 'FOLLOWS' } | { kind: 'HOLE'; holeUs: number } | { kind: 'BY_STAMP' };

interface JoinedInterval<T extends StampedInterval> {
  row: T;
  joint: Joint;
}

/** Stamps are written in milliseconds. */
export const SAME_US = 2_000;
/** Smaller batches leave too few stamps to compare. */
const LEAST_BATCH = 3;
/** No interval of a heart: a missing row, or a pause, lies in between. */
const SHORTEST_US = 250_000;
const LONGEST_US = 3_000_000;
/** Of the usual interval around: a step within this is one interval. */
const LIKE_USUAL = 0.4;
/** The phone's time jumps by less between two batches, but for a few. */
const USUAL_JUMP_US = 1_500_000;
const AROUND = 4;

const intervalUs = ({ counts }: StampedInterval): number => counts[0]! * 1000;
const FOLLOWS: Joint = { kind: 'FOLLOWS' };

/** Rows that a batch of the sensor has at most, but for a tenth of them; undefined when they are too few to judge by. */
export function usualBatch(rows: readonly StampedInterval[]): number | undefined {
  const sizes = batchSizes(rows).sort((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length * 0.9)] ?? 0;
  return usual >= LEAST_BATCH ? usual : undefined;
}

/** @returns the rows that are kept, how many contradict the stamps beside them, and how many got a stamp from the row before */
export function joinIntervals<T extends StampedInterval>(
  rows: readonly T[],
  batchRows: number,
): { joined: JoinedInterval<T>[]; contradicted: number; retimed: number } {
  const { repaired, retimed, dropped } = withoutStrayStamps(rows);
  const sizes = batchSizes(repaired);
  const joined: JoinedInterval<T>[] = [];
  let contradicted = dropped;
  let at = 0;
  let next: Joint = FOLLOWS;
  sizes.forEach((size, s) => {
    for (let i = at; i < at + size; i++) {
      joined.push({ row: repaired[i]!, joint: next });
      next = FOLLOWS;
    }
    at += size;
    if (at === repaired.length) return;
    // The last batch may be cut, so that its size tells nothing.
    const isInBatch = s + 2 < sizes.length && size + sizes[s + 1]! <= batchRows;
    const judged = judgeBreak(repaired, at - 1, { isAlone: size === 1, isInBatch });
    next = judged.joint;
    if (!judged.isWrong) return;
    joined.pop();
    contradicted++;
  });
  return { joined, contradicted, retimed };
}

/**
 * @param isAlone no stamp agrees with this row
 * @param isInBatch the rows on both sides are few enough for one batch
 */
function judgeBreak(
  rows: readonly StampedInterval[],
  last: number,
  { isAlone, isInBatch }: { isAlone: boolean; isInBatch: boolean },
): { isWrong: boolean; joint: Joint } {
  const row = rows[last]!;
  const following = rows[last + 1]!;
  const stepUs = following.phoneUs - row.phoneUs;
  const jumpUs = stepUs - intervalUs(row);
  const usualUs = usualAround(rows, last);
  const isOneInterval = (us: number): boolean => Math.abs(us - usualUs) <= LIKE_USUAL * usualUs;
  if (following.lostRows > 0) {
    const isMeasured = isInBatch && jumpUs >= SHORTEST_US && jumpUs <= LONGEST_US;
    if (isMeasured) return { isWrong: false, joint: { kind: 'HOLE', holeUs: jumpUs } };
    const isOne = following.lostRows === 1 && Math.abs(jumpUs - usualUs) <= USUAL_JUMP_US;
    // One beat is missing, and the jump between two batches says less of its length than its neighbours do.
    return { isWrong: false, joint: isOne ? { kind: 'HOLE', holeUs: usualUs } : { kind: 'BY_STAMP' } };
  }
  if (isInBatch && !isOneInterval(stepUs) && isOneInterval(jumpUs)) {
    return { isWrong: false, joint: { kind: 'HOLE', holeUs: jumpUs } };
  }
  if (isInBatch && stepUs >= SHORTEST_US && stepUs <= LONGEST_US) {
    // The row before ends where this one begins, which is right, so that the hole is all of this interval.
    return { isWrong: true, joint: { kind: 'HOLE', holeUs: stepUs } };
  }
  const isUnlikely = (isAlone && !isOneInterval(intervalUs(row))) || intervalUs(row) > LONGEST_US;
  if (isUnlikely && jumpUs < 0) return { isWrong: true, joint: { kind: 'BY_STAMP' } };
  return { isWrong: false, joint: FOLLOWS };
}

function usualAround(rows: readonly StampedInterval[], row: number): number {
  const around = [...rows.slice(Math.max(0, row - AROUND), row), ...rows.slice(row + 1, row + 1 + AROUND)];
  const intervals = around.map(intervalUs).sort((a, b) => a - b);
  return intervals[intervals.length >> 1] ?? 0;
}

const isLinked = (rows: readonly StampedInterval[], row: number): boolean =>
  rows[row + 1]!.lostRows === 0 &&
  Math.abs(rows[row + 1]!.phoneUs - rows[row]!.phoneUs - intervalUs(rows[row]!)) <= SAME_US;

function batchSizes(rows: readonly StampedInterval[]): number[] {
  const sizes: number[] = [];
  let size = 0;
  for (let i = 0; i < rows.length; i++) {
    size++;
    if (i + 1 < rows.length && isLinked(rows, i)) continue;
    sizes.push(size);
    size = 0;
  }
  return sizes;
}

/**
 * A stamp between two that its interval and the one before lead to exactly is wrong, and the intervals are right. A row without a
 * stamp gets that of its place behind the one before, unless its interval is none that the rows around have.
 */
function withoutStrayStamps<T extends StampedInterval>(
  rows: readonly T[],
): { repaired: T[]; retimed: number; dropped: number } {
  const repaired: T[] = [];
  let retimed = 0;
  let dropped = 0;
  rows.forEach((row, i) => {
    const before = repaired.at(-1);
    const after = rows[i + 1];
    const isUntimed = Number.isNaN(row.phoneUs);
    if (!before || !after || row.lostRows > 0 || after.lostRows > 0) {
      if (!isUntimed) repaired.push(row);
      return;
    }
    const placedUs = before.phoneUs + intervalUs(before);
    const isBridged = Math.abs(after.phoneUs - placedUs - intervalUs(row)) <= 2 * SAME_US;
    const usualUs = usualAround(rows, i);
    const isUsual = Math.abs(intervalUs(row) - usualUs) <= LIKE_USUAL * usualUs;
    if (!isUntimed && (!isBridged || Math.abs(row.phoneUs - placedUs) <= SAME_US)) {
      repaired.push(row);
    } else if (isBridged || isUsual) {
      retimed++;
      repaired.push({ ...row, phoneUs: placedUs });
    } else {
      dropped++;
      rows[i + 1]!.lostRows++;
    }
  });
  return { repaired, retimed, dropped };
}
