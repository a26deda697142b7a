/** How an answer reads, and when changing a label needs a reason. */
import { useQuery } from '@tanstack/react-query';
import { studyQuery } from '../../shared/api/queries.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import type { LabelItem } from '../viewer/data/labels.ts';

/** Translates the codes YES and NO of an answer; returns every other value as it was chosen or written, with its unit. */
export function answerText({ kind, value, unit }: LabelItem, t: Translate): string | undefined {
  if (kind !== 'question' || (value !== 'YES' && value !== 'NO'))
    return unit === undefined ? value : `${value ?? ''} ${unit}`;
  return t(value === 'YES' ? 'history.yes' : 'history.no');
}

/** Whether changing a label needs a reason: it does once the study is complete. */
export function useNeedsReason(studyId: string): boolean {
  return useQuery(studyQuery(studyId)).data?.lifecycleState === 'COMPLETE';
}
