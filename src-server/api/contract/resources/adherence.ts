/** Adherence to the program of a study: the tasks due on each day of a subject, and those completed. */
import { z } from 'zod';
import { count, date, dateWindow, id, idParams, listOf, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';

const tasks = {
  tasksAssigned: count.meta({ description: 'Tasks due. 0 means that none was due, not that adherence is 100 %.' }),
  tasksCompleted: count,
};

const programStats = z
  .strictObject({ fromDate: date, toDate: date, studyId: id, subjectId: id, ...tasks })
  .meta({ id: 'ProgramStats' });
export type ProgramStats = z.infer<typeof programStats>;

const dailyProgramStats = z.strictObject({ date, studyId: id, ...tasks }).meta({ id: 'DailyProgramStats' });
export type DailyProgramStats = z.infer<typeof dailyProgramStats>;

const programAuditDay = z
  .strictObject({
    date,
    tasks: z.array(
      z.strictObject({
        id: id.meta({ description: 'Of the activity or diary.' }),
        displayName: z.string(),
        type: z.enum(['activity', 'diary']),
        completed: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'ProgramAuditDay' });
export type ProgramAuditDay = z.infer<typeof programAuditDay>;

const adherenceDay = z.strictObject({
  date,
  tasksAssigned: count
    .optional()
    .meta({ description: 'Tasks due; 0 means that none was due. Absent on a day outside the program of the subject.' }),
  tasksCompleted: count.optional(),
  wearSeconds: z
    .number()
    .min(0)
    .optional()
    .meta({ description: 'SENSOR_WEAR_DURATION of the day. Absent until a recording of the day has been analysed.' }),
});
const subjectAdherence = z.strictObject({ subjectId: id, days: z.array(adherenceDay) }).meta({
  id: 'SubjectAdherence',
  description: 'Tasks and wear are independent measures.',
});
export type SubjectAdherence = z.infer<typeof subjectAdherence>;

const phoneClock = z
  .strictObject({
    offsetMs: z
      .int()
      .meta({ description: 'What was added to the times of the phone: its own are these minus offsetMs.' }),
    uncertaintyMs: z.number(),
    state: z.enum(['MEASURED', 'CHANGED', 'UNKNOWN', 'DISPUTED']).meta({
      description:
        'Times are certain only with MEASURED. DISPUTED: what the phone claimed contradicted the measurements of the site.',
    }),
    claimedOffsetMs: z.int().optional().meta({ description: 'What the phone claimed, when it was not used.' }),
  })
  .meta({ id: 'CorrectedClock', description: 'How the times of the phone were corrected. Absent: they were not.' });

const score = z
  .strictObject({
    questionnaireId: z.string().meta({ description: 'As in List questionnaires.' }),
    name: z.string(),
    value: z
      .number()
      .optional()
      .meta({ description: 'Absent when more answers are missing than the instrument allows.' }),
    min: z.number(),
    max: z.number(),
    answered: count.meta({ description: 'Scored items with an answer.' }),
    items: count.meta({ description: 'Scored items of the instrument.' }),
  })
  .meta({
    id: 'QuestionnaireScore',
    description: 'Computed from the answers by the rule of the instrument. A figure for research, not a diagnosis.',
  });

const taskReport = z
  .strictObject({
    id: id.meta({ description: 'Of the annotation.' }),
    taskId: id.meta({ description: 'Of the activity or diary.' }),
    type: z.enum(['activity', 'diary']),
    displayName: z.string(),
    startTs: timestamp,
    stopTs: timestamp,
    intendedTs: timestamp.optional().meta({ description: 'When the task was due. Absent when unknown.' }),
    openedTs: timestamp.optional(),
    completedTs: timestamp.optional(),
    reportedTs: timestamp.meta({ description: 'When the site received it.' }),
    timing: z
      .enum(['EARLY', 'IN_WINDOW', 'LATE'])
      .optional()
      .meta({ description: 'By startTs. Absent for a task without a window.' }),
    phoneClock: phoneClock.optional(),
    skipped: z
      .array(z.strictObject({ questionId: id, text: z.string() }))
      .optional()
      .meta({ description: 'Questions that the subject chose to skip.' }),
    scores: z.array(score).optional().meta({
      description: 'Of each questionnaire of the library that was asked in its original words. Absent: none.',
    }),
  })
  .meta({ id: 'TaskReport' });
export type TaskReport = z.infer<typeof taskReport>;

const DAYS =
  'The days of a subject are the consecutive local dates from that of its programStartTs to today, the stop of the study or the end of the program. A task is completed when it was started at least once on that local date.';
const WHO = 'Test subjects are excluded; hidden subjects count.';

export const adherenceRoutes = defineRoutes({
  listProgramStats: {
    method: 'GET',
    path: '/studies/{studyId}/program_stats',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'Get task stats of a study per subject',
    description: `One item per subject whose program has started: the totals and the range of its days. ${DAYS} ${WHO}`,
    order: 'that of List subjects',
    params: idParams.study,
    status: 200,
    response: listOf(programStats),
  },
  listDailyProgramStats: {
    method: 'GET',
    path: '/studies/{studyId}/daily_program_stats',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'Get task stats of a study per day',
    description: `One item per date that is a day of at least one subject: the totals over those subjects. ${WHO}`,
    order: ['date'],
    params: idParams.study,
    query: dateWindow,
    status: 200,
    response: listOf(dailyProgramStats),
  },
  listSubjectProgramStats: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/program_stats',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'Get task stats of a subject',
    description: `One item per day of the program so far, days without tasks included; fromDate equals toDate. ${DAYS}`,
    order: ['fromDate'],
    params: idParams.subject,
    status: 200,
    response: listOf(programStats),
  },
  listProgramAudit: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/program_audit',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'Get task details of a subject',
    description:
      'The same days as in the task stats of the subject, each with its due tasks in the order of the program. A task that was added to a running study is due from the day of that change on.',
    order: ['date'],
    params: idParams.subject,
    status: 200,
    response: listOf(programAuditDay),
  },
  listAdherence: {
    method: 'GET',
    path: '/studies/{studyId}/adherence',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'Get tasks and wear of every subject of a study per day',
    description: `The days of the program of each subject, and the days with analysed recordings. Hidden and test subjects are included. A page holds as many subjects as a page of List subjects. ${DAYS}`,
    order: 'that of List subjects, then date',
    params: idParams.study,
    query: dateWindow.extend({
      subjectId: id.optional().meta({ description: 'Only this subject. None when it is not a subject of the study.' }),
      ...pageQuery,
    }),
    status: 200,
    response: pageOf(subjectAdherence),
  },
  listTaskReports: {
    method: 'GET',
    path: '/studies/{studyId}/subjects/{subjectId}/task_reports',
    access: 'user',
    operation: 'adherence.read',
    tag: 'Adherence',
    summary: 'List the completed tasks of a subject with their times',
    description:
      'One item per completed activity or diary, with the times at which it was due, opened, completed and reported, as far as known.',
    order: ['startTs', 'id'],
    params: idParams.subject,
    query: z.object(pageQuery),
    status: 200,
    response: pageOf(taskReport),
  },
});
