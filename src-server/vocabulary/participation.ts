/** How subjects take part in a study: their status, consent, group and visits. */

export const SUBJECT_STATUSES = ['SCREENING', 'NOT_ELIGIBLE', 'ENROLLED', 'COMPLETED', 'WITHDRAWN'] as const;
export type SubjectStatus = (typeof SUBJECT_STATUSES)[number];

/**
 * What happens to the data of a subject who withdraws. KEEP_ALL: exports hold all of it. KEEP_UNTIL: what was collected up to the date of
 * the withdrawal. DO_NOT_USE: exports hold nothing of the subject.
 */
export const DATA_DECISIONS = ['KEEP_ALL', 'KEEP_UNTIL', 'DO_NOT_USE'] as const;
export type DataDecision = (typeof DATA_DECISIONS)[number];

/** Each kind of step in the history of a subject's participation. */
export const PARTICIPATION_STEPS = ['STATUS', 'CONSENT', 'GROUP', 'VISIT'] as const;
export type ParticipationStepKind = (typeof PARTICIPATION_STEPS)[number];

/** VOID: the consent was entered by mistake. */
export const CONSENT_STATES = ['GIVEN', 'VOID'] as const;
export type ConsentState = (typeof CONSENT_STATES)[number];

/** PLANNED: by the visit plan, without a date that was agreed. */
export const VISIT_STATES = ['PLANNED', 'SCHEDULED', 'DONE', 'MISSED', 'CANCELLED'] as const;
export type VisitState = (typeof VISIT_STATES)[number];

/** From which date of a subject the days of a visit count. */
export const VISIT_ANCHORS = ['SCREENING', 'CONSENT', 'ENROLLED'] as const;
export type VisitAnchor = (typeof VISIT_ANCHORS)[number];

export interface ConsentForm {
  /** Such as `2.0`; the name of the version on the form. */
  version: string;
  /** Subjects who consented to an earlier version have to consent again. */
  isRequired: boolean;
}

/** A group (arm) or stratum. */
export interface PlanChoice {
  id: string;
  displayName: string;
}

export interface PlannedVisit {
  id: string;
  displayName: string;
  anchor: VisitAnchor;
  /** Days from the anchor; negative: before it. */
  offsetDays: number;
  /** Days that the visit may be earlier and later. */
  windowBefore: number;
  windowAfter: number;
  isOptional: boolean;
  /** A message on the day before goes to the subject's phone. */
  isReminded: boolean;
}

/** What a study plans for its subjects beside the program. */
export interface StudyPlan {
  /** Oldest first. Without any, enrolment needs no consent. */
  consentForms: ConsentForm[];
  groups: PlanChoice[];
  strata: PlanChoice[];
  visits: PlannedVisit[];
}

export const EMPTY_PLAN: StudyPlan = { consentForms: [], groups: [], strata: [], visits: [] };

export const LONGEST_PLAN_NAME = 100;
export const MOST_PLAN_ITEMS = 100;
/** Ten years. */
export const MOST_VISIT_DAYS = 3660;
export const LONGEST_REASON = 1000;

/** The largest document of a consent, in bytes. */
export const LARGEST_CONSENT_BYTES = 20 * 1024 * 1024;
