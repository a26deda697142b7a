/**
 * Detected beats with corrections applied, as the site applies them to metrics: a correction shows at once, before the site has it.
 * Pure.
 */
import type { Beat, RecordingBeats } from '../../../../src-server/api/contract/index.ts';
import {
  BEAT_CODES,
  type BeatCode,
  type CorrectionKind,
  SAME_BEAT_US,
  spansNotWorn,
} from '../../../../src-server/vocabulary/corrections.ts';

/** A correction in force. */
export interface Applied {
  kind: CorrectionKind;
  timeUs?: number | undefined;
  toUs?: number | undefined;
  code?: string | undefined;
  startTs: number;
  stopTs: number;
}

export interface ShownBeats {
  beats: Beat[];
  /** Detected beats that were deleted or excluded. */
  gone: NonNullable<RecordingBeats['gone']>;
  excluded: { startTs: number; stopTs: number }[];
}

const USES = { SINUS: 'USED', OTHER: 'EARLY_OR_ODD', NONE: 'DOUBTFUL' } as const;

export const codeUse = (code: BeatCode): Beat['use'] => USES[BEAT_CODES[code].origin];

function nearest(beats: readonly Beat[], timeUs: number): number {
  let best = -1;
  for (const [i, beat] of beats.entries()) {
    const distance = Math.abs(beat.timeUs - timeUs);
    if (distance > SAME_BEAT_US) continue;
    if (best < 0 || distance < Math.abs(beats[best]!.timeUs - timeUs)) best = i;
  }
  return best;
}

const originalOf = ({ timeUs, use, originalUs = timeUs, originalUse = use }: Beat) => ({ originalUs, originalUse });

function goneOf(beat: Beat, correction: 'DELETED' | 'EXCLUDED'): ShownBeats['gone'][number] {
  return { timeUs: beat.timeUs, correction, ...(beat.correction !== 'ADDED' && originalOf(beat)) };
}

/** @param corrections in the order in which they apply; those far from the beats change nothing */
export function withCorrections(detected: readonly Beat[], corrections: readonly Applied[]): ShownBeats {
  let beats = [...detected];
  const gone: ShownBeats['gone'] = [];
  const excluded: ShownBeats['excluded'] = [];
  const exclude = (startTs: number, stopTs: number): void => {
    excluded.push({ startTs, stopTs });
    const isIn = (beat: Beat) => beat.timeUs >= startTs * 1000 && beat.timeUs < stopTs * 1000;
    gone.push(...beats.filter(isIn).map((beat) => goneOf(beat, 'EXCLUDED')));
    beats = beats.filter((beat) => !isIn(beat));
  };
  for (const { kind, timeUs = 0, toUs = 0, code = 'N', startTs, stopTs } of corrections) {
    if (kind === 'EXCLUDE') exclude(startTs, stopTs);
    else if (kind === 'BEAT_ADD') {
      const use = codeUse(code as BeatCode);
      beats.push({ timeUs, use, isAfterBreak: false, correction: 'ADDED', code });
    } else {
      const at = nearest(beats, timeUs);
      const beat = beats[at];
      if (!beat) continue;
      if (kind === 'BEAT_DELETE') {
        beats.splice(at, 1);
        if (beat.correction !== 'ADDED') gone.push(goneOf(beat, 'DELETED'));
      } else if (kind === 'BEAT_MOVE') {
        const { correction } = beat;
        const isAdded = correction === 'ADDED';
        beats[at] = { ...beat, timeUs: toUs, ...(!isAdded && { ...originalOf(beat), correction: 'MOVED' }) };
      } else if (kind === 'BEAT_LABEL') {
        const own = beat.correction === 'ADDED' || beat.correction === 'MOVED' ? beat.correction : 'RELABELLED';
        const original = own === 'ADDED' ? {} : originalOf(beat);
        beats[at] = { ...beat, use: codeUse(code as BeatCode), code, correction: own, ...original };
      }
    }
  }
  // Last, as on the site: what is measured without the wearer is not of the wearer, even a beat that was added.
  const off = spansNotWorn(corrections.map(({ kind, startTs, stopTs }) => ({ kind, from: startTs, to: stopTs })));
  for (const { from, to } of off) exclude(from, to);
  beats.sort((a, b) => a.timeUs - b.timeUs);
  return { beats, gone, excluded };
}
