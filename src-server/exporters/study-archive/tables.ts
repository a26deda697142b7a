/**
 * The tables of a study archive: one CSV each, with columns named like the fields of the API. The class of a column decides what
 * a de-identified archive discloses of it.
 */

import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import { type CsvValue, csvRow, quotedCell } from '../../csv-row.ts';
import type {
  AnnotationRecord,
  DataQueryRecord,
  DataQueryStepRecord,
  DayRecord,
  EquipmentRecord,
  FaultRecord,
  NoteRecord,
  RecordingRecord,
  StudyDetailRecord,
  SubjectRecord,
} from '../../db/index.ts';
import { METRICS_HEADER, metricsCells } from '../../stored-analytics/csv.ts';
import type { DayClock } from '../../study/day-windows.ts';
import type { QualityWeek } from '../../study/quality.ts';
import { QUESTIONNAIRES } from '../../study/questionnaires/library.ts';
import type { Score } from '../../study/questionnaires/score.ts';
import { MAX_CLOCK_ERROR_MS } from '../../study/task-reports.ts';
import { type AnalysisParameters, CUT_POINT_IDS, NON_WEAR_IDS } from '../../vocabulary/analysis-parameters.ts';
import { NOTE_KINDS } from '../../vocabulary/notes.ts';
import { TASK_GUIDES } from '../../vocabulary/problems.ts';
import type { QualityTargets } from '../../vocabulary/quality.ts';
import { QUERY_STATES, QUERY_STEPS, QUERY_TARGETS } from '../../vocabulary/queries.ts';
import {
  ALGORITHM_VERSION,
  codeOf,
  DATE,
  DEFINITION,
  type Disclosure,
  idOf,
  LABEL,
  listOf,
  MEASURE,
  TEXT,
  TIME_MS,
  ZONE,
} from '../study-export/disclosure.ts';
import { type ExportColumn, type ExportView, offsetAt } from '../study-export/export-view.ts';
import {
  ANNOTATION_TYPES,
  CLOCK_STATES,
  EQUIPMENT_STATES,
  EQUIPMENT_TYPES,
  FAULT_FLAGS,
  FAULT_TYPES,
  GENDERS,
  HANDS,
  LIFECYCLES,
  QUESTION_TYPES,
  RECORDING_STATES,
  TASK_MODES,
  TASK_TYPES,
} from '../study-export/known-codes.ts';
import { PARTICIPATION_COLUMNS } from '../study-export/participation.ts';
import { CHANNEL_TYPE, LOCATION, SENSOR_CONFIG, SIDE, SIGNAL } from '../study-export/signal-disclosure.ts';
import type { SubjectFrame } from '../study-export/subject-frame.ts';
import type { ExportedSubject } from '../study-export/subjects.ts';
import type { TableColumns } from '../study-export/table-columns.ts';
import { type TypedColumn, typeOfColumn, typesOfUnits } from './column-types.ts';

/** The columns of a table for one kind of export. */
export class Table<T> {
  readonly #view: ExportView;
  readonly #columns: readonly ExportColumn<T>[];

  constructor(columns: TableColumns<T>, view: ExportView) {
    this.#view = view;
    this.#columns = view.columns(columns.map(([name, shows, value]) => ({ name, shows, value })));
  }

  /** The types of its columns, for a file of that name. */
  types(file: string): TypedColumn[] {
    return this.#columns.map(({ name, shows }) => ({ file, column: name, type: typeOfColumn(name, shows) }));
  }

  get header(): string {
    return csvRow(this.#columns.map(({ name }) => name));
  }

  /** @param frame of the row's subject; null for a row without one */
  row(row: T, frame: SubjectFrame | null): string {
    return csvRow(this.#view.cells(this.#columns, row, frame).map(cellOf));
  }
}

/** Joins several values of one cell with spaces; objects as JSON. */
function cellOf(value: unknown): CsvValue {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as CsvValue);
}

export const STUDY: TableColumns<StudyDetailRecord> = [
  ['id', idOf('study'), (study) => study.id],
  ['accountId', TEXT, (study) => study.accountId],
  ['displayName', (study, view) => codeOf(new Set(), view.id('study', study.id)), (study) => study.displayName],
  ['title', TEXT, (study) => study.title],
  ['lifecycleState', codeOf(LIFECYCLES), (study) => study.lifecycleState],
  ['isArchived', MEASURE, (study) => study.isArchived],
  ['createdTs', TIME_MS, (study) => study.createdTs],
  ['startedTs', TIME_MS, (study) => study.startedTs],
  ['stoppedTs', TIME_MS, (study) => study.stoppedTs],
  ['definitionVersion', MEASURE, (study) => study.definitionVersion],
  ['programDays', MEASURE, (study) => study.program?.days],
];

type Task = StudyDetailRecord['activities'][number];

/** Days of the program on which a task is due, such as `daily` or `0 2 5`. */
export const programDaysOf = (study: StudyDetailRecord, { id }: Task): string => {
  const entries = study.program?.tasks.filter(({ taskId }) => taskId === id) ?? [];
  return entries.map(({ days }) => (days === 'daily' ? days : days.join(' '))).join('; ');
};

export const TASKS: TableColumns<Task & { programDays: string }> = [
  ['id', idOf('task'), (task) => task.id],
  ['type', codeOf(TASK_TYPES), (task) => task.type],
  ['displayName', DEFINITION, (task) => task.displayName],
  ['mode', codeOf(TASK_MODES), (task) => task.mode],
  ['order', MEASURE, (task) => task.order],
  ['durationSec', MEASURE, (task) => task.durationSec],
  ['instructions', TEXT, (task) => task.instructions],
  ['guide', codeOf(new Set(TASK_GUIDES)), (task) => task.guide],
  ['programDays', codeOf(/^(?:daily|[\d; ])*$/), (task) => task.programDays],
  ['createdTs', TIME_MS, (task) => task.createdTs],
  ['modifiedTs', TIME_MS, (task) => task.modifiedTs],
];

type Question = Task['questions'][number] & { taskId: string; shownShowIfValues: readonly string[] | undefined };

export const questions = (view: ExportView): TableColumns<Question> => [
  ['id', idOf('question'), (question) => question.id],
  ['taskId', idOf('task'), (question) => question.taskId],
  ['text', DEFINITION, (question) => question.text],
  ['type', codeOf(QUESTION_TYPES), (question) => question.type],
  [
    'values',
    (question) => codeOf(new Set([JSON.stringify(view.choices(question))])),
    (question) => JSON.stringify(view.choices(question)),
  ],
  ['unit', DEFINITION, (question) => question.unit],
  ['isMultiple', MEASURE, ({ type, isMultiple }) => (type === 'MULTIPLECHOICE' ? isMultiple !== false : undefined)],
  ['isRequired', MEASURE, (question) => question.isRequired === true],
  ['showIfQuestionId', idOf('question'), (question) => question.showIf?.questionId],
  [
    'showIfValues',
    (question) => codeOf(new Set([JSON.stringify(question.shownShowIfValues)])),
    ({ shownShowIfValues }) => shownShowIfValues && JSON.stringify(shownShowIfValues),
  ],
];

export const DEVICE_CONFIGS: TableColumns<StudyDetailRecord['deviceConfigs'][number]> = [
  ['id', idOf('deviceConfig'), (config) => config.id],
  ['mode', codeOf(TASK_MODES), (config) => config.mode],
  ['location', LOCATION, (config) => config.physicalConfig.location],
  ['side', SIDE, (config) => config.physicalConfig.side],
  ['signal', SIGNAL, (config) => config.physicalConfig.signal],
  ['sensorConfig', SENSOR_CONFIG, (config) => config.sensorConfig],
];

/** Class of the values of a custom field; free-text fields are excluded earlier. */
function fieldDisclosure({ type, values }: StudyDetailRecord['metadataFields'][number]): Disclosure {
  if (type === 'NUMBER') return MEASURE;
  return type === 'FREETEXT' ? TEXT : codeOf(new Set(values));
}

/** Custom fields of the study follow the fixed columns, each under its name. */
export const subjects = (view: ExportView): TableColumns<ExportedSubject> => [
  ['id', idOf('subject'), (subject) => subject.id],
  ['displayName', (subject) => codeOf(new Set(), view.id('subject', subject.id)), (subject) => subject.displayName],
  ['age', { kind: 'age' }, (subject) => subject.age],
  ['gender', codeOf(GENDERS), (subject) => subject.gender],
  ['height', MEASURE, (subject) => subject.height],
  ['weight', MEASURE, (subject) => subject.weight],
  ['dominantHand', codeOf(HANDS), (subject) => subject.dominantHand],
  ['timezone', ZONE, (subject) => subject.timezone],
  ['isHidden', MEASURE, (subject) => subject.isHidden],
  ['createdTs', TIME_MS, (subject) => subject.createdTs],
  ['programStartTs', TIME_MS, (subject) => subject.programStartTs],
  ...PARTICIPATION_COLUMNS,
  ...view
    .metadataFields()
    .map(
      (field) =>
        [
          `metadata: ${field.displayName}`,
          fieldDisclosure(field),
          (subject: SubjectRecord) =>
            subject.metadataFields.find(({ displayName }) => displayName === field.displayName)?.value,
        ] as const,
    ),
];

export const EQUIPMENT: TableColumns<EquipmentRecord & { subjectId: string }> = [
  ['subjectId', idOf('subject'), (item) => item.subjectId],
  ['id', idOf('equipment'), (item) => item.id],
  ['type', codeOf(EQUIPMENT_TYPES), (item) => item.type],
  ['state', codeOf(EQUIPMENT_STATES), (item) => item.state],
  ['displayName', TEXT, (item) => item.displayName],
  ['udid', idOf('equipment'), (item) => item.udid],
];

/** A record and the clock of its subject. */
type Clocked<T> = T & { clock: DayClock };

export const FAULTS: TableColumns<Clocked<FaultRecord>> = [
  ['subjectId', idOf('subject'), (fault) => fault.subjectId],
  ['equipmentId', idOf('equipment'), (fault) => fault.equipmentId],
  ['recordingId', idOf('recording'), (fault) => fault.recordingId],
  ['faultTs', TIME_MS, (fault) => fault.faultTs],
  ['faultType', codeOf(FAULT_TYPES, 'OTHER'), (fault) => fault.faultType],
  ['faultFlag', codeOf(FAULT_FLAGS, 'OTHER'), (fault) => fault.faultFlag],
  ['sensorId', idOf('equipment'), (fault) => fault.sensorId],
  ['sensorFirmwareId', TEXT, (fault) => fault.sensorFirmwareId],
  ['mobileAppVersion', TEXT, (fault) => fault.mobileAppVersion],
  ['createdTs', TIME_MS, (fault) => fault.createdTs],
  ['utcOffset', ZONE, (fault) => offsetAt(fault.faultTs, fault.clock)],
  ['id', idOf('annotation'), (fault) => fault.id],
];

export const RECORDINGS: TableColumns<Clocked<RecordingRecord>> = [
  ['id', idOf('recording'), (recording) => recording.id],
  ['subjectId', idOf('subject'), (recording) => recording.subjectId],
  ['deviceConfigId', idOf('deviceConfig'), (recording) => recording.deviceConfigId],
  // A sensor's recording number may be a time stamp.
  ['recordingId', TEXT, (recording) => recording.recordingId],
  ['recordingStartTs', TIME_MS, (recording) => Math.floor(recording.startUs / 1000)],
  ['recordingStopTs', TIME_MS, (recording) => Math.floor(recording.stopUs / 1000)],
  ['uploadStartTs', TIME_MS, (recording) => recording.uploadStartTs],
  ['udid', idOf('equipment'), (recording) => recording.udid],
  ['hardwareId', TEXT, (recording) => recording.hardwareId],
  ['firmwareId', TEXT, (recording) => recording.firmwareId],
  ['location', LOCATION, (recording) => recording.physicalConfig.location],
  ['side', SIDE, (recording) => recording.physicalConfig.side],
  ['signal', SIGNAL, (recording) => recording.physicalConfig.signal],
  ['channels', listOf(CHANNEL_TYPE), (recording) => recording.channels.map(({ type }) => type)],
  ['samples', listOf(MEASURE), (recording) => recording.sampleCounts],
  ['status', codeOf(RECORDING_STATES), (recording) => recording.status],
  ['sha256', TEXT, (recording) => recording.sha256],
  ['utcOffset', ZONE, (recording) => offsetAt(recording.startUs / 1000, recording.clock)],
];

/** A phone that lost its clock begins at a known date, and then the offset tells the true date. */
const CLOCK_OFFSET: Disclosure = { kind: 'measure', most: MAX_CLOCK_ERROR_MS };

export const ANNOTATIONS: TableColumns<Clocked<AnnotationRecord>> = [
  ['id', idOf('annotation'), (annotation) => annotation.id],
  ['subjectId', idOf('subject'), (annotation) => annotation.subjectId],
  ['type', codeOf(ANNOTATION_TYPES), (annotation) => annotation.type],
  [
    'displayName',
    ({ type }) => (type === 'recording' || type === 'subject' ? LABEL : DEFINITION),
    (annotation) => annotation.displayName,
  ],
  ['value', (annotation, view) => view.valueOf(annotation), (annotation) => annotation.value],
  ['unit', DEFINITION, (annotation) => annotation.unit],
  ['startTs', TIME_MS, (annotation) => annotation.startTs],
  ['stopTs', TIME_MS, (annotation) => annotation.stopTs],
  ['createdTs', TIME_MS, (annotation) => annotation.createdTs],
  [
    'authorId',
    // A subject is the author of its own reports, under the same code as elsewhere.
    ({ authorId, subjectId }) => idOf(authorId === subjectId ? 'subject' : 'person'),
    (annotation) => annotation.authorId,
  ],
  [
    'taskId',
    idOf('task'),
    (annotation) => (annotation.type === 'question' ? annotation.event?.relationshipId : annotation.event?.id),
  ],
  ['questionId', idOf('question'), (annotation) => (annotation.type === 'question' ? annotation.event?.id : undefined)],
  ['parentId', idOf('annotation'), (annotation) => annotation.parentId],
  ['recordingId', idOf('recording'), (annotation) => annotation.recordingId],
  ['utcOffset', ZONE, (annotation) => offsetAt(annotation.startTs, annotation.clock)],
  ['intendedTs', TIME_MS, (annotation) => annotation.intendedTs],
  ['openedTs', TIME_MS, (annotation) => annotation.openedTs],
  ['completedTs', TIME_MS, (annotation) => annotation.completedTs],
  ['reportedTs', TIME_MS, (annotation) => annotation.reportedTs],
  ['skippedQuestionIds', listOf(idOf('question')), ({ skipped }) => skipped?.map(({ questionId }) => questionId)],
  ['clockOffsetMs', CLOCK_OFFSET, (annotation) => annotation.phoneClock?.offsetMs],
  ['clockUncertaintyMs', MEASURE, (annotation) => annotation.phoneClock?.uncertaintyMs],
  ['clockState', codeOf(CLOCK_STATES), (annotation) => annotation.phoneClock?.state],
];

/** A score with the report that it was computed from. */
export interface ScoreRow extends Score {
  report: Pick<AnnotationRecord, 'id' | 'subjectId' | 'startTs' | 'event'>;
}

export const SCORES: TableColumns<ScoreRow> = [
  ['subjectId', idOf('subject'), ({ report }) => report.subjectId],
  ['annotationId', idOf('annotation'), ({ report }) => report.id],
  ['taskId', idOf('task'), ({ report }) => report.event?.id],
  ['startTs', TIME_MS, ({ report }) => report.startTs],
  ['questionnaire', codeOf(new Set(QUESTIONNAIRES.map(({ id }) => id))), (score) => score.questionnaireId],
  ['score', MEASURE, (score) => score.value],
  ['min', MEASURE, (score) => score.min],
  ['max', MEASURE, (score) => score.max],
  ['answered', MEASURE, (score) => score.answered],
  ['items', MEASURE, (score) => score.items],
  [
    'licence',
    codeOf(new Set(QUESTIONNAIRES.map(({ licence }) => licence))),
    ({ questionnaireId }) => licenceOf(questionnaireId),
  ],
];

const licenceOf = (id: string) => QUESTIONNAIRES.find((one) => one.id === id)?.licence;

const CUT_POINTS = codeOf(new Set<string>(CUT_POINT_IDS));
const NON_WEAR = codeOf(new Set<string>(NON_WEAR_IDS));

/** With what each day was computed: the chosen parameters, and how acceleration was calibrated and classified. */
export const ANALYSIS_METHODS: TableColumns<DayRecord & { chosen: AnalysisParameters }> = [
  ['subjectId', idOf('subject'), (day) => day.subjectId],
  ['DATE', DATE, (day) => day.date],
  ['algorithmVersion', ALGORITHM_VERSION, (day) => day.algorithmVersion],
  ['inputsHash', TEXT, (day) => day.inputsHash],
  ['site', codeOf(new Set(['wrist', 'waist'])), ({ epochMethod }) => epochMethod?.site],
  ['cutPoints', CUT_POINTS, ({ epochMethod }) => epochMethod?.cutPoints],
  ['nonWear', NON_WEAR, ({ epochMethod }) => epochMethod?.nonWear],
  [
    'calibrationFault',
    codeOf(new Set(['TOO_FEW_WINDOWS', 'SPHERE_NOT_COVERED', 'NO_IMPROVEMENT'])),
    ({ epochMethod }) => epochMethod?.calibration.fault,
  ],
  ['chosenWristCutPoints', CUT_POINTS, ({ chosen }) => chosen.cutPoints.wrist],
  ['chosenWaistCutPoints', CUT_POINTS, ({ chosen }) => chosen.cutPoints.waist],
  ['chosenNonWear', NON_WEAR, ({ chosen }) => chosen.nonWear],
  ['pauseSeconds', MEASURE, ({ chosen }) => chosen.rhythm.pauseSeconds],
  ['bradycardiaBpm', MEASURE, ({ chosen }) => chosen.rhythm.bradycardiaBpm],
  ['tachycardiaBpm', MEASURE, ({ chosen }) => chosen.rhythm.tachycardiaBpm],
  ['episodeSeconds', MEASURE, ({ chosen }) => chosen.rhythm.episodeSeconds],
];

/** The data quality of a subject per week, beside the targets of the study; no value where there is no target. */
export const DATA_QUALITY: TableColumns<QualityWeek & { subjectId: string; targets: QualityTargets }> = [
  ['subjectId', idOf('subject'), (week) => week.subjectId],
  ['DATE', DATE, (week) => week.week],
  ['expectedDays', MEASURE, (week) => week.expectedDays],
  ['dataDays', MEASURE, (week) => week.dataDays],
  ['validDays', MEASURE, (week) => week.validDays],
  ['wearSeconds', MEASURE, (week) => week.wearSeconds],
  ['signalSeconds', MEASURE, (week) => week.signalSeconds],
  ['readableSeconds', MEASURE, (week) => week.readableSeconds],
  ['tasksAssigned', MEASURE, (week) => week.tasksAssigned],
  ['tasksCompleted', MEASURE, (week) => week.tasksCompleted],
  ['targetWearHours', MEASURE, ({ targets }) => targets.wearHours],
  ['targetValidDays', MEASURE, ({ targets }) => targets.validDays],
  ['targetReadablePercent', MEASURE, ({ targets }) => targets.readablePercent],
  ['targetTaskPercent', MEASURE, ({ targets }) => targets.taskPercent],
];

/** Notes and calls of staff, as they are now; written only where there are any. */
export const NOTES: TableColumns<NoteRecord> = [
  ['id', idOf('note'), (note) => note.id],
  ['subjectId', idOf('subject'), (note) => note.subjectId],
  ['kind', codeOf(new Set<string>(NOTE_KINDS)), (note) => note.kind],
  ['isReached', MEASURE, (note) => note.isReached],
  ['body', TEXT, (note) => note.body],
  ['authorId', idOf('person'), (note) => note.authorId],
  ['createdTs', TIME_MS, (note) => note.createdTs],
  ['version', MEASURE, (note) => note.version],
  ['editedBy', idOf('person'), (note) => note.editorId],
  ['editedTs', TIME_MS, (note) => note.editedTs],
  ['followUpDate', DATE, (note) => note.followUpDate],
  ['assigneeId', idOf('person'), (note) => note.assigneeId],
  ['followUpDoneTs', TIME_MS, (note) => note.followUpDoneTs],
  ['followUpDoneBy', idOf('person'), (note) => note.followUpDoneBy],
  ['withdrawnTs', TIME_MS, (note) => note.withdrawnTs],
  ['withdrawnBy', idOf('person'), (note) => note.withdrawnBy],
  ['withdrawnReason', TEXT, (note) => note.withdrawnReason],
];

const QUERY_STATE = codeOf(new Set<string>(QUERY_STATES));

/** Data queries as they are now; written only where there are any. */
export const QUERIES: TableColumns<DataQueryRecord> = [
  ['id', idOf('query'), (query) => query.id],
  ['subjectId', idOf('subject'), (query) => query.subjectId],
  ['target', codeOf(new Set<string>(QUERY_TARGETS)), (query) => query.target],
  ['recordingId', idOf('recording'), (query) => (query.target === 'RECORDING' ? query.targetId : undefined)],
  ['annotationId', idOf('annotation'), (query) => (query.target === 'RECORDING' ? undefined : query.targetId)],
  ['DATE', DATE, (query) => query.date],
  ['metric', codeOf(new Set<string>(METRIC_NAMES.map(({ name }) => name))), (query) => query.metric],
  ['state', QUERY_STATE, (query) => query.state],
  ['stateTs', TIME_MS, (query) => query.stateTs],
  ['openedBy', idOf('person'), (query) => query.openedBy],
  ['openedTs', TIME_MS, (query) => query.openedTs],
  ['assigneeId', idOf('person'), (query) => query.assigneeId],
];

/** Each step of each query. */
export const QUERY_STEPS_TABLE: TableColumns<DataQueryStepRecord> = [
  ['queryId', idOf('query'), (step) => step.queryId],
  ['position', MEASURE, (step) => step.position],
  ['kind', codeOf(new Set<string>(QUERY_STEPS)), (step) => step.kind],
  ['state', QUERY_STATE, (step) => step.state],
  ['text', TEXT, (step) => step.text],
  ['authorId', idOf('person'), (step) => step.authorId],
  ['createdTs', TIME_MS, (step) => step.createdTs],
  ['assigneeId', idOf('person'), (step) => step.assigneeId],
];

/** Types of the columns of {@link DAILY_METRICS_HEADER}. */
export const dailyMetricsTypes = (file: string): TypedColumn[] => [
  { file, column: 'subjectId', type: 'text' },
  { file, column: 'subject', type: 'text' },
  ...typesOfUnits(file, METRICS_HEADER),
  { file, column: 'algorithmVersion', type: 'code' },
];

/** The columns of the metrics download, preceded by the subject and followed by the algorithm version. */
export const DAILY_METRICS_HEADER = `subjectId,subject,${METRICS_HEADER.join(',')},algorithmVersion\n`;

/** @param zones time zones of the subject, which define the days of metrics */
export function dailyMetricsRow(
  view: ExportView,
  subject: Pick<SubjectRecord, 'id' | 'displayName'>,
  day: DayRecord,
  zones: DayClock,
  frame: SubjectFrame,
): string {
  const id = view.id('subject', subject.id);
  const name = view.isDeidentified ? id : subject.displayName;
  const shown = { date: view.show(DATE, day.date, frame) as string, metrics: view.metrics(day, zones, frame) };
  const version = String(view.show(ALGORITHM_VERSION, day.algorithmVersion, frame) ?? '');
  const cells = [...metricsCells(shown), quotedCell(version)];
  return csvRow([id, name]).replace(/\n$/, `,${cells.join(',')}\n`);
}

/** Definitions of all daily metrics. */
export function metricDictionary(): string {
  const rows = METRIC_NAMES.map(({ name, unit, state, definition, minimumData }) =>
    csvRow([name, unit, state, definition, minimumData]),
  );
  return [csvRow(['metric', 'unit', 'state', 'definition', 'minimumData']), ...rows].join('');
}
