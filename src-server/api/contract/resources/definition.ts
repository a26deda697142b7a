/** The definition of a study: activities, diaries, device configurations, program, metadata fields. */
import { z } from 'zod';
import { TASK_GUIDES } from '../../../vocabulary/problems.ts';
import { LONGEST_NAME, LONGEST_QUESTION, LONGEST_UNIT } from '../../../vocabulary/study.ts';
import { count, id, nameText, timestamp } from '../common.ts';
import { analysisParameters } from './analysis-parameters.ts';
import { csvTemplates } from './csv-mapping.ts';
import { qualityTargets } from './quality-targets.ts';

export const physicalConfig = z
  .strictObject({ location: z.string(), side: z.string(), signal: z.string().optional() })
  .meta({ id: 'PhysicalConfig' });

/** Open to further members and values: everything that a sensor reports is kept. */
export const sensorConfig = z
  .looseObject({
    sensingType: z.string().meta({ description: 'Empty when the sensor named none.' }),
    afe: z.looseObject({ gain: z.int().optional(), rate: z.number() }).optional(),
    gyro: z
      .looseObject({
        accelLowPower: z.boolean().optional(),
        accelRange: z.number().optional(),
        gyroAutoCalib: z.boolean().optional(),
        mode: z.string().optional(),
        periodMs: z.number().optional(),
      })
      .optional(),
  })
  .meta({ id: 'SensorConfig' });

export const showIf = z
  .strictObject({ questionId: id, values: z.array(z.string()) })
  .meta({ description: 'Ask only after one of these answers to this earlier question of the task.' });

const question = z
  .strictObject({
    id,
    createdTs: timestamp,
    text: z.string(),
    type: z.string(),
    values: z.array(z.string()),
    unit: z.string().optional().meta({ description: 'NUMERIC: the unit of the number.' }),
    isMultiple: z
      .boolean()
      .optional()
      .meta({ description: 'MULTIPLECHOICE: false for one choice only; absent: several.' }),
    isRequired: z
      .boolean()
      .optional()
      .meta({ description: 'The phone asks once more before it is skipped. It may be skipped.' }),
    showIf: showIf.optional(),
  })
  .meta({ id: 'Question' });

const guide = z.enum(TASK_GUIDES).meta({
  description:
    'The phone guides the subject through it itself. POSTURE_CALIBRATION: its marks label the postures in the signal.',
});

const task = {
  id,
  accountId: id,
  studyId: id,
  displayName: z.string(),
  createdTs: timestamp,
  modifiedTs: timestamp,
  mode: z.string(),
  order: z.int(),
  pipelineIds: z.array(id),
  questions: z.array(question),
};
export const activity = z
  .strictObject({ ...task, durationSec: count, instructions: z.string(), guide: guide.optional() })
  .meta({ id: 'Activity' });
export const diary = z.strictObject(task).meta({ id: 'Diary' });

export const deviceConfig = z
  .strictObject({
    id,
    accountId: id,
    studyId: id,
    createdTs: timestamp,
    modifiedTs: timestamp,
    mode: z.string(),
    pipelineIds: z.array(id),
    sourceId: id.optional(),
    physicalConfig,
    sensorConfig,
  })
  .meta({ id: 'DeviceConfig' });

const METADATA_FIELD_TYPES = ['MULTIPLECHOICE', 'FREETEXT', 'NUMBER', 'BOOLEAN'] as const;
export const subjectMetadataField = z
  .strictObject({ displayName: z.string(), type: z.enum(METADATA_FIELD_TYPES), values: z.array(z.string()) })
  .meta({ id: 'SubjectMetadataField' });

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a local time of day, hh:mm' });
const programTask = z
  .strictObject({
    taskId: id,
    type: z.enum(['activity', 'diary']),
    days: z.union([z.literal('daily'), z.array(count)]),
    window: z.strictObject({ start: timeOfDay, end: timeOfDay }).optional(),
  })
  .meta({ id: 'ProgramTask' });
export const program = z.strictObject({ id, days: count, tasks: z.array(programTask) }).meta({
  id: 'Program',
  description: 'Day 0 is the local date of programStartTs of a subject.',
});

export const pipeline = z.strictObject({ id, displayName: z.string(), version: z.string() }).meta({ id: 'Pipeline' });

const displayName = nameText(LONGEST_NAME);
const questionInput = z.object({
  id: z.uuid().optional(),
  text: z.string().trim().min(1).max(LONGEST_QUESTION),
  type: z.string().min(1).max(40),
  values: z.array(z.string().max(LONGEST_NAME)).max(100).default([]),
  unit: z.string().trim().max(LONGEST_UNIT).optional(),
  isMultiple: z.boolean().optional(),
  isRequired: z.boolean().optional(),
  showIf: z
    .object({
      questionId: id.meta({ description: 'An earlier question of the task, a choice or yes/no, that has an id.' }),
      values: z.array(z.string().max(LONGEST_NAME)).min(1).max(100),
    })
    .optional(),
});
const taskInput = {
  id: z.uuid().optional().meta({ description: 'Send the id to keep the record; omit it for a new one.' }),
  displayName,
  mode: z.string().max(40).default('UNSUPERVISED'),
  questions: z.array(questionInput).max(200).default([]),
};

const activityInput = {
  durationSec: count.default(0),
  instructions: z.string().max(10_000).default(''),
  guide: guide.optional(),
};

const METADATA_FIELDS = z
  .array(
    z.object({
      displayName,
      type: z.enum(METADATA_FIELD_TYPES),
      values: z.array(z.string().min(1).max(LONGEST_NAME)).max(200).default([]),
    }),
  )
  .max(100);
const location = z.object({
  location: z.string().min(1).max(60),
  side: z.string().min(1).max(20),
  signal: z.string().max(20).optional(),
});
const scheduledTasks = z
  .array(
    z.object({
      taskId: id.meta({ description: 'Id of an activity or diary of this definition.' }),
      type: z.enum(['activity', 'diary']),
      days: z.union([z.literal('daily'), z.array(count).max(3660)], {
        error: 'must be "daily" or a list of day numbers',
      }),
      window: z.object({ start: timeOfDay, end: timeOfDay }).optional(),
    }),
  )
  .max(1000);
const programDays = z.int().min(1).max(3660);

/** Body of `PUT /studies/{studyId}/definition`. Absent parts stay unchanged. */
export const definitionInput = z.object({
  subjectMetadataFields: METADATA_FIELDS.optional(),
  activities: z
    .array(z.object({ ...taskInput, ...activityInput }))
    .max(500)
    .optional(),
  diaries: z.array(z.object(taskInput)).max(500).optional(),
  deviceConfigs: z
    .array(
      z.object({
        id: z.uuid().optional(),
        mode: z.string().max(40).default('UNSUPERVISED'),
        physicalConfig: location,
        sensorConfig,
      }),
    )
    .max(100)
    .optional(),
  program: z.object({ days: programDays, tasks: scheduledTasks }).optional(),
  csvTemplates: csvTemplates.optional(),
  analysisParameters: analysisParameters.optional(),
  qualityTargets: qualityTargets.optional(),
});
export type DefinitionInput = z.infer<typeof definitionInput>;

const documentId = id.meta({ description: 'Any text; unique in the document.' });
const documentTask = {
  id: documentId,
  displayName,
  mode: taskInput.mode,
  pipelineIds: z.array(id).max(20).default([]),
  questions: z
    .array(questionInput.extend({ id: documentId.optional() }))
    .max(200)
    .default([]),
};

const documentMembers = z.object({
  format: z.literal('outpost-study-definition'),
  formatVersion: z.literal(1),
  subjectMetadataFields: METADATA_FIELDS,
  activities: z.array(z.object({ ...documentTask, ...activityInput })).max(500),
  diaries: z.array(z.object(documentTask)).max(500),
  deviceConfigs: z
    .array(
      z.object({
        id: documentId,
        mode: taskInput.mode,
        pipelineIds: z.array(id).max(20).default([]),
        sourceId: id.optional(),
        physicalConfig: location,
        sensorConfig,
      }),
    )
    .max(100),
  program: z.object({ days: programDays, tasks: scheduledTasks }).optional(),
  csvTemplates: csvTemplates.optional().meta({ description: 'Absent: those of the study stay.' }),
  analysisParameters: analysisParameters.optional().meta({ description: 'Absent: those of the study stay.' }),
  qualityTargets: qualityTargets
    .optional()
    .meta({ description: 'Absent where they are the defaults; in an import: those of the study stay.' }),
});

/** A definition as a file: `GET /studies/{studyId}/definition` returns it, and `POST` to the same address accepts it. */
export const definitionDocument = documentMembers.meta({
  id: 'StudyDefinition',
  description: 'The definition of a study, for safekeeping or for import into another study.',
});

/** JSON Schema (draft 2020-12) of a definition file. */
export function definitionSchema(): Record<string, unknown> {
  return z.toJSONSchema(documentMembers, { io: 'input' });
}
