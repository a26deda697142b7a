/** Why a signal breaks off, in words: short ones for the strips, sentences beside them. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Cause, SignalGap } from '../../../src-server/api/contract/index.ts';
import { gapsQuery } from '../../shared/api/queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { viewer as english } from '../../shared/locales/en/viewer.ts';
import { useEvidenceWords } from '../coverage/words.ts';
import { causeOfBreak } from './data/gaps.ts';
import type { ViewerModel } from './data/model.ts';
import type { Sensor } from './data/sensor.ts';

type ReasonCode = keyof typeof english.viewer.gapReasons;
const isReason = (code: string): code is ReasonCode => code in english.viewer.gapReasons;

const NONE: readonly SignalGap[] = [];

export interface GapWords {
  /** From the fullest to the shortest. */
  gap: (sensor: Sensor, startMs: number, stopMs: number) => readonly string[];
  lost: (startMs: number, stopMs: number) => readonly string[];
  /** Why, in a whole sentence. */
  sentence: (sensor: Sensor, startMs: number, stopMs: number) => string;
}

export function useGapWords(model: ViewerModel, timeZone: string, hasShown: boolean): GapWords {
  const { t, format } = useWords();
  const { studyId, subjectId } = model.recording;
  const { startMs: fromMs, stopMs: toMs } = model.extent;
  // The signals come first.
  const { data, error } = useQuery({ ...gapsQuery(studyId, subjectId, fromMs, toMs), enabled: hasShown });
  const gaps = data?.items ?? NONE;
  const evidenceWords = useEvidenceWords(timeZone);
  return useMemo(() => {
    const clock = (ms: number | undefined) => (ms === undefined ? '' : format.clock(ms, timeZone));
    const short = ({ code, evidence }: Cause) =>
      isReason(code)
        ? t(`viewer.gapReasons.${code}`, { from: clock(evidence.atTs), to: clock(evidence.untilTs) })
        : t(`causes.${code}`, evidenceWords(evidence));
    const known = new Map<string, readonly string[]>();
    // Drawing asks for the same words in every frame.
    const remembered = (key: string, make: () => readonly string[]) => {
      const words = known.get(key) ?? make();
      known.set(key, words);
      return words;
    };
    const waiting = data || error ? t('viewer.gapReasons.REASON_UNKNOWN') : '';
    const lengthOf = (startMs: number, stopMs: number) => format.duration((stopMs - startMs) / 1000);
    return {
      gap: (sensor, startMs, stopMs) =>
        remembered(`${sensor.udid} ${startMs} ${stopMs}`, () => {
          const cause = causeOfBreak(gaps, sensor.udid, startMs, stopMs);
          const length = lengthOf(startMs, stopMs);
          const reason = cause ? short(cause) : waiting;
          const isRecorded = sensor.recordings.some(
            ({ recording }) => recording.recordingStartTs < stopMs && recording.recordingStopTs > startMs,
          );
          const what = t(isRecorded ? 'viewer.gap' : 'viewer.notRecorded', { length });
          return [reason && t('viewer.gapReason', { gap: what, reason }), reason || what, what, length].filter(Boolean);
        }),
      lost: (startMs, stopMs) =>
        remembered(`${startMs} ${stopMs}`, () => {
          const length = lengthOf(startMs, stopMs);
          return [t('viewer.dataLost', { length }), length];
        }),
      sentence: (sensor, startMs, stopMs) => {
        const cause = causeOfBreak(gaps, sensor.udid, startMs, stopMs);
        return cause ? t(`causes.${cause.code}`, evidenceWords(cause.evidence)) : waiting;
      },
    };
  }, [gaps, data, error, t, format, timeZone, evidenceWords]);
}
