/** The data quality of a study against its targets, its faults, and the board that its people share. */
import { z } from 'zod';
import { BOARD_DAYS, MOST_BOARD_METRICS } from '../../../vocabulary/board.ts';
import { QUALITY_REASONS } from '../../../vocabulary/quality.ts';
import { count, date, dateWindow, id, idParams, repeatedParameter, timestamp } from '../common.ts';
import { newestFirst, pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { fault } from './equipment.ts';

const seconds = z.number().min(0);
const counts = {
  expectedDays: count.meta({ description: 'Days on which data is expected.' }),
  dataDays: count.meta({ description: 'Of them, days with any wear.' }),
  validDays: count.meta({ description: 'Of them, days with the wear of the target.' }),
  wearSeconds: seconds,
  signalSeconds: seconds.meta({ description: 'Of recorded ECG (HEART_SIGNAL).' }),
  readableSeconds: seconds.meta({ description: 'Of it, what is readable (HEART_READABLE).' }),
  tasksAssigned: count,
  tasksCompleted: count,
};

const reason = z.strictObject({
  code: z.enum(QUALITY_REASONS).meta({
    description:
      'NO_DATA: none on the last two days. VALID_DAYS: in days. READABLE, TASKS: in percent. Judged over the last seven days, from three on.',
  }),
  value: z.number().optional(),
  target: z.number().optional(),
  days: count.optional().meta({ description: 'Days that were judged.' }),
  date: date.optional().meta({ description: 'NO_DATA: the last day with data; absent where there is none.' }),
});

const subjectQuality = z
  .strictObject({
    subjectId: id,
    displayName: z.string(),
    isHidden: z.boolean(),
    isFollowed: z.boolean().meta({
      description: 'False for a hidden subject, and after the end of the program, the participation or the study.',
    }),
    quality: z
      .strictObject({
        fromDate: date,
        toDate: date,
        ...counts,
        weeks: z.array(z.strictObject({ week: date.meta({ description: 'The Monday.' }), ...counts })),
        recent: z.strictObject({ fromDate: date, toDate: date, ...counts }),
        reasons: z.array(reason).meta({
          description: 'Why the subject is at risk; empty otherwise, and where nothing can be done any more.',
        }),
      })
      .optional()
      .meta({
        description:
          'Absent where no day of the window is expected to have data, such as before the first complete day.',
      }),
  })
  .meta({ id: 'SubjectQuality' });
export type SubjectQualityItem = z.infer<typeof subjectQuality>;

const studyFault = z
  .strictObject({
    id,
    subjectId: id,
    subjectName: z.string(),
    equipmentId: z.string().optional().meta({ description: 'Serial number, where the fault names the equipment.' }),
    equipmentName: z.string().optional(),
    faultClass: z.string().optional(),
    ...fault.shape,
  })
  .meta({ id: 'StudyFault' });
export type StudyFault = z.infer<typeof studyFault>;

const grouping = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('NONE') }),
    z.strictObject({ kind: z.literal('GROUP') }),
    z.strictObject({ kind: z.literal('STRATUM') }),
    z.strictObject({ kind: z.literal('FIELD'), field: z.string().min(1).max(200) }),
    z.strictObject({ kind: z.literal('WEEKEND') }),
    z.strictObject({ kind: z.literal('DATE'), date }),
  ])
  .meta({
    description:
      'GROUP, STRATUM: by those of the subjects, as the plan of the study names them. FIELD: by the values of a subject field. WEEKEND: by day of the week. DATE: before it, and from it on.',
  });

const boardMembers = {
  metrics: z.array(z.string().min(1).max(100)).min(1).max(MOST_BOARD_METRICS),
  days: z.literal(BOARD_DAYS).meta({ description: 'Up to the last day.' }),
  grouping,
};
const board = z
  .strictObject({
    ...boardMembers,
    savedTs: timestamp.optional().meta({ description: 'Absent: nobody saved one, and this is the default.' }),
    savedBy: z.strictObject({ id, displayName: z.string() }).optional(),
  })
  .meta({ id: 'StudyBoard' });
export type Board = z.infer<typeof board>;

const subjectValues = z
  .strictObject({
    subjectId: id,
    days: z.array(
      z.strictObject({
        date,
        wearSeconds: z.number().min(0).optional(),
        values: z.array(z.number().nullable()).meta({
          description: 'In the order of `name`; null where the day has not enough data for the metric.',
        }),
      }),
    ),
  })
  .meta({ id: 'SubjectValues' });
export type SubjectValues = z.infer<typeof subjectValues>;

export const qualityRoutes = defineRoutes({
  listQuality: {
    method: 'GET',
    path: '/studies/{studyId}/quality',
    access: 'user',
    operation: 'analytics.read',
    tag: 'Data quality',
    summary: 'Get the data quality of every subject of a study',
    description:
      'Counts and sums over stored days, in the whole and per week from Monday to Sunday. Days begin with the program of the subject, or with its first data, and end with the last complete day or the program. Test subjects are excluded; hidden subjects count and are never at risk. At most 366 days, which is the default. The targets are in the definition of the study. A page holds as many subjects as a page of List subjects, test subjects among them.',
    order: 'that of List subjects',
    params: idParams.study,
    query: dateWindow.extend(pageQuery),
    status: 200,
    response: pageOf(subjectQuality),
  },
  listFaults: {
    method: 'GET',
    path: '/studies/{studyId}/faults',
    access: 'user',
    operation: 'equipment.read',
    tag: 'Data quality',
    summary: 'List the faults of a study',
    description: 'All faults that devices and files reported, of every subject.',
    order: ['faultTs', 'id'],
    params: idParams.study,
    query: z.object({ ...pageQuery, newest: newestFirst, subjectId: id.optional() }),
    status: 200,
    response: pageOf(studyFault),
  },
  listDailyValues: {
    method: 'GET',
    path: '/studies/{studyId}/daily_values',
    access: 'user',
    operation: 'analytics.read',
    tag: 'Data quality',
    summary: 'Get chosen daily metrics of every subject of a study',
    description:
      'One item per subject with its analysed days. Test and hidden subjects are included. Of a subject who withdrew, only days whose data may be used are given: none, or those until the withdrawal. At most 366 days, which is the default. A page holds as many subjects as a page of List subjects.',
    order: 'that of List subjects, then date',
    params: idParams.study,
    query: dateWindow.extend({
      name: repeatedParameter(z.string().min(1).max(100))
        .optional()
        .meta({
          description: `Names of metrics, at most ${MOST_BOARD_METRICS}. Default: those of the board of the study.`,
        }),
      ...pageQuery,
    }),
    status: 200,
    response: pageOf(subjectValues),
  },
  getBoard: {
    method: 'GET',
    path: '/studies/{studyId}/board',
    access: 'user',
    operation: 'study.read',
    tag: 'Data quality',
    summary: 'Get the board of a study',
    description: 'Which metrics its people look at together, over how many days, and by what they are compared.',
    params: idParams.study,
    status: 200,
    response: board,
  },
  putBoard: {
    method: 'PUT',
    path: '/studies/{studyId}/board',
    access: 'user',
    operation: 'board.save',
    tag: 'Data quality',
    summary: 'Save the board of a study',
    description: 'For everybody in the study. It changes no data, so it may be saved in a locked study too.',
    params: idParams.study,
    body: z.object(boardMembers),
    status: 204,
  },
});
