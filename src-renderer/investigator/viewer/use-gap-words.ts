/** Causes of gaps in words: short ones for the strips, whole sentences beside them. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Cause, SignalGap } from '../../../src-server/api/contract/index.ts';
import { gapsQuery } from '../../shared/api/queries.ts';
import { hasText, useWords } from '../../shared/i18n/i18n.ts';
import type { viewer as english } from '../../shared/locales/en/viewer.ts';
import { useEvidenceWords } from '../coverage/words.ts';
import { causeOfGap } from './data/gaps.ts';
import type { ViewerModel } from './data/model.ts';
import type { Sensor } from './data/sensor.ts';

type ReasonCode = keyof typeof english.viewer.gapReasons;
const isReason = (code: string): code is ReasonCode => hasText(`viewer.gapReasons.${code}`);

const NONE: readonly SignalGap[] = [];

export interface GapWords {
  /** Wordings from the longest to the shortest. */
  gap: (sensor: Sensor, startMs: number, stopMs: number) => readonly string[];
  lost: (startMs: number, stopMs: number) => readonly string[];
  /** The cause as a whole sentence. */
  sentence: (sensor: Sensor, startMs: number, stopMs: number) => string;
}

export function useGapWords(model: ViewerModel, timeZone: string, hasShown: boolean): GapWords {
  const { t, format } = useWords();
  const { studyId, subjectId } = model.recording;
  const { startMs: fromMs, stopMs: toMs } = model.extent;
  // Fetched after the signals, which matter more.
  const { data, error } = useQuery({ ...gapsQuery(studyId, subjectId, fromMs, toMs), enabled: hasShown });
  const gaps = data?.items ?? NONE;
  const evidenceWords = useEvidenceWords(timeZone);
  return useMemo(() => {
    const clock = (ms: number | undefined) => (ms === undefined ? '' : format.clock(ms, timeZone));
    const short = ({ code, evidence }: Cause) =>
      isReason(code)
        ? t(`viewer.gapReasons.${code}`, { from: clock(evidence.atTs), to: clock(evidence.untilTs) })
        : t(`causes.${code}`, evidenceWords(evidence));
    const cached = new Map<string, readonly string[]>();
    // Memoized, because drawing needs the same wordings in every frame.
    const memoized = (key: string, make: () => readonly string[]) => {
      const words = cached.get(key) ?? make();
      cached.set(key, words);
      return words;
    };
    const waiting = data || error ? t('viewer.gapReasons.REASON_UNKNOWN') : '';
    const lengthOf = (startMs: number, stopMs: number) => format.duration((stopMs - startMs) / 1000);
    return {
      gap: (sensor, startMs, stopMs) =>
        memoized(`${sensor.udid} ${startMs} ${stopMs}`, () => {
          const cause = causeOfGap(gaps, sensor.udid, startMs, stopMs);
          const length = lengthOf(startMs, stopMs);
          const reason = cause ? short(cause) : waiting;
          const isRecorded = sensor.recordings.some(
            ({ recording }) => recording.recordingStartTs < stopMs && recording.recordingStopTs > startMs,
          );
          const what = t(isRecorded ? 'viewer.gap' : 'viewer.notRecorded', { length });
          return [reason && t('viewer.gapReason', { gap: what, reason }), reason || what, what, length].filter(Boolean);
        }),
      lost: (startMs, stopMs) =>
        memoized(`${startMs} ${stopMs}`, () => {
          const length = lengthOf(startMs, stopMs);
          return [t('viewer.dataLost', { length }), length];
        }),
      sentence: (sensor, startMs, stopMs) => {
        const cause = causeOfGap(gaps, sensor.udid, startMs, stopMs);
        return cause ? t(`causes.${cause.code}`, evidenceWords(cause.evidence)) : waiting;
      },
    };
  }, [gaps, data, error, t, format, timeZone, evidenceWords]);
}
