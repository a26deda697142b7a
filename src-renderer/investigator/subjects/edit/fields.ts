/** The form of a subject: its draft, its validation, and the requests made from it. */
import type { Study, Subject } from '../../../../src-server/api/contract/index.ts';
import { SUBJECT_BOUNDS } from '../../../../src-server/vocabulary/study.ts';
import { typedHeight, typedNumber, typedWeight } from '../../../../src-server/vocabulary/typed-measures.ts';
import { isZoneName } from '../../../shared/kit/zone-field.tsx';
import { parseTimeText } from '../../../shared/time/time-text.ts';

export interface SubjectDraft {
  displayName: string;
  timezone: string;
  /** Since when the time zone applies, as typed; empty for now. */
  zoneSince: string;
  age: string;
  gender: '' | 'MALE' | 'FEMALE';
  height: string;
  weight: string;
  dominantHand: '' | 'LEFT' | 'RIGHT';
  /** Values by field name. */
  metadata: Record<string, string>;
  isTest: boolean;
  reason: string;
}

type MetadataField = Study['subjectMetadataFields'][number];

export function draftOf(subject: Subject | undefined, timezone: string): SubjectDraft {
  return {
    displayName: subject?.displayName ?? '',
    timezone: subject?.timezone ?? timezone,
    zoneSince: '',
    age: subject?.age?.toString() ?? '',
    gender: subject?.gender ?? '',
    // The site stores metres; the form shows centimetres, as people say them.
    height: subject?.height === undefined ? '' : String(Math.round(subject.height * 1000) / 10),
    weight: subject?.weight?.toString() ?? '',
    dominantHand: subject?.dominantHand ?? '',
    metadata: Object.fromEntries(subject?.metadataFields.map((field) => [field.displayName, field.value]) ?? []),
    isTest: subject?.isTest ?? false,
    reason: '',
  };
}

const isOutside = (value: number | undefined, { min, max }: { min: number; max: number }) =>
  value !== undefined && !(value >= min && value <= max);

export type Problem = 'name' | 'zone' | 'since' | 'age' | 'height' | 'weight' | 'number';

/** Parses since when the time zone applies: in the new zone's local time, unless the text has an offset. */
export function zoneSinceMs({ zoneSince, timezone }: SubjectDraft): number | undefined {
  return zoneSince.trim() === '' ? undefined : (parseTimeText(zoneSince, timezone.trim()) ?? undefined);
}

/** Validates the form before it is sent. Problems are keyed by the path that the site would report. */
export function problemsOf(draft: SubjectDraft, fields: readonly MetadataField[], nowMs: number): Map<string, Problem> {
  const problems = new Map<string, Problem>();
  if (!draft.displayName.trim()) problems.set('displayName', 'name');
  if (!isZoneName(draft.timezone.trim())) problems.set('timezone', 'zone');
  else if (draft.zoneSince.trim() !== '') {
    const since = zoneSinceMs(draft);
    if (since === undefined || since > nowMs) problems.set('timezoneFromTs', 'since');
  }
  const age = typedNumber(draft.age);
  if (isOutside(age, SUBJECT_BOUNDS.age) || !Number.isInteger(age ?? 0)) problems.set('age', 'age');
  if (isOutside(typedHeight(draft.height), SUBJECT_BOUNDS.height)) problems.set('height', 'height');
  if (isOutside(typedWeight(draft.weight), SUBJECT_BOUNDS.weight)) problems.set('weight', 'weight');
  for (const field of fields) {
    const value = draft.metadata[field.displayName] ?? '';
    if (field.type === 'NUMBER' && Number.isNaN(typedNumber(value) ?? 0))
      problems.set(`metadata.${field.displayName}`, 'number');
  }
  return problems;
}

/** Returns the metadata fields that have a value, in the order of the study. */
export function metadataOf(draft: SubjectDraft, fields: readonly MetadataField[]) {
  return fields.flatMap(({ displayName, type }) => {
    const typed = (draft.metadata[displayName] ?? '').trim();
    const value = type === 'NUMBER' ? typed.normalize('NFKC').replace(',', '.') : typed;
    return value === '' ? [] : [{ displayName, value }];
  });
}

export function newSubjectOf(draft: SubjectDraft, fields: readonly MetadataField[]) {
  return {
    displayName: draft.displayName.trim(),
    timezone: draft.timezone.trim(),
    age: typedNumber(draft.age),
    gender: draft.gender || undefined,
    height: typedHeight(draft.height),
    weight: typedWeight(draft.weight),
    dominantHand: draft.dominantHand || undefined,
    metadataFields: metadataOf(draft, fields),
    isTest: draft.isTest || undefined,
  };
}

/** Returns the record that a draft stands for; null clears a value. */
function recordOf(draft: SubjectDraft, fields: readonly MetadataField[]) {
  return {
    displayName: draft.displayName.trim(),
    timezone: draft.timezone.trim(),
    age: typedNumber(draft.age) ?? null,
    gender: draft.gender || null,
    height: typedHeight(draft.height) ?? null,
    weight: typedWeight(draft.weight) ?? null,
    dominantHand: draft.dominantHand || null,
    metadataFields: metadataOf(draft, fields),
  };
}

/**
 * Returns only what was changed in the form, so that what someone else saved while it was open stays.
 * @param opened the form as it was opened
 * @param now the form as it would open with the current record
 */
export function updateOf(
  draft: SubjectDraft,
  opened: SubjectDraft,
  now: SubjectDraft,
  fields: readonly MetadataField[],
) {
  const typed = Object.entries(draft.metadata).filter(([name, value]) => value !== (opened.metadata[name] ?? ''));
  const before = recordOf({ ...opened, metadata: now.metadata }, fields);
  const after = recordOf({ ...draft, metadata: { ...now.metadata, ...Object.fromEntries(typed) } }, fields);
  const changed = Object.entries(after).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof typeof before]),
  );
  const sinceMs = zoneSinceMs(draft);
  return {
    ...(Object.fromEntries(changed) as Partial<typeof after>),
    ...(sinceMs !== undefined && { timezone: after.timezone, timezoneFromTs: sinceMs }),
    reason: draft.reason.trim() || undefined,
  };
}
