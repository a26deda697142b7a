/** The form of a subject: what is typed, and what the site gets of it. */
import type { Study, Subject } from '../../../../src-server/api/contract/index.ts';
import { SUBJECT_BOUNDS } from '../../../../src-server/api/contract/vocabulary/study.ts';
import { isZoneName } from '../../../shared/kit/zone-field.tsx';
import { parseTimeText } from '../../../shared/time/time-text.ts';

export interface SubjectDraft {
  displayName: string;
  timezone: string;
  /** Since when the subject lives there, as typed; empty: from now on. */
  zoneSince: string;
  age: string;
  gender: '' | 'MALE' | 'FEMALE';
  height: string;
  weight: string;
  dominantHand: '' | 'LEFT' | 'RIGHT';
  /** By the name of the field. */
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
    // Metres on the site, centimetres on the form, as people say them.
    height: subject?.height === undefined ? '' : String(Math.round(subject.height * 1000) / 10),
    weight: subject?.weight?.toString() ?? '',
    dominantHand: subject?.dominantHand ?? '',
    metadata: Object.fromEntries(subject?.metadataFields.map((field) => [field.displayName, field.value]) ?? []),
    isTest: subject?.isTest ?? false,
    reason: '',
  };
}

/** Full-width digits and a decimal comma are numbers too; an empty field is none. NaN for what is no number. */
export function typedNumber(text: string): number | undefined {
  const plain = text.normalize('NFKC').trim().replace(',', '.');
  if (plain === '') return undefined;
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN;
}

/** Above this a typed height is centimetres; nobody is as tall as that in metres, nor as short in centimetres. */
const MOST_METRES = 3;

/**
 * Metres of a typed height: centimetres unless the number is as small as metres are, or `m` or `cm` stands behind it.
 * NaN for what is no number.
 */
export function typedHeight(text: string): number | undefined {
  const [, amount = '', unit] = /^(.*?)\s*(cm|m)?$/.exec(text.normalize('NFKC').trim().toLowerCase()) ?? [];
  const value = typedNumber(amount);
  if (value === undefined) return unit === undefined ? undefined : Number.NaN;
  const isMetres = unit === 'm' || (unit === undefined && value <= MOST_METRES);
  return isMetres ? value : Math.round(value * 10) / 1000;
}

/** Kilograms of a typed weight, with or without the unit. */
export function typedWeight(text: string): number | undefined {
  return typedNumber(
    text
      .normalize('NFKC')
      .trim()
      .toLowerCase()
      .replace(/\s*kg$/, ''),
  );
}

const isOutside = (value: number | undefined, { min, max }: { min: number; max: number }) =>
  value !== undefined && !(value >= min && value <= max);

export type Problem = 'name' | 'zone' | 'since' | 'age' | 'height' | 'weight' | 'number';

/** By the clock of the new zone, unless an offset is typed. */
export function zoneSinceMs({ zoneSince, timezone }: SubjectDraft): number | undefined {
  return zoneSince.trim() === '' ? undefined : (parseTimeText(zoneSince, timezone.trim()) ?? undefined);
}

/** What the form can tell before the site is asked, by the path that the site would name. */
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

/** The given fields in the order of the study; an empty one is not given. */
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

/** The record that a draft stands for; null takes a value away. */
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
 * Only what was changed in the form: what somebody else saved while it was open stays.
 * @param opened the form as it opened; `now` as it would open with the record of this moment
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
