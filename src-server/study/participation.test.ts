import { describe, expect, it } from 'vitest';
import { type PlannedVisit, SUBJECT_STATUSES, type SubjectStatus } from '../vocabulary/participation.ts';
import { fixedZone } from './day-windows.ts';
import {
  attentionDateOf,
  consentOf,
  isConsentDue,
  isVisitOverdue,
  lastUsableDate,
  reminderTsOf,
  requirePlan,
  requireStatusStep,
  requireVisitStep,
  validConsents,
  visitDates,
} from './participation.ts';
import { visitReminder } from './visit-reminder.ts';

const TODAY = '2026-03-10';
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};
const step = (from: SubjectStatus, to: SubjectStatus, more: object = {}) =>
  codeOf(() =>
    requireStatusStep(
      { status: from, statusDate: '2026-03-01', ...(from === 'WITHDRAWN' && { dataDecision: 'KEEP_ALL' as const }) },
      {
        ...{ status: to, date: TODAY, isCorrection: false, reason: 'Moved away' },
        ...(to === 'WITHDRAWN' && { dataDecision: 'KEEP_UNTIL' as const }),
        ...more,
      },
      TODAY,
    ),
  );

describe('statuses', () => {
  it('follow on one another as the table says, and any other change is a correction', () => {
    const allowed = SUBJECT_STATUSES.flatMap((from) =>
      SUBJECT_STATUSES.filter((to) => step(from, to) === undefined).map((to) => `${from} ${to}`),
    );
    expect(allowed).toEqual([
      ...['SCREENING NOT_ELIGIBLE', 'SCREENING ENROLLED', 'SCREENING WITHDRAWN', 'NOT_ELIGIBLE SCREENING'],
      ...['ENROLLED COMPLETED', 'ENROLLED WITHDRAWN', 'COMPLETED WITHDRAWN'],
    ]);
    for (const from of SUBJECT_STATUSES)
      for (const to of SUBJECT_STATUSES) expect(step(from, to, { isCorrection: true })).toBeUndefined();
  });

  it('need a reason for a withdrawal and a correction, and a decision on the data for a withdrawal only', () => {
    expect(step('ENROLLED', 'WITHDRAWN', { reason: ' ' })).toBe('INVALID_INPUT');
    expect(step('ENROLLED', 'WITHDRAWN', { dataDecision: undefined })).toBe('INVALID_INPUT');
    expect(step('ENROLLED', 'COMPLETED', { dataDecision: 'KEEP_ALL' })).toBe('INVALID_INPUT');
    expect(step('ENROLLED', 'COMPLETED', { reason: undefined })).toBeUndefined();
    expect(step('WITHDRAWN', 'ENROLLED', { isCorrection: true, reason: undefined })).toBe('INVALID_INPUT');
  });

  it('have a date that is not in the future, nor before the status that they follow', () => {
    expect(step('ENROLLED', 'COMPLETED', { date: '2026-03-11' })).toBe('INVALID_INPUT');
    expect(step('ENROLLED', 'COMPLETED', { date: '2026-02-28' })).toBe('INVALID_INPUT');
    expect(step('ENROLLED', 'COMPLETED', { date: '2026-02-30' })).toBe('INVALID_INPUT');
    expect(step('COMPLETED', 'ENROLLED', { date: '2026-02-28', isCorrection: true })).toBeUndefined();
    expect(step('ENROLLED', 'ENROLLED', { date: '2026-03-01', isCorrection: true })).toBe('CONFLICT');
  });
});

describe('consents', () => {
  const forms = [
    { version: '1', isRequired: true },
    { version: '1.1', isRequired: false },
    { version: '2', isRequired: true },
    { version: '2.1', isRequired: false },
  ];

  it('suffice from the last required version on', () => {
    expect(validConsents(forms)).toEqual(['2', '2.1']);
    expect(validConsents(forms.slice(0, 2))).toEqual(['1', '1.1']);
    expect(validConsents([{ version: 'a', isRequired: false }])).toEqual(['a']);
    expect(isConsentDue(forms, 'ENROLLED', '1.1')).toBe(true);
    expect(isConsentDue(forms, 'ENROLLED', '2')).toBe(false);
    expect(isConsentDue(forms, 'SCREENING', undefined)).toBe(true);
    expect(isConsentDue(forms, 'WITHDRAWN', undefined)).toBe(false);
    expect(isConsentDue([], 'ENROLLED', undefined)).toBe(false);
  });

  it('count as if they had not been given once they are void', () => {
    const given = (consentVersion: string, date: string) => ({ consentState: 'GIVEN' as const, consentVersion, date });
    const steps = [given('1', '2026-01-02'), given('2', '2026-02-03')];
    expect(consentOf(steps, forms)).toEqual({ version: '2', date: '2026-02-03', firstDate: '2026-01-02' });
    const isVoid = { ...given('2', '2026-02-04'), consentState: 'VOID' as const };
    expect(consentOf([...steps, isVoid], forms)).toEqual({ version: '1', date: '2026-01-02', firstDate: '2026-01-02' });
    expect(consentOf([{ date: '2026-01-01' }], forms)).toBeUndefined();
  });

  it('stay valid when an older form is entered afterwards, and count by date where the plan does not know them', () => {
    const given = (consentVersion: string, date: string) => ({ consentState: 'GIVEN' as const, consentVersion, date });
    const older = [given('2', '2026-02-03'), given('1', '2026-01-02')];
    expect(consentOf(older, forms)).toEqual({ version: '2', date: '2026-02-03', firstDate: '2026-01-02' });
    // Even with a later date: the newer form is still signed.
    expect(consentOf([given('2', '2026-02-03'), given('1', '2026-03-01')], forms)?.version).toBe('2');
    expect(consentOf([given('1', '2026-02-03'), given('x', '2026-03-01')], forms)?.version).toBe('1');
    const unknown = [given('b', '2026-02-03'), given('a', '2026-01-02'), given('c', '2026-02-03')];
    expect(consentOf(unknown, [])?.version).toBe('c');
  });
});

const VISIT: PlannedVisit = {
  ...{ id: 'v', displayName: 'Week 4', anchor: 'ENROLLED', offsetDays: 28, windowBefore: 3, windowAfter: 5 },
  ...{ isOptional: false, isReminded: true },
};

describe('visits', () => {
  it('have a window around the day that counts from their anchor', () => {
    expect(visitDates(VISIT, { ENROLLED: '2026-02-01' })).toEqual({
      targetDate: '2026-03-01',
      fromDate: '2026-02-26',
      toDate: '2026-03-06',
    });
    expect(visitDates(VISIT, { SCREENING: '2026-02-01' })).toBeUndefined();
    expect(visitDates({ ...VISIT, offsetDays: -1 }, { ENROLLED: '2026-03-01' })?.targetDate).toBe('2026-02-28');
  });

  it('reach Today the day before, or a week before the window of one without a date', () => {
    const dates = { targetDate: '2026-03-01', fromDate: '2026-02-26', toDate: '2026-03-06', isOptional: false };
    expect(attentionDateOf({ ...dates, state: 'SCHEDULED', date: '2026-03-02' })).toBe('2026-03-01');
    expect(attentionDateOf({ ...dates, state: 'PLANNED' })).toBe('2026-02-19');
    expect(attentionDateOf({ ...dates, state: 'PLANNED', isOptional: true })).toBeUndefined();
    for (const state of ['DONE', 'MISSED', 'CANCELLED'] as const)
      expect(attentionDateOf({ ...dates, state, date: '2026-03-02' })).toBeUndefined();
  });

  it('are overdue from the day after the agreed date, or after the window of one without a date', () => {
    const open = { state: 'PLANNED', toDate: '2026-03-09', isOptional: false, isStopped: false } as const;
    expect(isVisitOverdue(open, TODAY)).toBe(true);
    expect(isVisitOverdue({ ...open, toDate: TODAY }, TODAY)).toBe(false);
    expect(isVisitOverdue({ ...open, isOptional: true }, TODAY)).toBe(false);
    const agreed = { ...open, state: 'SCHEDULED', isOptional: true } as const;
    expect(isVisitOverdue({ ...agreed, date: '2026-03-09' }, TODAY)).toBe(true);
    expect(isVisitOverdue({ ...agreed, date: TODAY }, TODAY)).toBe(false);
    for (const state of ['DONE', 'MISSED'] as const) expect(isVisitOverdue({ ...open, state }, TODAY)).toBe(false);
    for (const visit of [open, { ...agreed, date: '2026-03-09' }])
      expect(isVisitOverdue({ ...visit, isStopped: true }, TODAY)).toBe(false);
  });

  it('are reminded of at 10:00 on the day before where the subject is, and not on their own day', () => {
    const now = Date.parse('2026-03-10T03:00:00Z');
    const tokyo = fixedZone('Asia/Tokyo');
    expect(reminderTsOf('2026-03-12', tokyo, now)).toBe(Date.parse('2026-03-11T01:00:00Z'));
    // 12:00 in Tokyo: the time has passed, and the visit is tomorrow.
    expect(reminderTsOf('2026-03-11', tokyo, now)).toBe(now);
    expect(reminderTsOf(TODAY, tokyo, now)).toBeUndefined();
    // Moves to New York on 11 March.
    const moving = [...tokyo, { fromTs: Date.parse('2026-03-11T00:00:00Z'), timezone: 'America/New_York' }];
    expect(reminderTsOf('2026-03-20', moving, now)).toBe(Date.parse('2026-03-19T14:00:00Z'));
  });

  it('need a date when they are scheduled or done', () => {
    expect(codeOf(() => requireVisitStep({ state: 'SCHEDULED' }, TODAY))).toBe('INVALID_INPUT');
    expect(codeOf(() => requireVisitStep({ state: 'SCHEDULED', date: '2026-03-09' }, TODAY))).toBe('INVALID_INPUT');
    expect(codeOf(() => requireVisitStep({ state: 'DONE', date: '2026-03-11' }, TODAY))).toBe('INVALID_INPUT');
    expect(codeOf(() => requireVisitStep({ state: 'MISSED', date: '2026-03-09' }, TODAY))).toBe('INVALID_INPUT');
    expect(codeOf(() => requireVisitStep({ state: 'SCHEDULED', date: TODAY, time: '25:00' }, TODAY))).toBe(
      'INVALID_INPUT',
    );
    expect(codeOf(() => requireVisitStep({ state: 'SCHEDULED', date: TODAY, time: '09:30' }, TODAY))).toBeUndefined();
  });

  it('are announced in the language of the phone', () => {
    const visit = { displayName: 'Week 4', date: '2026-03-12', time: '09:30' };
    expect(visitReminder(visit)).toContain('your visit "Week 4" is on Thursday 12 March at 09:30');
    expect(visitReminder({ ...visit, time: undefined }, 'ja-JP')).toContain('「Week 4」は3月12日木曜日です');
  });
});

describe('data', () => {
  it('may be used as a subject who withdrew decided', () => {
    const withdrawn = { status: 'WITHDRAWN', statusDate: TODAY } as const;
    expect(lastUsableDate({ ...withdrawn, dataDecision: 'KEEP_ALL' })).toBeUndefined();
    expect(lastUsableDate({ ...withdrawn, dataDecision: 'KEEP_UNTIL' })).toBe(TODAY);
    expect(lastUsableDate({ ...withdrawn, dataDecision: 'DO_NOT_USE' })).toBeNull();
    expect(lastUsableDate(withdrawn)).toBeNull();
    expect(lastUsableDate({ status: 'COMPLETED', statusDate: TODAY })).toBeUndefined();
  });
});

describe('a plan', () => {
  it('names each group and visit once', () => {
    const plan = { consentForms: [], groups: [], strata: [], visits: [VISIT, { ...VISIT, id: 'w' }] };
    expect(codeOf(() => requirePlan(plan))).toBe('INVALID_INPUT');
    expect(requirePlan({ ...plan, visits: [{ ...VISIT, displayName: ' A ' }] }).visits[0]?.displayName).toBe('A');
  });
});
