/** What follows from the steps of participation: the program, the consent that counts, visits and their reminders. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localDateIn } from '../study/day-windows.ts';
import { addTestStudy, openTestStore, type TestStore, type TestStudy } from '../testing/test-store.ts';
import type { PlannedVisit, StudyPlan, VisitState } from '../vocabulary/participation.ts';
import type { NewStatus, NewVisitStep } from './participation.ts';

const DAY_MS = 86_400_000;

let site: TestStore;
let study: TestStudy;

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
  await site.store.studies.move(study.studyId, 'start', study.byUser);
});
afterEach(() => site.close());

const visit = (id: string, offsetDays: number, more: Partial<PlannedVisit> = {}): PlannedVisit => ({
  ...{ id, displayName: id, anchor: 'ENROLLED', offsetDays, windowBefore: 2, windowAfter: 2 },
  ...{ isOptional: false, isReminded: true, ...more },
});
const dateIn = (days: number) => localDateIn(site.clock.now + days * DAY_MS, 'Etc/UTC');
const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );
const setPlan = async (plan: Partial<StudyPlan>) => {
  const { participation } = site.store;
  const now = await participation.plan(study.studyId);
  await participation.setPlan(study.studyId, { ...now.plan, ...plan }, now.version, study.byUser);
};

let names = 0;
/** Adds a subject and returns how to act on it. */
async function add(timezone = 'Etc/UTC') {
  const { store } = site;
  const { studyId, byUser } = study;
  names += 1;
  const { id: subjectId } = await store.subjects.create(studyId, { displayName: `P-${names}`, timezone }, byUser);
  const place = { studyId, subjectId };
  return {
    ...place,
    setStatus: (status: NewStatus['status'], more: Partial<NewStatus> = {}) =>
      store.participation.setStatus({ ...place, status, date: dateIn(0), ...more }, byUser),
    /** The mistake is explained. */
    correct: (status: NewStatus['status'], more: Partial<NewStatus> = {}) =>
      store.participation.setStatus(
        { ...place, status, date: dateIn(0), isCorrection: true, reason: 'Entered by mistake', ...more },
        byUser,
      ),
    consent: (version: string, date: string) =>
      store.participation.setConsent({ ...place, state: 'GIVEN', version, date }, byUser),
    setGroup: (groupId: string) => store.participation.setGroup({ ...place, groupId }, byUser),
    setVisit: (visitId: string, state: VisitState, more: Partial<NewVisitStep> = {}) =>
      store.participation.setVisit({ ...place, visitId, state, ...more }, byUser),
    visit: async (visitId: string) =>
      (await store.participation.visits(subjectId)).find((each) => each.visitId === visitId),
    standing: () => store.participation.standing(subjectId),
    program: async () => {
      const { programStartTs, programStopTs } = await store.subjects.require(subjectId);
      return { programStartTs, programStopTs };
    },
  };
}

describe('the program', () => {
  it('starts again with the next enrolment after one that was a mistake', async () => {
    const [screened, refused] = [await add(), await add()];
    const at = site.clock.now;
    expect(await screened.program()).toEqual({ programStartTs: at });
    await screened.correct('SCREENING');
    expect(await screened.program()).toEqual({});
    await refused.correct('NOT_ELIGIBLE');
    expect(await refused.program()).toEqual({ programStopTs: at });
    site.clock.now += 20 * DAY_MS;
    await screened.setStatus('ENROLLED');
    expect(await screened.program()).toEqual({ programStartTs: at + 20 * DAY_MS });
  });

  it('stays ended when a subject withdraws after completing it, and ends later by a correction only', async () => {
    const one = await add();
    const at = site.clock.now;
    await one.setStatus('COMPLETED');
    site.clock.now += 30 * DAY_MS;
    await one.setStatus('WITHDRAWN', { reason: 'No longer agrees', dataDecision: 'KEEP_ALL' });
    expect((await one.program()).programStopTs).toBe(at);
    await one.correct('WITHDRAWN', { dataDecision: 'KEEP_ALL', date: dateIn(-1) });
    expect((await one.program()).programStopTs).toBe(Date.parse(`${dateIn(0)}T00:00:00Z`));
  });
});

describe('a consent', () => {
  it('stays valid when an older form is entered afterwards', async () => {
    const forms = ['1', '2'].map((version) => ({ version, isRequired: true }));
    const one = await add();
    await setPlan({ consentForms: forms });
    await one.consent('2', dateIn(0));
    await one.consent('1', dateIn(-30));
    expect(await one.standing()).toMatchObject({
      ...{ consentVersion: '2', consentDate: dateIn(0), firstConsentDate: dateIn(-30), isConsentDue: false },
    });
    // The order of the forms was wrong.
    await setPlan({ consentForms: forms.toReversed() });
    expect(await one.standing()).toMatchObject({ consentVersion: '1', consentDate: dateIn(-30), isConsentDue: false });
  });
});

describe('visits', () => {
  it('end with a withdrawal after their enrolment was a mistake', async () => {
    await setPlan({ visits: [visit('Week 1', 7), visit('Week 2', 14)] });
    const one = await add();
    await one.setVisit('Week 1', 'SCHEDULED', { date: dateIn(7) });
    await one.correct('SCREENING');
    expect(await one.visit('Week 1')).toMatchObject({ isStopped: false, attentionDate: dateIn(6) });
    expect(await one.visit('Week 2')).toBeUndefined();
    await one.setStatus('WITHDRAWN', { reason: 'Moved away', dataDecision: 'KEEP_ALL' });
    const stopped = await one.visit('Week 1');
    expect(stopped).toMatchObject({ state: 'SCHEDULED', date: dateIn(7), isStopped: true });
    expect([stopped?.attentionDate, stopped?.reminderTs]).toEqual([undefined, undefined]);
    site.clock.now += 8 * DAY_MS;
    const due = await site.store.participation.visitsNeedingAttention([study.studyId], dateIn(0));
    expect(due.filter(({ subjectId }) => subjectId === one.subjectId)).toEqual([]);
  });

  it('that are over keep their window when the plan changes, and move with the date from which they count', async () => {
    const visits = ['done', 'missed', 'cancelled', 'open'].map((id) => visit(id, 7));
    await setPlan({ visits });
    const one = await add();
    site.clock.now += 10 * DAY_MS;
    await one.setVisit('done', 'DONE', { date: dateIn(-1) });
    await one.setVisit('missed', 'MISSED');
    await one.setVisit('cancelled', 'CANCELLED');
    const windowOf = async (id: string) => {
      const found = (await one.visit(id))!;
      return [found.fromDate, found.targetDate, found.toDate];
    };
    const judged = [dateIn(-5), dateIn(-3), dateIn(-1)];
    await setPlan({ visits: visits.map((each) => ({ ...each, offsetDays: 20, windowAfter: 5 })) });
    for (const id of ['done', 'missed', 'cancelled']) expect(await windowOf(id), id).toEqual(judged);
    expect(await windowOf('open')).toEqual([dateIn(8), dateIn(10), dateIn(15)]);
    await one.setStatus('COMPLETED');
    expect(await windowOf('done')).toEqual(judged);
    await one.correct('ENROLLED');
    await one.correct('ENROLLED', { date: dateIn(-12) });
    expect(await windowOf('done')).toEqual([dateIn(-7), dateIn(-5), dateIn(-3)]);
    await one.setVisit('missed', 'PLANNED');
    expect(await windowOf('missed')).toEqual([dateIn(6), dateIn(8), dateIn(13)]);
  });

  it('are reminded of at the time of the zone that the subject moves to', async () => {
    await setPlan({ visits: [visit('Week 1', 7)] });
    const one = await add('Asia/Tokyo');
    await one.setVisit('Week 1', 'SCHEDULED', { date: '2026-03-09' });
    expect((await one.visit('Week 1'))?.reminderTs).toBe(Date.parse('2026-03-08T01:00:00Z'));
    const move = (timezone: string, timezoneFromTs?: number) =>
      site.store.subjects.update(
        one.subjectId,
        { timezone, ...(timezoneFromTs !== undefined && { timezoneFromTs }) },
        study.byUser,
      );
    // Later than the visit, so it changes nothing yet.
    await move('America/New_York', Date.parse('2026-03-20T00:00:00Z'));
    expect((await one.visit('Week 1'))?.reminderTs).toBe(Date.parse('2026-03-08T01:00:00Z'));
    await move('America/New_York', site.clock.now);
    // Summer time began that morning.
    expect((await one.visit('Week 1'))?.reminderTs).toBe(Date.parse('2026-03-08T14:00:00Z'));
    await one.setVisit('Week 1', 'CANCELLED');
    await move('Etc/UTC');
    expect((await one.visit('Week 1'))?.reminderTs).toBeUndefined();
  });
});

describe('a study that is complete', () => {
  it('takes the end of a participation and corrections with a reason, and nothing else', async () => {
    const consentForms = [{ version: '1', isRequired: false }];
    const groups = [{ id: 'a', displayName: 'Intervention' }];
    await setPlan({ groups, visits: [visit('Week 1', 7), visit('Week 2', 14)] });
    const [one, screened] = [await add(), await add()];
    await screened.correct('SCREENING');
    await setPlan({ consentForms });
    for (const each of [one, screened]) await each.consent('1', dateIn(0));
    await one.setVisit('Week 2', 'SCHEDULED', { date: dateIn(14) });
    await site.store.studies.move(study.studyId, 'stop', study.byUser);
    const refused = [
      screened.setStatus('ENROLLED'),
      one.consent('1', dateIn(0)),
      one.setGroup('a'),
      one.setVisit('Week 1', 'SCHEDULED', { date: dateIn(7), reason: 'Late' }),
      one.setVisit('Week 1', 'MISSED'),
      setPlan({ groups: [{ id: 'a', displayName: 'Control' }] }),
    ];
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'STUDY_STATE'));
    expect(await one.visit('Week 1')).toMatchObject({ state: 'PLANNED' });
    // The request whose answer was lost, sent again.
    await setPlan({ groups });

    await one.setVisit('Week 1', 'MISSED', { reason: 'Forgotten to enter' });
    await one.setStatus('WITHDRAWN', { reason: 'Asked for it by letter', dataDecision: 'DO_NOT_USE' });
    await one.correct('ENROLLED');
    expect(await one.standing()).toMatchObject({ status: 'ENROLLED' });
    await one.setStatus('COMPLETED');
    await screened.setStatus('NOT_ELIGIBLE', { reason: 'Too young' });
    expect(await screened.standing()).toMatchObject({ status: 'NOT_ELIGIBLE' });
  });
});

describe('reminders', () => {
  const problems: unknown[] = [];
  const remind = () => site.store.participation.remind((problem) => problems.push(problem));
  const messagesOf = async ({ subjectId }: { subjectId: string }) =>
    (await site.store.session.db.selectFrom('message').select('id').where('subjectId', '=', subjectId).execute()).map(
      ({ id }) => id,
    );
  /** A subject with a phone, and a visit in seven days. */
  const addReminded = async (id?: string) => {
    const one = await add();
    const { studyId, subjectId } = one;
    await site.store.devices.add(
      { kind: 'PHONE', serial: `phone-${names}`, accountId: study.accountId, subject: { studyId, subjectId } },
      study.byUser,
    );
    await one.setVisit('Week 1', 'SCHEDULED', { date: dateIn(7), ...(id !== undefined && { id }) });
    return one;
  };
  beforeEach(async () => {
    problems.length = 0;
    await setPlan({ visits: [visit('Week 1', 7)] });
  });

  it('wait while the study is locked, archived or not running', async () => {
    const one = await addReminded();
    const { db } = site.store.session;
    const begin = { lifecycleState: 'IN_PROGRESS', lockedTs: null, isArchived: 0 } as const;
    site.clock.now += 6.5 * DAY_MS;
    for (const held of [{ lifecycleState: 'COMPLETE' as const }, { lockedTs: 1 }, { isArchived: 1 as const }]) {
      await db
        .updateTable('study')
        .set({ ...begin, ...held })
        .execute();
      expect(await remind()).toBe(0);
    }
    await db.updateTable('study').set(begin).execute();
    expect(await remind()).toBe(1);
    expect(await remind()).toBe(0);
    expect(await messagesOf(one)).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it('are sent although another cannot be sent, which is tried again', async () => {
    const [broken, going] = [await addReminded(), await addReminded()];
    site.clock.now += 6.5 * DAY_MS;
    const { db } = site.store.session;
    await sql`CREATE TRIGGER broken BEFORE INSERT ON message WHEN NEW.subjectId = ${sql.lit(broken.subjectId)}
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`.execute(db);
    expect(await remind()).toBe(1);
    expect(problems).toHaveLength(1);
    expect(await messagesOf(going)).toHaveLength(1);
    await sql`DROP TRIGGER broken`.execute(db);
    expect(await remind()).toBe(1);
    expect(await messagesOf(broken)).toHaveLength(1);
  });

  it('are sent where the id of the step, which the client made, is the one of a message', async () => {
    const other = await add();
    const { store } = site;
    const { id } = await store.messages.post(
      { studyId: study.studyId, subjectId: other.subjectId, body: 'Hello' },
      study.byUser,
    );
    const one = await addReminded(id);
    site.clock.now += 6.5 * DAY_MS;
    expect(await remind()).toBe(1);
    expect(await messagesOf(one)).toHaveLength(1);
    expect(problems).toEqual([]);
  });
});

describe('a plan that changes meanwhile', () => {
  it('keeps the group that a subject gets, or the subject does not get it', async () => {
    await setPlan({ groups: [{ id: 'a', displayName: 'Intervention' }] });
    const one = await add();
    const { participation } = site.store;
    const { plan, version } = await participation.plan(study.studyId);
    const grouping = codeOf(one.setGroup('a'));
    const changing = codeOf(participation.setPlan(study.studyId, { ...plan, groups: [] }, version, study.byUser));
    const refused = (await Promise.all([grouping, changing])).filter((code) => code !== undefined);
    expect(refused).toHaveLength(1);
    const now = await participation.plan(study.studyId);
    expect(now.plan.groups.map(({ id }) => id)).toEqual((await one.standing()).groupId === 'a' ? ['a'] : []);
  });
});
