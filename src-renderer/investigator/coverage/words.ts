/** Turns the evidence of a cause or an attention item into the variables of its sentence. */
import { useCallback } from 'react';
import type { AttentionItem } from '../../../src-server/api/contract/index.ts';
import { PROBLEM_KINDS, type ProblemKind } from '../../../src-server/vocabulary/problems.ts';
import type { Format } from '../../shared/i18n/format.ts';
import { hasText, type Translate, useWords } from '../../shared/i18n/i18n.ts';
import type { today } from '../../shared/locales/en/today.ts';
import { useSensorName } from '../recordings/sensor-words.ts';

type Evidence = AttentionItem['evidence'];

const isUploadCode = (code: string): code is Exclude<keyof typeof today.uploadCodes, 'other'> =>
  code !== 'other' && hasText(`uploadCodes.${code}`);
const isJobKind = (code: string): code is 'import' | 'analyse' | 'export' | 'archive' | 'verify' | 'receive' =>
  ['import', 'analyse', 'export', 'archive', 'verify', 'receive'].includes(code);

export function useEvidenceWords(timeZone?: string): (evidence: Evidence) => Record<string, string | number> {
  const { t, format } = useWords();
  const sensorName = useSensorName();
  return useCallback(
    (evidence: Evidence) => {
      const code = evidence.code ?? '';
      return {
        sensor: sensorName(evidence.sensorName ?? evidence.sensorId ?? t('causeFallbacks.aSensor')),
        device: evidence.deviceName ?? evidence.deviceId ?? t('causeFallbacks.aDevice'),
        when: evidence.atTs === undefined ? t('causeFallbacks.never') : format.moment(evidence.atTs, timeZone),
        until: untilText(evidence, format, timeZone),
        duration: format.duration(evidence.seconds ?? 0),
        size: format.bytes(evidence.sizeBytes ?? 0),
        received: format.bytes(evidence.receivedBytes ?? 0),
        count: evidence.count ?? 0,
        detail: evidence.detail ?? '',
        date: evidence.date === undefined ? '' : format.date(evidence.date),
        time: evidence.time ?? '',
        person: evidence.personName ?? t('causeFallbacks.anyone'),
        problem: problemText(code, evidence.sensorName, t),
        upload: isUploadCode(code) ? t(`uploadCodes.${code}`) : t('uploadCodes.other', { code }),
        job: isJobKind(code) ? t(`jobs.kind.${code}`) : code,
      };
    },
    [t, format, sensorName, timeZone],
  );
}

/** Returns what a subject reported, with the name of the sensor that they named; '' for other evidence. */
export function problemText(kind: string, sensorName: string | undefined, t: Translate): string {
  if (!isProblem(kind)) return '';
  const problem = t(`reported.${kind}`);
  return sensorName === undefined ? problem : t('reportedWith', { problem, sensor: sensorName });
}

const isProblem = (kind: string): kind is ProblemKind => (PROBLEM_KINDS as readonly string[]).includes(kind);

/** Returns the end as a time of day when it is on the day of the start, else with its date. */
function untilText({ atTs, untilTs }: Evidence, format: Format, timeZone: string | undefined): string {
  if (untilTs === undefined) return '';
  const dayOf = (ms: number) => format.moment(ms, timeZone).replace(format.clock(ms, timeZone), '');
  return atTs !== undefined && dayOf(atTs) === dayOf(untilTs)
    ? format.clock(untilTs, timeZone)
    : format.moment(untilTs, timeZone);
}

const isKnownFault = (flag: string): flag is keyof typeof today.faultFlags => hasText(`faultFlags.${flag}`);

/** Returns a function that names a fault; an unknown flag of a manufacturer is only made readable. */
export function useFaultName(): (flag: string) => string {
  const { t } = useWords();
  return useCallback(
    (flag) =>
      isKnownFault(flag) ? t(`faultFlags.${flag}`) : flag.charAt(0) + flag.slice(1).toLowerCase().replaceAll('_', ' '),
    [t],
  );
}
