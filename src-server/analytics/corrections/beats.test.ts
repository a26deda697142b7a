import { describe, expect, it } from 'vitest';
import { BEAT_AFTER_GAP, BEAT_ARTEFACT, BEAT_ECTOPIC, BEAT_NORMAL, BEAT_VENTRICULAR } from '../heart/beats.ts';
import { intervalsOf } from '../hrv/index.ts';
import { rhythmSeconds } from '../rhythm/seconds.ts';
import type { BeatSeries, EcgFeatures, RecordingFeatures } from '../types.ts';
import { type Correction, correctBeats, SubjectCorrections } from './index.ts';

const START = 1_800_000_000;
const us = (seconds: number): number => (START + seconds) * 1e6;
const SECONDS = 60;

function series(seconds: readonly number[], kinds: Record<number, number> = {}): BeatSeries {
  return {
    timesUs: Float64Array.from(seconds, us),
    kinds: Uint8Array.from(seconds, (_s, i) => kinds[i] ?? (i === 0 ? BEAT_AFTER_GAP : BEAT_NORMAL)),
    amplitudesV: new Float32Array(seconds.length).fill(0.001),
  };
}

const every = (step: number, n: number): number[] => Array.from({ length: n }, (_, i) => 0.5 + i * step);

const covered = (without: readonly number[] = []): EcgFeatures['seconds'] => ({
  startSecond: START,
  count: SECONDS,
  columns: {
    quality: new Uint8Array(SECONDS).fill(90),
    contact: Uint8Array.from({ length: SECONDS }, (_, i) => (without.includes(i) ? 0 : 1)),
    unresolved: new Uint8Array(SECONDS),
  },
});

const beat = (kind: Correction['kind'], seconds: number, more: Partial<Correction> = {}): Correction => ({
  kind,
  recordingId: 'r',
  timeUs: us(seconds),
  startMs: Math.floor(us(seconds) / 1000),
  stopMs: Math.floor(us(seconds) / 1000) + 1,
  ...more,
});

const shown = ({ beats }: ReturnType<typeof correctBeats>): [number, number][] =>
  Array.from(beats.timesUs, (time, i) => [Math.round((time - us(0)) / 1e3) / 1e3, beats.kinds[i]!]);

describe('corrected beats', () => {
  it('are the detected ones where nothing is corrected', () => {
    const beats = series(every(1, 40), { 5: BEAT_ECTOPIC, 9: BEAT_ARTEFACT | BEAT_AFTER_GAP });
    const corrected = correctBeats(beats, covered(), []);
    expect(corrected.beats).toEqual(beats);
    expect([corrected.changed.size, corrected.gone]).toEqual([0, []]);
  });

  it('have an added one in its place, and whole intervals on both sides', () => {
    const detected = [0.5, 1.5, 3.5, 4.5];
    const corrected = correctBeats(series(detected, { 0: BEAT_AFTER_GAP, 2: BEAT_AFTER_GAP }), covered(), [
      beat('BEAT_ADD', 2.5, { code: 'N' }),
    ]);
    expect(shown(corrected)).toEqual([
      [0.5, BEAT_AFTER_GAP],
      [1.5, 0],
      [2.5, 0],
      [3.5, 0],
      [4.5, 0],
    ]);
    expect(corrected.changed.get(2)).toMatchObject({ fate: 'ADDED', code: 'N' });
  });

  it('never bridge a gap in the signal', () => {
    const corrected = correctBeats(series([0.5, 1.5, 5.5]), covered([3]), [beat('BEAT_ADD', 2.4, { code: 'N' })]);
    expect(shown(corrected).map(([, kind]) => kind)).toEqual([BEAT_AFTER_GAP, 0, 0, BEAT_AFTER_GAP]);
  });

  it('lose a deleted one, and the interval of the next begins at the one before', () => {
    const ecg = { kind: 'ecg', site: 'chest', seconds: covered() } as const;
    const { beats, gone } = correctBeats(series([0.5, 1.5, 1.9, 2.5, 3.5]), covered(), [beat('BEAT_DELETE', 1.91)]);
    const { intervalMs } = intervalsOf([{ ...ecg, beats }], START, SECONDS);
    expect([...intervalMs].map(Math.round)).toEqual([1000, 1000, 1000]);
    expect(gone).toMatchObject([{ timeUs: us(1.9), fate: 'DELETED', originalUs: us(1.9) }]);
  });

  it('are moved and relabelled, each known with where and what it was', () => {
    const corrected = correctBeats(series(every(1, 5)), covered(), [
      beat('BEAT_MOVE', 2.5, { toUs: us(2.45) }),
      beat('BEAT_LABEL', 2.45, { code: 'V' }),
      beat('BEAT_LABEL', 3.5, { code: '|' }),
    ]);
    expect(shown(corrected).slice(2, 4)).toEqual([
      [2.45, BEAT_ECTOPIC | BEAT_VENTRICULAR],
      [3.5, BEAT_ARTEFACT],
    ]);
    expect(corrected.changed.get(2)).toEqual({
      timeUs: us(2.45),
      fate: 'MOVED',
      code: 'V',
      originalUs: us(2.5),
      originalKind: BEAT_NORMAL,
    });
    expect(corrected.changed.get(3)).toMatchObject({ fate: 'RELABELLED', originalUs: us(3.5) });
  });

  it('are not found by a correction of none', () => {
    const beats = series(every(1, 5));
    expect(
      correctBeats(beats, covered(), [beat('BEAT_DELETE', 2.2), beat('BEAT_LABEL', 3.1, { code: 'V' })]).beats,
    ).toEqual(beats);
  });

  it('leave nothing of one that was added and deleted', () => {
    const beats = series(every(1, 5));
    const corrected = correctBeats(beats, covered(), [
      beat('BEAT_ADD', 2.2, { code: 'V' }),
      beat('BEAT_LABEL', 2.2, { code: 'S' }),
      beat('BEAT_DELETE', 2.2),
    ]);
    expect(corrected.beats).toEqual(beats);
    expect(corrected.gone).toEqual([]);
  });

  it('have none in an excluded span, and no interval over it', () => {
    const span = {
      kind: 'EXCLUDE',
      recordingId: 'r',
      startMs: (START + 2) * 1000,
      stopMs: (START + 4) * 1000,
    } as const;
    const corrected = correctBeats(series(every(1, 8)), covered(), [span]);
    expect(shown(corrected)).toEqual([
      [0.5, BEAT_AFTER_GAP],
      [1.5, 0],
      [4.5, BEAT_AFTER_GAP],
      [5.5, 0],
      [6.5, 0],
      [7.5, 0],
    ]);
    expect(corrected.gone.map(({ fate }) => fate)).toEqual(['EXCLUDED', 'EXCLUDED']);
  });

  it('have intervals of their own where a device reported others', () => {
    const beats = { ...series(every(1, 5)), intervalsMs: Float64Array.of(1000, 1001, 1002, 1003, 1004) };
    const { intervalsMs } = correctBeats(beats, covered(), [beat('BEAT_DELETE', 2.5)]).beats;
    expect([...intervalsMs!]).toEqual([1000, 1001, 2000, 1004]);
  });
});

describe('corrections of a subject', () => {
  const ecg = (seconds: EcgFeatures['seconds'] = covered()): EcgFeatures => ({
    kind: 'ecg',
    site: 'chest',
    beats: series(every(1, 50)),
    seconds,
  });
  const recording = (...hearts: EcgFeatures[]): RecordingFeatures => ({
    recordingId: 'r',
    location: 'MEDIAL_CHEST',
    startUs: us(0),
    stopUs: us(SECONDS),
    sensors: hearts,
    shownHearts: hearts.slice(0, 1),
  });

  it('choose the sensor that was corrected, however good another one is', () => {
    const poor = ecg({ ...covered(), columns: { ...covered().columns, quality: new Uint8Array(SECONDS).fill(20) } });
    const other = { ...ecg(), beats: series(every(0.5, 100)) };
    const one = recording(poor, other);
    const without = intervalsOf([poor, other], START, SECONDS);
    expect(without.intervalMs[0]).toBeCloseTo(500);
    const corrections = new SubjectCorrections([beat('BEAT_LABEL', 7.5, { code: 'V' })]);
    const corrected = intervalsOf(corrections.heartsOf(one), START, SECONDS);
    expect(corrected.intervalMs[0]).toBeCloseTo(1000);
    expect(corrected.normal[6]).toBe(0);
  });

  it('take everything out of a span without the sensors, unless it was worn after all', () => {
    const span = (kind: Correction['kind'], from: number, to: number): Correction => ({
      kind,
      startMs: (START + from) * 1000,
      stopMs: (START + to) * 1000,
    });
    const beatsWith = (...corrections: Correction[]): number =>
      new SubjectCorrections(corrections).heartsOf(recording(ecg()))[0]!.beats.timesUs.length;
    expect(beatsWith()).toBe(50);
    expect(beatsWith(span('NOT_WORN', 10, 20))).toBe(40);
    expect(beatsWith(span('NOT_WORN', 10, 20), span('WORN', 12, 14))).toBe(42);
    expect(beatsWith(span('WORN', 12, 14), span('NOT_WORN', 10, 20))).toBe(40);
  });

  it('have no quality where they are excluded or not worn, unless another lead has', () => {
    const qualityWith = (other: EcgFeatures | null, ...edits: Correction[]): number[] => {
      const hearts = new SubjectCorrections(edits).heartsOf(recording(ecg(), ...(other ? [other] : [])));
      const ecgs = hearts.filter((heart) => heart.kind === 'ecg');
      const series = intervalsOf(hearts, START, SECONDS);
      return [...rhythmSeconds(series, ecgs, START, SECONDS, new Uint8Array(SECONDS)).quality];
    };
    const ms = (seconds: number): number => (START + seconds) * 1000;
    const exclude: Correction = { kind: 'EXCLUDE', recordingId: 'r', startMs: ms(5), stopMs: ms(7) };
    const notWorn: Correction = { kind: 'NOT_WORN', startMs: ms(20), stopMs: ms(21) };
    const found = qualityWith(null, exclude, notWorn);
    expect([4, 5, 6, 7, 19, 20, 21].map((row) => found[row])).toEqual([90, 255, 255, 90, 90, 255, 90]);
    const second = new SubjectCorrections([notWorn]);
    expect(second.heartsOf(recording(ecg()))[0]!.excluded).toEqual([
      { startSecond: START + 20, stopSecond: START + 21 },
    ]);
  });
});
