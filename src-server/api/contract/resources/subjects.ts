/** Subjects of a study. */
import { z } from 'zod';
import { SUBJECT_BOUNDS } from '../../../vocabulary/study.ts';
import { booleanParameter, count, created, date, id, idParams, listOf, nameText, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { SUBJECT_TOKEN_DAYS } from '../subject-token.ts';
import { heldDevice } from './equipment.ts';
import { planChoice, subjectStatus } from './participation.ts';
import { recording } from './recordings.ts';

const metadataValue = z
  .strictObject({ displayName: z.string(), value: z.string() })
  .meta({ id: 'SubjectMetadataValue' });

const subjectMembers = {
  id,
  accountId: id,
  studyId: id,
  displayName: z.string(),
  age: z.int().optional(),
  gender: z.enum(['MALE', 'FEMALE']).optional(),
  height: z.number().optional().meta({ description: 'Meters.' }),
  weight: z.number().optional().meta({ description: 'Kilograms.' }),
  dominantHand: z.enum(['LEFT', 'RIGHT']).optional(),
  timezone: z.string(),
  metadataFields: z.array(metadataValue),
  isHidden: z.boolean(),
  isTest: z
    .boolean()
    .optional()
    .meta({ description: 'True for a test subject, which statistics and exports exclude.' }),
  legaleseVersionAccepted: count,
  legaleseVersionRequired: count,
  createdTs: timestamp,
  modifiedTs: timestamp,
  programStartTs: timestamp.optional(),
};

export const subject = z.strictObject(subjectMembers).meta({ id: 'Subject' });

const subjectSummary = z
  .strictObject({
    countRecordings: count,
    countDays: count.meta({ description: 'Distinct local dates on which recordings started.' }),
    countSensors: count.meta({ description: 'Distinct sensors that recorded.' }),
    coveredMs: count.meta({ description: 'Time that at least one recording covers.' }),
    status: subjectStatus.optional(),
    statusDate: date.optional().meta({ description: 'Local date of the subject.' }),
    isConsentDue: z.boolean().optional().meta({ description: 'true: a consent is missing or outdated.' }),
    group: planChoice.optional(),
    stratum: planChoice.optional(),
    sizeBytes: count.meta({ description: 'Of all signal files.' }),
    firstDataTs: timestamp
      .optional()
      .meta({ description: 'Start of the first recording. Absent without recordings, as is `lastDataTs`.' }),
    lastDataTs: timestamp.optional().meta({ description: 'End of the recording that ends last.' }),
    lastContactTs: timestamp
      .optional()
      .meta({ description: 'Last contact of a hub or phone that the subject holds, or of their own phone.' }),
  })
  .meta({ id: 'SubjectSummary' });
export type SubjectSummary = z.infer<typeof subjectSummary>;

const listedSubject = z
  .strictObject({
    ...subjectMembers,
    summary: subjectSummary.optional().meta({ description: 'Only with `summary=true`.' }),
  })
  .meta({ id: 'ListedSubject' });
export type ListedSubject = z.infer<typeof listedSubject>;
export type Subject = z.infer<typeof subject>;

const subjectDetail = z
  .strictObject({
    ...subjectMembers,
    timezones: z.array(z.strictObject({ fromTs: timestamp, timezone: z.string() })).meta({
      description: 'Time zones of the subject in order of time; the first also applies to all earlier times.',
    }),
    devices: z.array(heldDevice),
    recordings: z.array(recording),
    recorded: z
      .array(z.strictObject({ startTs: timestamp, stopTs: timestamp }))
      .optional()
      .meta({ description: 'Time that at least one recording covers, in order. Only with `recordings=false`.' }),
    summary: subjectSummary.optional().meta({ description: 'As in List subjects. Only with `recordings=false`.' }),
  })
  .meta({ id: 'SubjectDetail' });
export type SubjectDetail = z.infer<typeof subjectDetail>;

const subjectInput = {
  displayName: nameText(200),
  timezone: z.string().min(1),
  age: z.int().min(SUBJECT_BOUNDS.age.min).max(SUBJECT_BOUNDS.age.max),
  gender: z.enum(['MALE', 'FEMALE']),
  height: z.number().min(SUBJECT_BOUNDS.height.min).max(SUBJECT_BOUNDS.height.max).meta({ description: 'Meters.' }),
  weight: z.number().min(SUBJECT_BOUNDS.weight.min).max(SUBJECT_BOUNDS.weight.max).meta({ description: 'Kilograms.' }),
  dominantHand: z.enum(['LEFT', 'RIGHT']),
  metadataFields: z.array(z.object({ displayName: z.string(), value: z.string().max(10_000) })).max(200),
};
const optionalInput = {
  age: subjectInput.age.optional(),
  gender: subjectInput.gender.optional(),
  height: subjectInput.height.optional(),
  weight: subjectInput.weight.optional(),
  dominantHand: subjectInput.dominantHand.optional(),
  metadataFields: subjectInput.metadataFields.optional(),
};

export const subjectRoutes = defineRoutes({
  listSubjects: {
    method: 'GET',
    path: '/studies/{studyId}/subjects',
    access: 'user',
    operation: 'subject.read',
    tag: 'Subjects',
    summary: 'List subjects',
    description: 'All subjects, including hidden ones.',
    order: ['createdTs', 'id'],
    params: idParams.study,
    query: z.object({
      ...pageQuery,
      summary: booleanParameter.optional().meta({ description: 'true: with `summary`. Default false.' }),
    }),
    status: 200,
    isStored: true,
    response: pageOf(listedSubject),
  },
  getSubject: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}',
    access: 'user',
    operation: 'subject.read',
    tag: 'Subjects',
    summary: 'Get a subject with devices and recordings',
    description:
      '`devices` is the equipment that the subject holds now; `recordings` are those of List recordings of a subject. `timezones` determines where local days of a traveller begin and end.',
    params: idParams.subject,
    query: z.object({
      recordings: booleanParameter.optional().meta({
        description: 'false: `recordings` is empty, and `recorded` tells when something was recorded. Default true.',
      }),
    }),
    status: 200,
    isStored: true,
    response: subjectDetail,
  },
  createSubject: {
    method: 'POST',
    path: '/studies/{studyId}/subjects',
    access: 'user',
    operation: 'subject.create',
    tag: 'Subjects',
    summary: 'Create a subject',
    description:
      '`displayName` is unique in the study (409). `metadataFields` follow the `subjectMetadataFields` of the study. In a running study the program of an enrolled subject starts at once.',
    params: idParams.study,
    body: z.object({
      displayName: subjectInput.displayName,
      timezone: subjectInput.timezone,
      ...optionalInput,
      isTest: z.boolean().optional(),
      status: z
        .enum(['SCREENING', 'ENROLLED'])
        .optional()
        .meta({ description: 'Default: SCREENING where the study has consent forms, else ENROLLED.' }),
    }),
    status: 201,
    response: created,
  },
  updateSubject: {
    method: 'PUT',
    path: '/studies/{studyId}/subjects/{subjectId}',
    access: 'user',
    operation: 'subject.update',
    tag: 'Subjects',
    summary: 'Update or hide a subject',
    description: 'Absent members stay unchanged. `isHidden` hides or shows the subject; nothing is deleted.',
    params: idParams.subject,
    body: z.object({
      displayName: subjectInput.displayName.optional(),
      timezone: subjectInput.timezone.optional(),
      timezoneFromTs: timestamp.optional().meta({
        description:
          'When the subject moved to the zone; default: now; not in the future. An earlier time removes the zone changes after it, and the days from then on are analysed again.',
      }),
      age: subjectInput.age.nullish().meta({ description: 'null removes the value, as in the next four members.' }),
      gender: subjectInput.gender.nullish(),
      height: subjectInput.height.nullish(),
      weight: subjectInput.weight.nullish(),
      dominantHand: subjectInput.dominantHand.nullish(),
      metadataFields: subjectInput.metadataFields.optional(),
      isHidden: z.boolean().optional(),
      reason: z.string().max(1000).optional().meta({ description: 'Kept in the audit log.' }),
    }),
    status: 204,
  },
  createSubjectToken: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/{subjectId}/tokens',
    access: 'user',
    operation: 'subject.token',
    tag: 'Subjects',
    summary: 'Create a sign-in token for the phone of a subject',
    description: `Unused earlier tokens are revoked; this one expires after ${SUBJECT_TOKEN_DAYS} days unless it is used. The token signs in a phone; it is not a credential of this interface.`,
    params: idParams.subject,
    status: 201,
    response: z.strictObject({ studyId: id, subjectId: id, token: z.string() }).meta({ id: 'SubjectToken' }),
  },
  listTimeZones: {
    method: 'GET',
    path: '/time_zones',
    access: 'user',
    tag: 'Subjects',
    summary: 'List the time zones for forms',
    description: 'Every other name in the IANA database is accepted too.',
    order: 'order of presentation',
    status: 200,
    response: listOf(z.string()),
  },
});
