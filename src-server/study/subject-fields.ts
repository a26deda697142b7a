/** Validation of a subject's record. Each error names its field (interface-decisions 9). */

import { type FieldError, OutpostError } from '../errors.ts';
import { SUBJECT_BOUNDS } from '../vocabulary/study.ts';
import type { MetadataField } from './definition.ts';
import { isTimeZone } from './zones.ts';

export interface MetadataValue {
  displayName: string;
  value: string;
}

export interface SubjectFields {
  displayName: string;
  timezone: string;
  age?: number | null;
  gender?: string | null;
  /** Meters. */
  height?: number | null;
  /** Kilograms. */
  weight?: number | null;
  dominantHand?: string | null;
  metadataFields?: MetadataValue[];
}

const isWithin = (value: number, { min, max }: { min: number; max: number }) =>
  Number.isFinite(value) && value >= min && value <= max;

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Returns the errors of the given fields; absent fields are not checked. */
export function subjectFieldErrors(subject: Partial<SubjectFields>, fields: readonly MetadataField[]): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (path: string, message: string) => errors.push({ path, message });
  if (subject.displayName !== undefined && !subject.displayName.trim())
    refuse('displayName', 'A subject needs a name.');
  if (subject.timezone !== undefined && !isTimeZone(subject.timezone)) {
    refuse('timezone', 'The time zone must be an IANA name such as US/Eastern or Asia/Tokyo.');
  }
  if (isGiven(subject.age)) {
    if (!Number.isInteger(subject.age)) refuse('age', 'The age must be a whole number of years.');
    else if (subject.age < SUBJECT_BOUNDS.age.min) {
      refuse('age', `The age must be ${SUBJECT_BOUNDS.age.min} or greater: the sensors are labelled for adults.`);
    } else if (subject.age > SUBJECT_BOUNDS.age.max) {
      refuse('age', `The age must be at most ${SUBJECT_BOUNDS.age.max} years.`);
    }
  }
  if (isGiven(subject.gender) && subject.gender !== 'MALE' && subject.gender !== 'FEMALE') {
    refuse('gender', 'The gender must be MALE or FEMALE.');
  }
  if (isGiven(subject.height) && !isWithin(subject.height, SUBJECT_BOUNDS.height)) {
    const { min, max } = SUBJECT_BOUNDS.height;
    refuse('height', `The height must be a number of meters from ${min} to ${max}, such as 1.72.`);
  }
  if (isGiven(subject.weight) && !isWithin(subject.weight, SUBJECT_BOUNDS.weight)) {
    const { min, max } = SUBJECT_BOUNDS.weight;
    refuse('weight', `The weight must be a number of kilograms from ${min} to ${max}.`);
  }
  if (isGiven(subject.dominantHand) && subject.dominantHand !== 'LEFT' && subject.dominantHand !== 'RIGHT') {
    refuse('dominantHand', 'The dominant hand must be LEFT or RIGHT.');
  }
  return [...errors, ...metadataErrors(subject.metadataFields ?? [], fields)];
}

function metadataErrors(values: readonly MetadataValue[], fields: readonly MetadataField[]): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  values.forEach((entry, index) => {
    const path = `metadataFields.${index}`;
    const field = fields.find((candidate) => candidate.displayName === entry.displayName);
    if (!field) {
      errors.push({ path: `${path}.displayName`, message: `The study has no field called ${entry.displayName}.` });
      return;
    }
    if (seen.has(entry.displayName)) {
      errors.push({ path: `${path}.displayName`, message: `The field ${entry.displayName} is given twice.` });
    }
    seen.add(entry.displayName);
    const problem = metadataValueProblem(entry.value, field);
    if (problem) errors.push({ path: `${path}.value`, message: `${entry.displayName} ${problem}` });
  });
  return errors;
}

function metadataValueProblem(value: unknown, field: MetadataField): string | null {
  if (typeof value !== 'string') return 'must be a string.';
  if (field.type === 'MULTIPLECHOICE' && !field.values.includes(value))
    return `must be one of ${field.values.join(', ')}.`;
  if (field.type === 'BOOLEAN' && value !== 'YES' && value !== 'NO') return 'must be YES or NO.';
  if (field.type === 'NUMBER' && !DECIMAL.test(value)) return 'must be a decimal number.';
  return null;
}

/** @throws INVALID_INPUT with the fields at fault */
export function requireSubjectFields(...subject: Parameters<typeof subjectFieldErrors>): void {
  const errors = subjectFieldErrors(...subject);
  const [first] = errors;
  if (first) throw new OutpostError('INVALID_INPUT', first.message, { errors });
}
