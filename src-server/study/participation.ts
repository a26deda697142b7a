/**
 * Rules of how subjects take part: which status may follow which, when consent is due, and what a visit needs. Every change is a step
 * with date and author that is added to the history; a mistake is corrected by another step with a reason. Pure.
 */
import { DAY_MS } from '../durations.ts';
import { type FieldError, OutpostError } from '../errors.ts';
import {
  type ConsentForm,
  type ConsentState,
  type DataDecision,
  LONGEST_PLAN_NAME,
  MOST_PLAN_ITEMS,
  MOST_VISIT_DAYS,
  type ParticipationStepKind,
  type PlannedVisit,
  type StudyPlan,
  type SubjectStatus,
  type VisitAnchor,
  type VisitState,
} from '../vocabulary/participation.ts';
import { isShownAsWritten, NAME_WITH_UNSEEN } from '../vocabulary/shown-text.ts';
import { addDays, type DayClock, isCalendarDate, localDateAt, localTimeOn, zoneAt } from './day-windows.ts';
import { type LifecycleState, requireCorrection, requireEdit } from './lifecycle.ts';

interface StatusRule {
  /** What may follow without being a correction. */
  next: readonly SubjectStatus[];
  /** In a sentence. */
  word: string;
}

/** The one table of statuses and what may follow each. */
export const STATUS_RULES: Readonly<Record<SubjectStatus, StatusRule>> = {
  SCREENING: { next: ['ENROLLED', 'NOT_ELIGIBLE', 'WITHDRAWN'], word: 'in screening' },
  NOT_ELIGIBLE: { next: ['SCREENING'], word: 'not eligible' },
  ENROLLED: { next: ['COMPLETED', 'WITHDRAWN'], word: 'enrolled' },
  COMPLETED: { next: ['WITHDRAWN'], word: 'completed' },
  WITHDRAWN: { next: [], word: 'withdrawn' },
};

/** A subject begins in screening, or is enrolled at once. */
export const FIRST_STATUSES: readonly SubjectStatus[] = ['SCREENING', 'ENROLLED'];

/** A subject with this status has a program and visits. */
export const takesPart = (status: SubjectStatus): boolean => status === 'SCREENING' || status === 'ENROLLED';

export interface StatusStep {
  status: SubjectStatus;
  date: string;
  isCorrection: boolean;
  reason?: string | undefined;
  dataDecision?: DataDecision | undefined;
}

/** What a step does, as far as a study that is complete has to judge it. */
interface StepKind {
  kind: ParticipationStepKind;
  isCorrection?: boolean | undefined;
  reason?: string | null | undefined;
  status?: SubjectStatus | null | undefined;
  visitState?: VisitState | null | undefined;
}

/**
 * A complete study takes the end of a participation, since a subject may withdraw at any time, and corrections with a reason. What
 * became of a visit is one; a subject who is enrolled, consents or gets a group or a date for a visit is not.
 * @throws STUDY_STATE
 */
export function requireStepOfStudy(state: LifecycleState, step: StepKind): void {
  const { isCorrection, reason, status, visitState } = step;
  if (status && !takesPart(status)) return;
  const corrects = isCorrection === true || (step.kind === 'VISIT' && visitState !== 'SCHEDULED');
  if (corrects) requireCorrection(state, reason ?? undefined);
  else requireEdit(state, 'edit-subject');
}

export interface StatusFacts {
  status: SubjectStatus;
  statusDate: string;
  dataDecision?: DataDecision | undefined;
}

const invalid = (path: string, message: string): OutpostError =>
  new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });

/** @throws INVALID_INPUT for what is no date, or a day that has not come yet where the subject is */
export function requirePastDate(path: string, date: string, today: string): void {
  if (!isCalendarDate(date)) throw invalid(path, 'Enter a date of the calendar.');
  if (date > today) throw invalid(path, 'The date must not be in the future.');
}

/** Whether a status takes a reason: every correction does, and the end of a participation before its time. */
export const needsReason = (status: SubjectStatus, isCorrection: boolean): boolean =>
  isCorrection || status === 'WITHDRAWN' || status === 'NOT_ELIGIBLE';

/**
 * @param today local date of the subject
 * @throws CONFLICT when the status does not follow on the present one; INVALID_INPUT with the field at fault
 */
export function requireStatusStep(now: StatusFacts, step: StatusStep, today: string): void {
  const { status, date, isCorrection, reason, dataDecision } = step;
  const { next, word } = STATUS_RULES[now.status];
  requirePastDate('date', date, today);
  const isSame = status === now.status && date === now.statusDate && dataDecision === now.dataDecision;
  if (isSame || (!isCorrection && !next.includes(status))) {
    throw new OutpostError(
      'CONFLICT',
      isSame
        ? `The subject is ${word} since this date already.`
        : `The subject is ${word}, so this status does not follow. If the present one is a mistake, correct it with a reason.`,
    );
  }
  if (!isCorrection && date < now.statusDate) {
    throw invalid('date', `The date must not be before ${now.statusDate}, when the subject became ${word}.`);
  }
  if (needsReason(status, isCorrection) && !reason?.trim()) {
    throw invalid('reason', isCorrection ? 'A reason is required for a correction.' : 'A reason is required.');
  }
  if ((status === 'WITHDRAWN') !== (dataDecision !== undefined)) {
    throw invalid(
      'dataDecision',
      status === 'WITHDRAWN' ? 'Choose what happens to the data.' : 'Only a withdrawal decides on the data.',
    );
  }
}

/** The last local date whose data may be used; null where none may, undefined where all may. */
export function lastUsableDate({ status, statusDate, dataDecision }: StatusFacts): string | null | undefined {
  if (status !== 'WITHDRAWN' || dataDecision === 'KEEP_ALL') return undefined;
  return dataDecision === 'KEEP_UNTIL' ? statusDate : null;
}

/** The versions of the consent form with which a subject may take part: the last required one and every later one. */
export function validConsents(forms: readonly ConsentForm[]): string[] {
  const since = forms.findLastIndex(({ isRequired }) => isRequired);
  return forms.slice(Math.max(0, since)).map(({ version }) => version);
}

/** Whether a subject of this status lacks a consent that the study requires. */
export function isConsentDue(
  forms: readonly ConsentForm[],
  status: SubjectStatus,
  consentVersion: string | undefined,
): boolean {
  if (forms.length === 0 || !takesPart(status)) return false;
  return consentVersion === undefined || !validConsents(forms).includes(consentVersion);
}

/** @throws CONFLICT for an enrolment without the consent that the study requires */
export function requireConsent(forms: readonly ConsentForm[], consentVersion: string | undefined): void {
  if (!isConsentDue(forms, 'ENROLLED', consentVersion)) return;
  const version = validConsents(forms).at(-1) ?? '';
  throw new OutpostError(
    'CONFLICT',
    `Enrolment needs a consent to version ${version} of the form. Record the consent first.`,
    { errors: [{ path: 'status', message: 'A consent is missing.' }] },
  );
}

/** Dates of a subject from which visits count. */
export type AnchorDates = Readonly<Partial<Record<VisitAnchor, string>>>;

export interface VisitDates {
  targetDate: string;
  /** Window, both inclusive. */
  fromDate: string;
  toDate: string;
}

/** When a visit is to take place; undefined while its anchor has not happened. */
export function visitDates(visit: PlannedVisit, anchors: AnchorDates): VisitDates | undefined {
  const anchor = anchors[visit.anchor];
  if (anchor === undefined) return undefined;
  const targetDate = addDays(anchor, visit.offsetDays);
  return {
    targetDate,
    fromDate: addDays(targetDate, -visit.windowBefore),
    toDate: addDays(targetDate, visit.windowAfter),
  };
}

/** The same dates once their anchor turned out to be another day. */
export function movedDates(dates: VisitDates, from: string, to: string): VisitDates {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  return {
    targetDate: addDays(dates.targetDate, days),
    fromDate: addDays(dates.fromDate, days),
    toDate: addDays(dates.toDate, days),
  };
}

/** Days before the window of a visit without an agreed date that it appears on Today. */
const PLAN_AHEAD_DAYS = 7;

interface OpenVisit extends VisitDates {
  state: VisitState;
  date?: string | undefined;
  isOptional: boolean;
}

/** From which date on Today shows a visit; undefined: never, because nothing has to be done. */
export function attentionDateOf({ state, date, fromDate, isOptional }: OpenVisit): string | undefined {
  if (state === 'SCHEDULED' && date !== undefined) return addDays(date, -1);
  if (state === 'PLANNED' && !isOptional) return addDays(fromDate, -PLAN_AHEAD_DAYS);
  return undefined;
}

/** The last local date on which an open visit is not late. */
export const lastVisitDate = ({ state, date, toDate }: Pick<OpenVisit, 'state' | 'date' | 'toDate'>): string =>
  state === 'SCHEDULED' && date !== undefined ? date : toDate;

/** Whether a visit that was to take place did not. @param today local date of the subject */
export function isVisitOverdue(
  visit: Pick<OpenVisit, 'state' | 'date' | 'toDate' | 'isOptional'> & { isStopped: boolean },
  today: string,
): boolean {
  const isOpen = visit.state === 'SCHEDULED' || (visit.state === 'PLANNED' && !visit.isOptional);
  return isOpen && !visit.isStopped && lastVisitDate(visit) < today;
}

/** Local time on the day before a visit at which the phone is reminded. */
const REMINDER_TIME = '10:00';

/**
 * When the phone is reminded of a visit: on the day before, or at once when that time has passed and the visit is not today. Epoch ms.
 * @param clock zones of the subject, who is reminded in the one of the visit
 */
export function reminderTsOf(date: string, clock: DayClock, nowMs: number): number | undefined {
  if (date <= localDateAt(nowMs, clock)) return undefined;
  const zone = zoneAt(localTimeOn(date, '12:00', zoneAt(nowMs, clock)), clock);
  return Math.max(localTimeOn(addDays(date, -1), REMINDER_TIME, zone), nowMs);
}

export interface VisitStep {
  state: VisitState;
  date?: string | undefined;
  time?: string | undefined;
  reason?: string | undefined;
}

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/**
 * @param today local date of the subject
 * @throws INVALID_INPUT with the field at fault
 */
export function requireVisitStep({ state, date, time }: VisitStep, today: string): void {
  const hasDate = state === 'SCHEDULED' || state === 'DONE';
  if (hasDate !== (date !== undefined)) {
    throw invalid(
      'date',
      hasDate ? 'Enter the date of the visit.' : 'Only a visit that is scheduled or done has a date.',
    );
  }
  if (state === 'DONE' && date !== undefined) requirePastDate('date', date, today);
  if (state === 'SCHEDULED' && date !== undefined) {
    if (!isCalendarDate(date)) throw invalid('date', 'Enter a date of the calendar.');
    if (date < today) throw invalid('date', 'A visit cannot be scheduled in the past. Mark it as done or missed.');
    if (date > addDays(today, MOST_VISIT_DAYS)) throw invalid('date', 'The date must be within ten years.');
  }
  if (time !== undefined && (state !== 'SCHEDULED' || !TIME.test(time)))
    throw invalid('time', 'A time is hh:mm, and only of a scheduled visit.');
}

/** What a plan may not lose, because subjects have it. */
export interface PlanUse {
  consentVersions: ReadonlySet<string>;
  groupIds: ReadonlySet<string>;
  stratumIds: ReadonlySet<string>;
  /** Visits that somebody scheduled, held or missed. */
  visitIds: ReadonlySet<string>;
}

function listErrors(path: string, items: readonly { id: string; displayName: string }[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const ids = new Set<string>();
  for (const [index, { id, displayName }] of items.entries()) {
    const name = displayName.trim();
    const at = `${path}.${index}.displayName`;
    if (name === '') errors.push({ path: at, message: 'Enter a name.' });
    else if (!isShownAsWritten(name)) errors.push({ path: at, message: `The name ${NAME_WITH_UNSEEN}.` });
    else if (names.has(name)) errors.push({ path: at, message: 'Two have the same name.' });
    if (ids.has(id)) errors.push({ path: `${path}.${index}.id`, message: 'Two have the same id.' });
    names.add(name);
    ids.add(id);
  }
  return errors;
}

/** Returns the plan with trimmed names. @throws INVALID_INPUT with the fields at fault */
export function requirePlan(plan: StudyPlan): StudyPlan {
  const errors: FieldError[] = [];
  const versions = new Set<string>();
  for (const [index, { version }] of plan.consentForms.entries()) {
    const path = `consentForms.${index}.version`;
    if (version.trim() === '') errors.push({ path, message: 'Enter a version.' });
    else if (versions.has(version.trim())) errors.push({ path, message: 'Two forms have the same version.' });
    versions.add(version.trim());
  }
  for (const name of ['groups', 'strata', 'visits'] as const) errors.push(...listErrors(name, plan[name]));
  for (const name of ['consentForms', 'groups', 'strata', 'visits'] as const) {
    if (plan[name].length > MOST_PLAN_ITEMS) errors.push({ path: name, message: `At most ${MOST_PLAN_ITEMS}.` });
  }
  if (errors.length > 0) {
    throw new OutpostError(
      'INVALID_INPUT',
      'The plan has entries that cannot be saved. Correct them, then save again.',
      {
        errors,
      },
    );
  }
  const named = <T extends { displayName: string }>(items: readonly T[]): T[] =>
    items.map((item) => ({ ...item, displayName: item.displayName.trim().slice(0, LONGEST_PLAN_NAME) }));
  return {
    consentForms: plan.consentForms.map((form) => ({ ...form, version: form.version.trim() })),
    groups: named(plan.groups),
    strata: named(plan.strata),
    visits: named(plan.visits),
  };
}

/** @throws CONFLICT when the plan loses what subjects have */
export function requirePlanChange(before: StudyPlan, after: StudyPlan, use: PlanUse): void {
  const lost = (kind: string, name: string): OutpostError =>
    new OutpostError('CONFLICT', `${kind} ${name} is in use by subjects, so it stays in the plan. It can be renamed.`);
  const kept = (items: readonly { id: string }[]) => new Set(items.map(({ id }) => id));
  for (const { version } of before.consentForms) {
    if (use.consentVersions.has(version) && !after.consentForms.some((form) => form.version === version)) {
      throw new OutpostError(
        'CONFLICT',
        `Subjects consented to version ${version} of the form, so it stays in the plan under this name.`,
      );
    }
  }
  for (const [kind, list, used] of [
    ['The group', 'groups', use.groupIds],
    ['The stratum', 'strata', use.stratumIds],
    ['The visit', 'visits', use.visitIds],
  ] as const) {
    const now = kept(after[list]);
    for (const { id, displayName } of before[list]) if (used.has(id) && !now.has(id)) throw lost(kind, displayName);
  }
}

interface ConsentStep {
  consentState?: ConsentState | undefined;
  consentVersion?: string | undefined;
  date: string;
}

/**
 * What follows from the consents in the order of their entry: a void one counts as if it had not been entered. Of several the latest
 * version counts, because an older form that is entered afterwards takes no consent back.
 * @param forms of the plan, oldest first; a version that is no longer in it ranks below every other
 */
export function consentOf(
  steps: readonly ConsentStep[],
  forms: readonly ConsentForm[],
): { version: string; date: string; firstDate: string } | undefined {
  let given: { version: string; date: string; rank: number }[] = [];
  for (const { consentState, consentVersion, date } of steps) {
    if (consentState === undefined || consentVersion === undefined) continue;
    given = given.filter(({ version }) => version !== consentVersion);
    const rank = forms.findIndex(({ version }) => version === consentVersion);
    if (consentState === 'GIVEN') given.push({ version: consentVersion, date, rank });
  }
  // Stable, so that the order of entry breaks ties.
  const last = given.toSorted((a, b) => a.rank - b.rank || a.date.localeCompare(b.date)).at(-1);
  if (!last) return undefined;
  const [firstDate = last.date] = given.map(({ date }) => date).sort();
  return { version: last.version, date: last.date, firstDate };
}
