/** How subjects take part: status, consent, group and visits, and the plan of the study for them. */
import { z } from 'zod';
import {
  CONSENT_STATES,
  DATA_DECISIONS,
  LONGEST_PLAN_NAME,
  LONGEST_REASON,
  MOST_PLAN_ITEMS,
  MOST_VISIT_DAYS,
  PARTICIPATION_STEPS,
  SUBJECT_STATUSES,
  VISIT_ANCHORS,
  VISIT_STATES,
} from '../../../vocabulary/participation.ts';
import { count, created, date, id, idParams, signedUrl, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { person } from './notes.ts';

export const subjectStatus = z.enum(SUBJECT_STATUSES).meta({
  description:
    'SCREENING -> ENROLLED -> COMPLETED or WITHDRAWN; SCREENING -> NOT_ELIGIBLE or WITHDRAWN; COMPLETED -> WITHDRAWN; NOT_ELIGIBLE -> SCREENING. Any other change is a correction, with a reason.',
});
const dataDecision = z.enum(DATA_DECISIONS).meta({
  description:
    'KEEP_ALL: exports hold all data of the subject. KEEP_UNTIL: only what was collected up to the date of the withdrawal. DO_NOT_USE: nothing. Nothing is deleted.',
});

const planName = z.string().max(LONGEST_PLAN_NAME);
export const planChoice = z.strictObject({ id, displayName: planName }).meta({ id: 'PlanChoice' });
const days = z.int().min(0).max(MOST_VISIT_DAYS);
const plannedVisit = z
  .strictObject({
    id,
    displayName: planName,
    anchor: z.enum(VISIT_ANCHORS).meta({ description: 'From which date of the subject the days count.' }),
    offsetDays: z.int().min(-MOST_VISIT_DAYS).max(MOST_VISIT_DAYS),
    windowBefore: days,
    windowAfter: days,
    isOptional: z.boolean().meta({ description: 'Today does not ask for it.' }),
    isReminded: z.boolean().meta({ description: 'The phone of the subject is reminded on the day before.' }),
  })
  .meta({ id: 'PlannedVisit' });

const planMembers = {
  consentForms: z
    .array(
      z.strictObject({
        version: z.string().max(LONGEST_PLAN_NAME),
        isRequired: z.boolean().meta({ description: 'Subjects with an earlier version have to consent again.' }),
      }),
    )
    .max(MOST_PLAN_ITEMS)
    .meta({ description: 'Oldest first. Without any, enrolment needs no consent.' }),
  groups: z.array(planChoice).max(MOST_PLAN_ITEMS),
  strata: z.array(planChoice).max(MOST_PLAN_ITEMS),
  visits: z.array(plannedVisit).max(MOST_PLAN_ITEMS),
};
const studyPlan = z
  .strictObject({
    version: count.meta({ description: 'Counts changes; 0: the study has no plan yet.' }),
    modifiedTs: timestamp.optional(),
    ...planMembers,
  })
  .meta({ id: 'StudyPlan' });
export type StudyPlanAnswer = z.infer<typeof studyPlan>;

const visit = z
  .strictObject({
    visitId: id,
    displayName: z.string(),
    state: z.enum(VISIT_STATES).meta({ description: 'PLANNED: no date was agreed yet.' }),
    targetDate: date,
    fromDate: date.meta({ description: 'First day of the window.' }),
    toDate: date.meta({ description: 'Last day of the window.' }),
    date: date.optional().meta({ description: 'Agreed, or when it took place.' }),
    time: z.string().optional().meta({ description: 'Local, hh:mm.' }),
    isOptional: z.boolean(),
    isStopped: z.boolean().meta({ description: "The subject's participation ended before it." }),
    isOverdue: z.boolean().meta({ description: 'Its date, or its window, has passed.' }),
    isOutOfWindow: z.boolean(),
    reminderTs: timestamp.optional().meta({ description: 'When the phone will be reminded.' }),
    remindedTs: timestamp.optional(),
  })
  .meta({ id: 'Visit' });
export type Visit = z.infer<typeof visit>;

const consentDocument = z.strictObject({
  displayName: z.string(),
  mimeType: z.string(),
  sizeBytes: count,
  sha256: z.string(),
});

const step = z
  .strictObject({
    id,
    kind: z.enum(PARTICIPATION_STEPS),
    date: date.meta({ description: 'When it happened, local.' }),
    author: person.optional().meta({ description: 'Absent: the subject was enrolled before there were steps.' }),
    createdTs: timestamp,
    isCorrection: z.boolean(),
    reason: z.string().optional(),
    status: subjectStatus.optional(),
    dataDecision: dataDecision.optional(),
    isPhoneRevoked: z.boolean().optional(),
    consent: z
      .strictObject({
        version: z.string(),
        state: z.enum(CONSENT_STATES),
        document: consentDocument.optional(),
      })
      .optional(),
    group: planChoice.optional(),
    stratum: planChoice.optional(),
    visit: z
      .strictObject({
        visitId: id,
        displayName: z.string(),
        state: z.enum(VISIT_STATES),
        date: date.optional(),
        time: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'ParticipationStep' });
export type ParticipationStep = z.infer<typeof step>;

const participation = z
  .strictObject({
    subjectId: id,
    status: subjectStatus,
    statusDate: date,
    today: date.meta({ description: 'Local date of the subject.' }),
    next: z.array(subjectStatus).meta({ description: 'What may follow without being a correction.' }),
    screeningDate: date.optional(),
    enrolledDate: date.optional(),
    dataDecision: dataDecision.optional(),
    consent: z.strictObject({ version: z.string(), date }).optional(),
    isConsentDue: z.boolean().meta({ description: 'A consent is missing, or of a version that no longer suffices.' }),
    group: planChoice.optional(),
    stratum: planChoice.optional(),
    heldEquipment: count.meta({ description: 'Pieces of equipment that the subject holds.' }),
    hasPhone: z.boolean().meta({ description: 'A phone of the subject is signed in.' }),
    visits: z.array(visit).meta({ description: 'By target date.' }),
    steps: z.array(step).meta({ description: 'Newest first.' }),
  })
  .meta({ id: 'Participation' });
export type ParticipationAnswer = z.infer<typeof participation>;

const newId = z.uuid().optional().meta({
  description: 'Made by the client: the same request repeated changes nothing; with another content, 409 CONFLICT.',
});
const reason = z.string().max(LONGEST_REASON).optional();
const oneStep = z.object({ studyId: id, subjectId: id, stepId: id });

/** Fields of the multipart body of a consent. */
export const consentFields = z.object({ id: newId, version: z.string().min(1).max(LONGEST_PLAN_NAME), date });

export const participationRoutes = defineRoutes({
  getStudyPlan: {
    method: 'GET',
    path: '/studies/{studyId}/plan',
    access: 'user',
    operation: 'participation.read',
    tag: 'Participation',
    summary: 'Get the plan of a study for its subjects',
    description: 'Versions of the consent form, groups, strata and visits.',
    params: idParams.study,
    status: 200,
    response: studyPlan,
  },
  setStudyPlan: {
    method: 'PUT',
    path: '/studies/{studyId}/plan',
    access: 'user',
    operation: 'study.update',
    tag: 'Participation',
    summary: 'Replace the plan of a study for its subjects',
    description:
      'The visits of its subjects follow at once; those that are done, missed or cancelled keep their windows. What subjects have stays in the plan (409); it can be renamed. 409 STUDY_STATE in a complete study.',
    params: idParams.study,
    body: z.object({
      version: count.meta({ description: 'That was edited; 409 when it was changed meanwhile.' }),
      reason,
      ...planMembers,
    }),
    status: 204,
  },
  getParticipation: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/participation',
    access: 'user',
    operation: 'participation.read',
    tag: 'Participation',
    summary: 'Get status, consent, group and visits of a subject',
    description:
      'With every step that led there. `document` of a consent is given to those who may open it: name, size and hash of a signed form.',
    params: idParams.subject,
    status: 200,
    response: participation,
  },
  setSubjectStatus: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/statuses',
    access: 'user',
    operation: 'participation.write',
    tag: 'Participation',
    summary: 'Change the status of a subject',
    description:
      'Adds a step. WITHDRAWN needs a reason and a decision on the data; it and COMPLETED end the program, open visits and reminders, and Today asks for equipment. Enrolment needs the consent that the plan requires (409). A complete study takes only the end of a participation and corrections (409 STUDY_STATE).',
    params: idParams.subject,
    body: z.object({
      id: newId,
      status: subjectStatus,
      date,
      reason,
      isCorrection: z.boolean().optional().meta({ description: 'The present status is a mistake.' }),
      dataDecision: dataDecision.optional(),
      isPhoneRevoked: z.boolean().optional().meta({ description: 'Signs out the phones of the subject.' }),
    }),
    status: 201,
    response: created,
  },
  addConsent: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/consents',
    access: 'user',
    operation: 'participation.write',
    tag: 'Participation',
    summary: 'Record a consent',
    description:
      'The optional part `document` holds the signed form: a PDF, PNG or JPEG of up to 20 MB. Of several consents the one to the latest version of the form counts.',
    params: idParams.subject,
    bodyKinds: ['multipart'],
    body: consentFields,
    files: { document: { required: false, repeated: false } },
    status: 201,
    response: created,
  },
  voidConsent: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/void_consents',
    access: 'user',
    operation: 'participation.write',
    tag: 'Participation',
    summary: 'Mark a consent as entered by mistake',
    description: 'Adds a step; the consent and its document stay in the history.',
    params: idParams.subject,
    body: z.object({ id: newId, version: z.string(), date, reason: z.string().min(1).max(LONGEST_REASON) }),
    status: 201,
    response: created,
  },
  getConsentDocument: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/consents/{stepId}/document',
    access: 'user',
    operation: 'participation.document',
    tag: 'Participation',
    summary: 'Get a signed address of the document of a consent',
    description: 'The address is valid for one hour and needs no credentials. 404 for a consent without a document.',
    params: oneStep,
    status: 200,
    response: signedUrl,
  },
  downloadConsentDocument: {
    method: 'GET',
    path: '/files/consents/{stepId}/document',
    access: 'signed-url',
    tag: 'Participation',
    summary: 'Download the document of a consent',
    description: 'Needs no credentials while the signature is valid. Range requests are supported.',
    params: z.object({ stepId: id }),
    query: z.object({ expires: z.string(), signature: z.string() }),
    status: 200,
    media: 'application/octet-stream',
  },
  setSubjectGroup: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/groups',
    access: 'user',
    operation: 'participation.write',
    tag: 'Participation',
    summary: 'Assign group and stratum of a subject',
    description: 'Adds a step; to replace either needs a reason.',
    params: idParams.subject,
    body: z.object({
      id: newId,
      groupId: id.optional().meta({ description: 'Absent: none.' }),
      stratumId: id.optional().meta({ description: 'Absent: none.' }),
      reason,
    }),
    status: 201,
    response: created,
  },
  setVisit: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/participation/visits',
    access: 'user',
    operation: 'participation.write',
    tag: 'Participation',
    summary: 'Schedule, move, complete, miss or cancel a visit',
    description:
      'Adds a step. SCHEDULED again with another date moves the visit. PLANNED takes back what was entered. SCHEDULED and DONE have a date. In a complete study nothing is scheduled, and the rest needs a reason (409 STUDY_STATE).',
    params: idParams.subject,
    body: z.object({
      id: newId,
      visitId: id,
      state: z.enum(VISIT_STATES),
      date: date.optional(),
      time: z.string().optional().meta({ description: 'Local, hh:mm; of SCHEDULED.' }),
      reason,
    }),
    status: 201,
    response: created,
  },
});
