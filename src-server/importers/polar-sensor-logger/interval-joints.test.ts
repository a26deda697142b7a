import { describe, expect, it } from 'vitest';
import { joinIntervals, type StampedInterval, usualBatch } from './interval-joints.ts';

/** Batches of four, each with a stamp that leaves the running sum by its jitter. */
const JITTERS_MS = [0, 420, -310, 150, -640, 380, 90, -220];
const intervalMs = (i: number): number => 800 + 10 * (i % 7);

function made(): StampedInterval[] {
  const rows: StampedInterval[] = [];
  let beginMs = 1_000_000;
  for (let i = 0; i < 4 * JITTERS_MS.length; i++) {
    rows.push({ phoneUs: (beginMs + JITTERS_MS[i >> 2]!) * 1000, counts: [intervalMs(i), 10], lostRows: 0 });
    beginMs += intervalMs(i);
  }
  return rows;
}

/** Begins of the rows that are kept, in milliseconds from the first; NaN where only a stamp tells. */
function begins(rows: StampedInterval[]): Map<number, number> {
  const { joined } = joinIntervals(rows, 4);
  const found = new Map<number, number>();
  let at = 0;
  for (const { row, joint } of joined) {
    if (joint.kind === 'HOLE') at += joint.holeUs / 1000;
    if (joint.kind === 'BY_STAMP') at = Number.NaN;
    found.set(
      rows.findIndex(({ counts }) => counts === row.counts),
      at,
    );
    at += row.counts[0]!;
  }
  return found;
}

const whole = begins(made());

describe('intervals beside their stamps', () => {
  it('are judged only where batches are large enough', () => {
    expect(usualBatch(made())).toBe(4);
    expect(usualBatch(made().filter((_, i) => i % 2 === 0))).toBeUndefined();
  });

  it('are all kept, without a hole, when nothing is wrong', () => {
    const { joined, contradicted, retimed } = joinIntervals(made(), 4);
    expect(joined.length).toBe(32);
    expect(joined.every(({ joint }) => joint.kind === 'FOLLOWS')).toBe(true);
    expect([contradicted, retimed]).toEqual([0, 0]);
  });

  it.each([4, 5, 6, 13, 22])('lose the one at %i when its digits are wrong, and no other moves', (wrong) => {
    const rows = made();
    rows[wrong]!.counts = [rows[wrong]!.counts[0]! + 200, 10];
    const found = begins(rows);
    expect(found.has(wrong)).toBe(false);
    expect(found.size).toBe(31);
    for (const [row, at] of found) expect(at, `row ${row}`).toBe(whole.get(row));
  });

  it.each([5, 6, 13])('keep the one at %i when its stamp is wrong or unreadable', (wrong) => {
    for (const phoneUs of [Number.NaN, made()[wrong]!.phoneUs + 3_000_000]) {
      const rows = made();
      rows[wrong]!.phoneUs = phoneUs;
      expect(begins(rows)).toEqual(whole);
      expect(joinIntervals(rows, 4).retimed).toBe(1);
    }
  });

  it('leave a hole of the right length for a lost row inside a batch', () => {
    const rows = made();
    rows.splice(9, 1);
    rows[9]!.lostRows = 1;
    const found = begins(rows);
    for (const [row, at] of found) expect(at).toBe(whole.get(row < 9 ? row : row + 1));
  });

  it('follow the stamps behind many lost rows', () => {
    const rows = made();
    rows.splice(6, 12);
    rows[6]!.lostRows = 1;
    const { joined } = joinIntervals(rows, 4);
    expect(joined.map(({ joint }) => joint.kind).filter((kind) => kind !== 'FOLLOWS')).toEqual(['BY_STAMP']);
  });
});
