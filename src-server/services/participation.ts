/**
 * How subjects take part in a study: status, consent, group and visits. Each change adds a step with date and author in one transaction
 * with its audit entry, and derives from all steps what lists and Today show. What a withdrawal ends is decided here: the program, visits
 * and reminders end, equipment stays assigned until it is back, and phones are signed out where that is chosen. Data is never deleted:
 * an erasure is another act.
 */
import {
  authorOf,
  type Change,
  ParticipationQueries,
  type ParticipationRecord,
  type ParticipationStepRecord,
  revokeSubjectTokens,
  StudyQueries,
  type StudyRecord,
  SubjectQueries,
  type SubjectRecord,
  SYSTEM,
  type VisitRecord,
} from '../db/index.ts';
import { diagnostic } from '../diagnostics.ts';
import { OutpostError } from '../errors.ts';
import { changesBetween, type FieldChanges } from '../study/changes.ts';
import { type DayClock, localDateAt, midnightWindow } from '../study/day-windows.ts';
import { requireEdit } from '../study/lifecycle.ts';
import {
  type AnchorDates,
  attentionDateOf,
  consentOf,
  FIRST_STATUSES,
  isConsentDue,
  movedDates,
  reminderTsOf,
  requireConsent,
  requirePastDate,
  requirePlan,
  requirePlanChange,
  requireStatusStep,
  requireStepOfStudy,
  requireVisitStep,
  takesPart,
  type VisitDates,
  visitDates,
} from '../study/participation.ts';
import { visitReminder } from '../study/visit-reminder.ts';
import type { ConsentState, DataDecision, StudyPlan, SubjectStatus, VisitState } from '../vocabulary/participation.ts';
import { Devices } from './devices.ts';
import { Messages } from './messages.ts';
import { savedOtherwise } from './repeated-ids.ts';

interface StepPlace {
  studyId: string;
  subjectId: string;
  /** Made by the client: the same request repeated with it changes nothing. */
  id?: string | undefined;
}

export interface NewStatus extends StepPlace {
  status: SubjectStatus;
  date: string;
  reason?: string | undefined;
  isCorrection?: boolean | undefined;
  dataDecision?: DataDecision | undefined;
  /** Signs out the phones of the subject and voids unused sign-in codes. */
  isPhoneRevoked?: boolean | undefined;
}

/** In the folder of images, durable before the step that names it. */
export interface ConsentDocument {
  file: string;
  name: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
}

export interface NewConsent extends StepPlace {
  state: ConsentState;
  version: string;
  date: string;
  reason?: string | undefined;
  document?: ConsentDocument | undefined;
}

export interface NewGroup extends StepPlace {
  /** Absent: none. */
  groupId?: string | undefined;
  stratumId?: string | undefined;
  reason?: string | undefined;
}

export interface NewVisitStep extends StepPlace {
  visitId: string;
  state: VisitState;
  date?: string | undefined;
  time?: string | undefined;
  reason?: string | undefined;
}

type StepFields = Omit<
  Parameters<Participation['insertStep']>[0],
  'id' | 'studyId' | 'subjectId' | 'position' | 'authorId' | 'createdTs'
>;

/** As the request gives them; without a date the step is of the day on which it is entered. */
type GivenFields = Omit<StepFields, 'date'> & { date?: string };

/** What a step is compared by when its id comes again. */
const COMPARED = [
  // Dates of groups and visits may be those of the request, which is another one the next day.
  ...['kind', 'isCorrection', 'reason', 'status', 'dataDecision', 'isPhoneRevoked', 'consentState'],
  ...['consentVersion', 'documentSha256', 'groupId', 'stratumId', 'visitId', 'visitState', 'visitDate', 'visitTime'],
] as const;

const invalid = (path: string, message: string): OutpostError =>
  new OutpostError('INVALID_INPUT', message, { errors: [{ path, message }] });

const userOf = (change: Change): string => {
  const author = authorOf(change);
  if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'This needs the user who enters it.');
  return author.id;
};

/** A subject with all that rules about it need. */
interface Subject {
  study: StudyRecord;
  subject: SubjectRecord;
  clock: DayClock;
  today: string;
  standing: ParticipationRecord;
  plan: StudyPlan;
}

export class Participation extends ParticipationQueries {
  /**
   * Writes the first step of a new subject, as part of its creation.
   * @param given default: screening where the study has consent forms, else enrolled
   */
  async begin(subject: SubjectRecord, given: SubjectStatus | undefined, change: Change): Promise<SubjectStatus> {
    const { id: subjectId, studyId, timezone } = subject;
    const { plan } = await this.plan(studyId);
    const status = given ?? (plan.consentForms.length > 0 ? 'SCREENING' : 'ENROLLED');
    if (!FIRST_STATUSES.includes(status)) throw invalid('status', 'A new subject is in screening or enrolled.');
    if (status === 'ENROLLED') requireConsent(plan.consentForms, undefined);
    const nowTs = this.session.clock();
    const clock = [{ fromTs: 0, timezone }];
    const date = localDateAt(nowTs, clock);
    const isEnrolled = status === 'ENROLLED';
    await this.insertStanding({
      ...{ subjectId, studyId, status, statusDate: date },
      ...(isEnrolled ? { enrolledDate: date } : { screeningDate: date }),
      isConsentDue: isConsentDue(plan.consentForms, status, undefined),
      lastPosition: 1,
    });
    const author = authorOf(change);
    await this.insertStep({
      ...{ id: this.session.newId(), studyId, subjectId, position: 1, kind: 'STATUS', date, status, createdTs: nowTs },
      ...(author?.type === 'USER' && { authorId: author.id }),
    });
    await this.#planVisits(await this.standing(subjectId), [], plan, clock);
    return status;
  }

  /**
   * Moves a subject to another status, with what follows from it. A repeated request changes nothing.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_STATE, STUDY_LOCKED, CONFLICT (does not follow, without consent, or saved with another content)
   */
  async setStatus(input: NewStatus, change: Change): Promise<ParticipationStepRecord> {
    const { status, date, dataDecision } = input;
    const isCorrection = input.isCorrection === true;
    const reason = input.reason?.trim() || undefined;
    const fields: StepFields = {
      ...{ kind: 'STATUS', date, status, dataDecision, isCorrection, reason },
      ...(input.isPhoneRevoked && { isPhoneRevoked: true }),
    };
    return await this.#add(input, fields, change, async (participation, one) => {
      const { standing, today, plan, study, subject } = one;
      requireStatusStep(standing, { status, date, isCorrection, reason, dataDecision }, today);
      if (status === 'ENROLLED') requireConsent(plan.consentForms, standing.consentVersion);
      const { subjectId } = standing;
      await participation.patchStanding(subjectId, {
        ...{ status, statusDate: date, dataDecision: dataDecision ?? null },
        ...(status === 'SCREENING' && { screeningDate: date, enrolledDate: null }),
        ...(status === 'ENROLLED' && standing.status !== 'COMPLETED' && { enrolledDate: enrolmentOf(standing, date) }),
        isConsentDue: isConsentDue(plan.consentForms, status, standing.consentVersion),
      });
      const nowTs = participation.session.clock();
      if (status === 'ENROLLED') {
        const isBegun = subject.programStartTs !== undefined || study.lifecycleState !== 'IN_PROGRESS';
        await participation.setProgram(subjectId, { programStopTs: null, ...(!isBegun && { programStartTs: nowTs }) });
      } else {
        // What happened on an earlier day ended with that day.
        const endTs = Math.min(nowTs, midnightWindow(date, one.clock).stopMs);
        // A program that has ended is only prolonged by a correction.
        const stopTs = isCorrection ? endTs : Math.min(endTs, subject.programStopTs ?? endTs);
        await participation.setProgram(subjectId, {
          programStopTs: takesPart(status) ? null : stopTs,
          // The subject is not enrolled after all, so its program starts with the next enrolment.
          ...((status === 'SCREENING' || status === 'NOT_ELIGIBLE') && { programStartTs: null }),
        });
      }
      if (input.isPhoneRevoked) await participation.#signOutPhones(subjectId, change);
      return {
        action: isCorrection ? 'participation.correct' : 'participation.status',
        changes: changesBetween(
          { status: standing.status, statusDate: standing.statusDate, dataDecision: standing.dataDecision },
          { status, statusDate: date, dataDecision: dataDecision ?? null },
        ),
      };
    });
  }

  /**
   * Records a consent, or marks one as entered by mistake. A repeated request changes nothing.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_STATE, STUDY_LOCKED, CONFLICT
   */
  async setConsent(input: NewConsent, change: Change): Promise<ParticipationStepRecord> {
    const { state, version, date, document } = input;
    const reason = input.reason?.trim() || undefined;
    const fields: StepFields = {
      ...{ kind: 'CONSENT', date, consentState: state, consentVersion: version, reason },
      ...{ isCorrection: state === 'VOID' },
      ...(document && {
        documentFile: document.file,
        documentName: document.name,
        documentMimeType: document.mimeType,
        documentSizeBytes: document.sizeBytes,
        documentSha256: document.sha256,
      }),
    };
    return await this.#add(input, fields, change, async (participation, { standing, plan, today }) => {
      requirePastDate('date', date, today);
      const { subjectId } = standing;
      const before = await participation.steps(subjectId);
      if (state === 'GIVEN' && !plan.consentForms.some((form) => form.version === version)) {
        throw invalid('version', 'The study has no consent form of this version.');
      }
      if (state === 'VOID') {
        const ofVersion = before.filter((step) => step.consentVersion === version);
        if (consentOf(ofVersion, plan.consentForms) === undefined)
          throw new OutpostError('CONFLICT', 'The subject has no consent to this version.');
        if (reason === undefined) throw invalid('reason', 'A reason is required for a correction.');
      }
      const consent = consentOf([...before, { consentState: state, consentVersion: version, date }], plan.consentForms);
      await participation.patchStanding(subjectId, {
        ...consentFields(consent),
        isConsentDue: isConsentDue(plan.consentForms, standing.status, consent?.version),
      });
      return {
        action: state === 'GIVEN' ? 'participation.consent' : 'participation.void-consent',
        changes: {
          ...changesBetween(
            { consentVersion: standing.consentVersion, consentDate: standing.consentDate },
            { consentVersion: consent?.version ?? null, consentDate: consent?.date ?? null },
          ),
          ...(document && { document: { new: { sha256: document.sha256, sizeBytes: document.sizeBytes } } }),
        },
      };
    });
  }

  /**
   * Assigns group and stratum. A change of either needs a reason. A repeated request changes nothing.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_STATE, STUDY_LOCKED, CONFLICT
   */
  async setGroup(input: NewGroup, change: Change): Promise<ParticipationStepRecord> {
    const { groupId, stratumId } = input;
    const reason = input.reason?.trim() || undefined;
    const fields: GivenFields = { kind: 'GROUP', reason, groupId, stratumId };
    return await this.#add(input, fields, change, async (participation, { standing, plan }) => {
      const group = plan.groups.find(({ id }) => id === groupId);
      const stratum = plan.strata.find(({ id }) => id === stratumId);
      if (groupId !== undefined && !group) throw invalid('groupId', 'The study has no such group.');
      if (stratumId !== undefined && !stratum) throw invalid('stratumId', 'The study has no such stratum.');
      const now = { groupId: groupId ?? null, stratumId: stratumId ?? null };
      const changes = changesBetween({ groupId: standing.groupId, stratumId: standing.stratumId }, now);
      if (Object.keys(changes).length === 0)
        throw new OutpostError('CONFLICT', 'The subject has this group and stratum already.');
      const isReplaced = Object.values(changes).some(({ old }) => old !== null);
      if (isReplaced && reason === undefined) throw invalid('reason', 'A reason is required to change a group.');
      await participation.patchStanding(standing.subjectId, now);
      const named = { groupName: group?.displayName, stratumName: stratum?.displayName };
      return { action: 'participation.group', changes, fields: named };
    });
  }

  /**
   * Schedules, moves, completes, misses or cancels a visit of the plan. A repeated request changes nothing.
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_STATE, STUDY_LOCKED, CONFLICT
   */
  async setVisit(input: NewVisitStep, change: Change): Promise<ParticipationStepRecord> {
    const { subjectId, visitId, state, date, time } = input;
    const reason = input.reason?.trim() || undefined;
    const fields: GivenFields = {
      ...{ kind: 'VISIT', reason, visitId, visitState: state, visitDate: date, visitTime: time },
      // Any other step about a visit is of the day on which it is entered.
      ...(state === 'DONE' && date !== undefined && { date }),
    };
    return await this.#add(input, fields, change, async (participation, { standing, today, clock, plan }, stepId) => {
      const planned = plan.visits.find(({ id }) => id === visitId);
      if (!planned) throw new OutpostError('NOT_FOUND', 'The study plans no such visit.');
      requireVisitStep({ state, date, time, reason }, today);
      const visit = (await participation.visits(subjectId)).find((one) => one.visitId === visitId);
      if (!visit) throw new OutpostError('CONFLICT', 'The visit is not planned for this subject yet.');
      const isOpen = isOpenVisit(state);
      if (isOpen && !takesPart(standing.status))
        throw new OutpostError('CONFLICT', 'The subject no longer takes part, so no visit can be scheduled.');
      const isMoved = state === 'SCHEDULED' && visit.state === 'SCHEDULED';
      const reminderTs =
        state === 'SCHEDULED' && date !== undefined && planned.isReminded
          ? reminderTsOf(date, clock, participation.session.clock())
          : undefined;
      // Open again, it is a visit of the present plan.
      const dates = (isOpen ? visitDates(planned, anchorsOf(standing)) : undefined) ?? datesOf(visit);
      await participation.patchVisit(visit.id, {
        ...dates,
        ...{ state, date: date ?? null, time: time ?? null, isStopped: false, lastStepId: stepId },
        authorId: change.actor.id ?? null,
        attentionDate: attentionDateOf({ ...visit, ...dates, state, date }) ?? null,
        ...{ reminderTs: reminderTs ?? null, remindedTs: null },
      });
      return {
        fields: { visitName: planned.displayName },
        action: isMoved ? 'participation.move-visit' : `participation.${VISIT_ACTIONS[state]}-visit`,
        changes: {
          visit: { new: planned.displayName },
          ...changesBetween(
            { visitState: visit.state, visitDate: visit.date, visitTime: visit.time },
            { visitState: state, visitDate: date ?? null, visitTime: time ?? null },
          ),
        },
      };
    });
  }

  /**
   * Replaces the plan of a study, and plans the visits of its subjects by it.
   * @param version the one that was edited; 0 where the study had none
   * @throws NOT_FOUND, INVALID_INPUT, STUDY_STATE, STUDY_LOCKED, CONFLICT (changed meanwhile, or loses what subjects have)
   */
  async setPlan(studyId: string, given: StudyPlan, version: number, change: Change): Promise<void> {
    const plan = requirePlan(given);
    await this.session.write(async (session) => {
      const participation = new Participation(session);
      const { lifecycleState } = await new StudyQueries(session).require(studyId);
      const old = await participation.plan(studyId);
      const changes = changesBetween({ ...old.plan }, { ...plan });
      // The answer to the first request was lost, and the client sends it again.
      if (Object.keys(changes).length === 0) return;
      requireEdit(lifecycleState, 'add-definition');
      if (old.version !== version) {
        throw new OutpostError('CONFLICT', 'The plan was changed meanwhile. Load it again, then repeat the change.');
      }
      requirePlanChange(old.plan, plan, await participation.planUse(studyId));
      await participation.storePlan(studyId, version + 1, plan);
      await session.audit(change, {
        action: 'participation.plan',
        entityType: 'study',
        entityId: studyId,
        studyId,
        changes,
      });
      const clocks = await new SubjectQueries(session).zonesOfStudy(studyId);
      const visits = await participation.visitsOfStudy(studyId);
      // Which of several consents counts follows from the order of the forms.
      const consents = changes.consentForms ? await participation.consentStepsOfStudy(studyId) : undefined;
      for (const standing of await participation.standingsOfStudy(studyId)) {
        const { subjectId, status } = standing;
        const given = consents?.get(subjectId);
        const consent = given && consentOf(given, plan.consentForms);
        const version = given ? consent?.version : standing.consentVersion;
        const isDue = isConsentDue(plan.consentForms, status, version);
        if (version !== standing.consentVersion) await participation.patchStanding(subjectId, consentFields(consent));
        if (isDue !== standing.isConsentDue) await participation.patchStanding(subjectId, { isConsentDue: isDue });
        await participation.#planVisits(standing, visits.get(subjectId) ?? [], plan, clocks.get(subjectId) ?? []);
      }
    });
  }

  /** Moves the pending reminders of a subject who lives in other zones now; part of the change of the zones, whose audit covers it. */
  async moveReminders(subjectId: string): Promise<void> {
    const clock = await new SubjectQueries(this.session).zones(subjectId);
    for (const { id, state, date, reminderTs } of await this.visits(subjectId)) {
      if (state !== 'SCHEDULED' || date === undefined || reminderTs === undefined) continue;
      await this.patchVisit(id, { reminderTs: reminderTsOf(date, clock, this.session.clock()) ?? null });
    }
  }

  /**
   * Sends the reminders of visits that are due, each once: the message and the note that it was sent are one transaction. One that
   * cannot be sent holds up no other, and is tried again by the next call.
   * @returns how many were sent
   */
  async remind(onProblem: (error: unknown) => void): Promise<number> {
    let sent = 0;
    for (const { id } of await this.remindersDue(this.session.clock())) {
      try {
        if (await this.#remindOf(id)) sent += 1;
      } catch (error) {
        onProblem(error);
      }
    }
    return sent;
  }

  async #remindOf(id: string): Promise<boolean> {
    return await this.session.write(async (session) => {
      const participation = new Participation(session);
      const [visit] = await participation.remindersDue(session.clock(), id);
      if (!visit) return false;
      const { studyId, subjectId, date = '', time, displayName, authorId } = visit;
      const clock = await new SubjectQueries(session).zones(subjectId);
      const standing = await participation.standing(subjectId);
      const [phone] = await new Devices(session).phonesOf(subjectId);
      const isDue =
        visit.state === 'SCHEDULED' && takesPart(standing.status) && date >= localDateAt(session.clock(), clock);
      if (!isDue || !phone || authorId === undefined) {
        await participation.patchVisit(id, { reminderTs: null });
        return false;
      }
      await new Messages(session).post(
        {
          ...{ studyId, subjectId },
          body: visitReminder({ displayName, date, time }, phone.language ?? undefined),
          author: { type: 'USER', id: authorId },
        },
        { ...SYSTEM, reason: diagnostic('VISIT_REMINDER').message },
      );
      await participation.patchVisit(id, { reminderTs: null, remindedTs: session.clock() });
      return true;
    });
  }

  /** Reads the subject, adds the step unless it is stored already, applies it, and plans the visits that follow. */
  async #add(
    { id: givenId, studyId, subjectId }: StepPlace,
    fields: GivenFields,
    change: Change,
    apply: (
      participation: Participation,
      subject: Subject,
      stepId: string,
    ) => Promise<{ action: string; changes: FieldChanges; fields?: Partial<StepFields> }>,
  ): Promise<ParticipationStepRecord> {
    const authorId = userOf(change);
    return await this.session.write(async (session) => {
      const participation = new Participation(session);
      const known = givenId === undefined ? undefined : await participation.step(givenId);
      if (known) {
        if (known.subjectId !== subjectId || known.authorId !== authorId)
          throw new OutpostError('CONFLICT', 'Another step has this id.');
        const isDated = fields.kind === 'STATUS' || fields.kind === 'CONSENT';
        const isSame =
          (!isDated || known.date === fields.date) &&
          COMPARED.every((name) => (known[name] || undefined) === (fields[name] || undefined));
        if (isSame) return known;
        throw savedOtherwise(
          'This was already saved with another content. Look at the history, then correct it there.',
        );
      }
      const subjects = new SubjectQueries(session);
      const subject = await subjects.require(subjectId, studyId);
      const clock = await subjects.zones(subjectId);
      const standing = await participation.standing(subjectId);
      const { plan } = await participation.plan(studyId);
      const study = await new StudyQueries(session).require(studyId);
      requireStepOfStudy(study.lifecycleState, fields);
      const stepId = givenId ?? session.newId();
      const createdTs = session.clock();
      const today = localDateAt(createdTs, clock);
      const one = { study, subject, clock, today, standing, plan };
      const { action, changes, fields: added } = await apply(participation, one, stepId);
      const position = standing.lastPosition + 1;
      const place = { id: stepId, studyId, subjectId, position, authorId, createdTs };
      await participation.insertStep({ date: today, ...fields, ...added, ...place });
      await participation.patchStanding(subjectId, { lastPosition: position });
      const { reason } = fields;
      await session.audit(
        { ...change, ...(typeof reason === 'string' && { reason }) },
        { action, entityType: 'participation', entityId: stepId, studyId, subjectId, changes },
      );
      if (fields.kind === 'STATUS' || fields.kind === 'CONSENT') {
        const visits = await participation.visits(subjectId);
        await participation.#planVisits(await participation.standing(subjectId), visits, plan, clock, standing);
      }
      return (await participation.step(stepId))!;
    });
  }

  /**
   * Gives the subject the visits of the plan, and stops the open ones of a subject who no longer takes part. The windows of visits that
   * are done, missed or cancelled stay those by which they were judged then, and move only with the date from which they count.
   * @param before the participation before the step; default: as it is now
   */
  async #planVisits(
    standing: ParticipationRecord,
    visits: readonly VisitRecord[],
    plan: StudyPlan,
    clock: DayClock,
    before: ParticipationRecord = standing,
  ): Promise<void> {
    const { subjectId, studyId, status } = standing;
    const isTakingPart = takesPart(status);
    const anchors = anchorsOf(standing);
    const anchorsBefore = anchorsOf(before);
    const known = new Map(visits.map((visit) => [visit.visitId, visit]));
    for (const planned of plan.visits) {
      const { id: visitId, displayName, isOptional } = planned;
      const visit = known.get(visitId);
      known.delete(visitId);
      // What was entered about a visit stays where its anchor was corrected away, and ends with the participation.
      const dates =
        (visit && settledDates(visit, anchorsBefore[planned.anchor], anchors[planned.anchor])) ??
        visitDates(planned, anchors) ??
        (visit?.lastStepId === undefined ? undefined : datesOf(visit));
      if (!dates) {
        if (visit) await this.deleteVisit(visit.id);
        continue;
      }
      const state = visit?.state ?? 'PLANNED';
      const isOpen = isOpenVisit(state);
      if (!visit && !isTakingPart) continue;
      const isStopped = isOpen && !isTakingPart;
      const attentionDate = isStopped ? undefined : attentionDateOf({ ...dates, state, date: visit?.date, isOptional });
      const next = { displayName, isOptional, ...dates, isStopped, attentionDate: attentionDate ?? null };
      if (!visit) {
        await this.insertVisit({ id: this.session.newId(), studyId, subjectId, visitId, state, ...next });
        continue;
      }
      const mayRemind = planned.isReminded && !isStopped && state === 'SCHEDULED' && visit.remindedTs === undefined;
      const reminderTs = mayRemind
        ? (visit.reminderTs ?? reminderTsOf(visit.date!, clock, this.session.clock()) ?? null)
        : null;
      const changes = changesBetween({ ...visit }, { ...next, reminderTs });
      if (Object.keys(changes).length > 0) await this.patchVisit(visit.id, { ...next, reminderTs });
    }
    // No longer in the plan, and nobody ever entered anything about it.
    for (const { id, lastStepId } of known.values()) if (lastStepId === undefined) await this.deleteVisit(id);
  }

  async #signOutPhones(subjectId: string, change: Change): Promise<void> {
    const devices = new Devices(this.session);
    for (const { id } of await devices.phonesOf(subjectId))
      await devices.revoke(id, { ...change, reason: diagnostic('SUBJECT_WITHDREW').message });
    await revokeSubjectTokens(this.session, subjectId);
  }
}

const VISIT_ACTIONS: Readonly<Record<VisitState, string>> = {
  PLANNED: 'reset',
  SCHEDULED: 'schedule',
  DONE: 'complete',
  MISSED: 'miss',
  CANCELLED: 'cancel',
};

const datesOf = ({ targetDate, fromDate, toDate }: VisitRecord): VisitDates => ({ targetDate, fromDate, toDate });

const isOpenVisit = (state: VisitState): boolean => state === 'PLANNED' || state === 'SCHEDULED';

const anchorsOf = ({ screeningDate, enrolledDate, firstConsentDate }: ParticipationRecord): AnchorDates => ({
  ...(screeningDate !== undefined && { SCREENING: screeningDate }),
  ...(enrolledDate !== undefined && { ENROLLED: enrolledDate }),
  ...(firstConsentDate !== undefined && { CONSENT: firstConsentDate }),
});

/** Dates of a visit that took place or never will; undefined for an open one, and where its anchor is known only now. */
function settledDates(visit: VisitRecord, from: string | undefined, to: string | undefined): VisitDates | undefined {
  if (isOpenVisit(visit.state)) return undefined;
  if (from === to) return datesOf(visit);
  return from !== undefined && to !== undefined ? movedDates(datesOf(visit), from, to) : undefined;
}

const consentFields = (consent: ReturnType<typeof consentOf>) => ({
  consentVersion: consent?.version ?? null,
  consentDate: consent?.date ?? null,
  firstConsentDate: consent?.firstDate ?? null,
});

/** A correction of what came after the enrolment leaves its date. */
const enrolmentOf = ({ status, enrolledDate }: ParticipationRecord, date: string): string =>
  status === 'WITHDRAWN' ? (enrolledDate ?? date) : date;
