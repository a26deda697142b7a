import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../testing/synthetic-ecg.ts';
import { type BeatRow, doubtfulPauses, ectopicBeats } from './rhythm.ts';

/** Beats from intervals in ms; the first beat is at time 0. */
function row(intervalsMs: number[], ectopicShapes: number[] = []): BeatRow {
  const timesUs = [0];
  for (const ms of intervalsMs) timesUs.push(timesUs[timesUs.length - 1]! + ms * 1000);
  const marks = new Uint8Array(timesUs.length);
  for (const i of ectopicShapes) marks[i] = 1;
  return { timesUs, afterGap: new Uint8Array(timesUs.length), ectopicShape: marks };
}

const marked = (beats: BeatRow): number[] =>
  [...ectopicBeats(beats).entries()].filter(([, one]) => one).map(([i]) => i);

/** Sinus intervals of `meanMs` with respiratory arrhythmia and a little jitter. */
function sinus(count: number, meanMs = 800): number[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_value, i) => meanMs + 30 * Math.sin(i / 0.8) + 20 * (random() - 0.5));
}

describe('ectopic beats', () => {
  it('are premature beats followed by a pause, compensatory or not', () => {
    const intervals = sinus(200);
    intervals[60] = 520;
    intervals[61] = 1080;
    intervals[120] = 560;
    intervals[121] = 850;
    expect(marked(row(intervals))).toEqual([61, 121]);
  });

  it('are not marked in sinus rhythm with respiratory arrhythmia, acceleration and deceleration', () => {
    expect(marked(row(sinus(500).map((ms, i) => ms - 0.4 * i)))).toEqual([]);
    expect(marked(row(sinus(300, 1100).map((ms, i) => ms + 120 * Math.sin(i / 2))))).toEqual([]);
  });

  it('are found in bigeminy, where every other interval is a pause', () => {
    const intervals = [...sinus(30), ...Array.from({ length: 60 }, (_value, i) => (i % 2 ? 1120 : 480)), ...sinus(30)];
    const early = Array.from({ length: 30 }, (_value, i) => 31 + 2 * i);
    // Nine of ten are known from their shape.
    expect(
      marked(
        row(
          intervals,
          early.filter((_beat, i) => i % 10 !== 3),
        ),
      ),
    ).toEqual(early);
  });

  describe('in a long run of fast beats', () => {
    // An ectopic beat among the sinus intervals before it: the run then has most of those around.
    const before = sinus(60, 620);
    before.splice(54, 2, 450, 790);
    const run = Array.from({ length: 20 }, (_value, i) => 372 + 6 * Math.sin(i));
    const beats = [...before, ...run, ...sinus(60, 620)];
    const inRun = run.map((_ms, i) => before.length + 1 + i);

    it('are all of them, where it breaks out of a steady rhythm and ends with one step', () => {
      expect(marked(row(beats, [55]))).toEqual([55, ...inRun]);
    });

    it('are none where no P waves repeat: in atrial flutter such steps are chance', () => {
      expect(marked({ ...row(beats, [55]), pAbsent: new Uint8Array(beats.length + 1).fill(1) })).toEqual([55]);
    });

    it('are none where the sinus node speeds up and slows down beat by beat', () => {
      const ramp = Array.from({ length: 12 }, (_value, i) => 620 - 20 * i);
      expect(marked(row([...before, ...ramp, ...run, ...ramp.toReversed(), ...sinus(60, 620)]))).toEqual([55]);
    });
  });

  it('are found after another one, where the pause comes only then; a sinus beat after an interpolated one is not', () => {
    const intervals = sinus(200);
    // The first beat of a couplet is known from its shape, the second has that of the others.
    intervals.splice(60, 3, 520, 470, 1150);
    // An interpolated beat between two sinus beats.
    intervals.splice(120, 2, 420, 390);
    expect(marked(row(intervals, [61, 121]))).toEqual([61, 62, 121]);
  });

  it('are found a little early, where the pause makes up for it', () => {
    // In an arrhythmia whose changes of 65 ms or so make a limit of 230 ms.
    const intervals = Array.from({ length: 200 }, (_value, i) => 800 + 65 * ((i % 2) - 0.5));
    intervals[60] = 700;
    intervals[61] = 1120;
    expect(marked(row(intervals))).toEqual([61]);
  });

  it('are found in runs that begin and end with a step', () => {
    const intervals = sinus(200);
    intervals.splice(80, 8, ...new Array(8).fill(420));
    intervals[88] = 900;
    expect(marked(row(intervals))).toEqual([81, 82, 83, 84, 85, 86, 87, 88]);
  });

  it('are hardly marked in atrial fibrillation, where all intervals vary', () => {
    const random = seededRandom(3);
    const intervals = Array.from({ length: 1000 }, () => 500 + 500 * random());
    expect(marked(row(intervals)).length).toBeLessThan(30);
  });

  it('are found in atrial bigeminy and couplets, which leave no sinus interval', () => {
    const random = seededRandom(5);
    const jitter = (): number => 30 * (random() - 0.5);
    const bigeminy = Array.from({ length: 80 }, (_value, i) => (i % 2 ? 930 : 530) + jitter());
    expect(marked(row(bigeminy))).toEqual(Array.from({ length: 40 }, (_value, i) => 1 + 2 * i));
    const couplets = Array.from({ length: 90 }, (_value, i) => [1080, 510, 440][i % 3]! + jitter());
    expect(marked(row(couplets)).filter((i) => i % 3 === 1)).toEqual([]);
    expect(marked(row(couplets)).length).toBeGreaterThanOrEqual(58);
  });

  it('are found in atrial trigeminy and quadrigeminy, where one or two sinus beats precede each', () => {
    const random = seededRandom(9);
    const jitter = (): number => 30 * (random() - 0.5);
    const trigeminy = Array.from({ length: 90 }, (_value, i) => [750, 430, 1060][i % 3]! + jitter());
    expect(marked(row(trigeminy))).toEqual(Array.from({ length: 30 }, (_value, i) => 2 + 3 * i));
    const quadrigeminy = Array.from({ length: 120 }, (_value, i) => [760, 740, 430, 1060][i % 4]! + jitter());
    expect(marked(row(quadrigeminy))).toEqual(Array.from({ length: 30 }, (_value, i) => 3 + 4 * i));
  });

  it('are not marked in deep respiratory arrhythmia of a few beats per breath', () => {
    for (const beatsPerBreath of [3, 4, 5]) {
      const intervals = Array.from(
        { length: 300 },
        (_v, i) => 950 + 160 * Math.sin((2 * Math.PI * i) / beatsPerBreath),
      );
      expect(marked(row(intervals)), `${beatsPerBreath} beats per breath`).toEqual([]);
    }
  });

  it('are not marked among the conducted beats of a 2:1 block', () => {
    const intervals = [...new Array(30).fill(1520), 830, 1510, 1530, 840, 820, 1500, ...new Array(30).fill(1520)];
    expect(marked(row(intervals))).toEqual([]);
    const early = [...new Array(30).fill(1520), 560, 1510, ...new Array(30).fill(1520)];
    expect(marked(row(early))).toEqual([31]);
  });

  it('are not searched for across a gap', () => {
    const intervals = sinus(100);
    intervals[50] = 300;
    intervals[51] = 1500;
    const beats = row(intervals);
    expect(marked(beats)).toEqual([51]);
    expect(marked({ ...beats, afterGap: Uint8Array.from(beats.afterGap, (_gap, i) => (i === 51 ? 1 : 0)) })).toEqual(
      [],
    );
  });
});

describe('pauses', () => {
  it('are trusted in a clear signal and doubtful in noise', () => {
    const intervals = sinus(60);
    intervals[20] = 2400;
    intervals[40] = 1700;
    const quality = new Array(61).fill(90);
    quality[40] = 20;
    expect([...doubtfulPauses(row(intervals), quality).entries()].filter(([, one]) => one)).toEqual([[41, 1]]);
  });
});
