/** The tables of a study archive: one CSV each, columns named as the interface names the fields. */
import { METRIC_NAMES } from '../../analytics/metric-names.ts';
import type { DayRecord, EquipmentRecord, StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import { METRICS_HEADER, metricsCells } from '../analytics/csv.ts';
import { type CsvValue, csvRow, quotedCell } from '../csv-row.ts';
import type { RecordView } from '../study-export/record-view.ts';

/** A table's columns: the name and what stands in it. */
type Columns<T> = readonly (readonly [name: string, value: (row: T) => CsvValue])[];

/** Header row of a table. */
export const headerOf = <T>(columns: Columns<T>): string => csvRow(columns.map(([name]) => name));

/** One row of a table. */
export const rowOf = <T>(columns: Columns<T>, row: T): string => csvRow(columns.map(([, value]) => value(row)));

export const STUDY: Columns<ReturnType<RecordView['study']>> = [
  ['id', (study) => study.id],
  ['accountId', (study) => study.accountId],
  ['displayName', (study) => study.displayName],
  ['title', (study) => study.title],
  ['lifecycleState', (study) => study.lifecycleState],
  ['isArchived', (study) => study.isArchived],
  ['createdTs', (study) => study.createdTs],
  ['startedTs', (study) => study.startedTs],
  ['stoppedTs', (study) => study.stoppedTs],
  ['definitionVersion', (study) => study.definitionVersion],
  ['programDays', (study) => study.program?.days],
];

type Task = StudyDetailRecord['activities'][number];
/** A row and, where its ids may be codes, what it is made of. */
type ShownTask = ReturnType<RecordView['task']> & { programDays: string };

/** Days of the program on which a task is due, such as `daily` or `0 2 5`. */
export const programDaysOf = (study: StudyDetailRecord, { id }: Task): string => {
  const entries = study.program?.tasks.filter(({ taskId }) => taskId === id) ?? [];
  return entries.map(({ days }) => (days === 'daily' ? days : days.join(' '))).join('; ');
};

export const TASKS: Columns<ShownTask> = [
  ['id', (task) => task.id],
  ['type', (task) => task.type],
  ['displayName', (task) => task.displayName],
  ['mode', (task) => task.mode],
  ['order', (task) => task.order],
  ['durationSec', (task) => task.durationSec],
  ['instructions', (task) => task.instructions],
  ['programDays', (task) => task.programDays],
  ['createdTs', (task) => task.createdTs],
  ['modifiedTs', (task) => task.modifiedTs],
];

export const QUESTIONS: Columns<Task['questions'][number] & { taskId: string }> = [
  ['id', (question) => question.id],
  ['taskId', (question) => question.taskId],
  ['text', (question) => question.text],
  ['type', (question) => question.type],
  ['values', (question) => JSON.stringify(question.values)],
];

export const DEVICE_CONFIGS: Columns<StudyDetailRecord['deviceConfigs'][number]> = [
  ['id', (config) => config.id],
  ['mode', (config) => config.mode],
  ['location', (config) => config.physicalConfig.location],
  ['side', (config) => config.physicalConfig.side],
  ['signal', (config) => config.physicalConfig.signal],
  ['sensorConfig', (config) => JSON.stringify(config.sensorConfig)],
];

/** A study's own fields follow the fixed ones, each under its name. */
export const subjects = (fields: StudyDetailRecord['metadataFields']): Columns<SubjectRecord> => [
  ['id', (subject) => subject.id],
  ['displayName', (subject) => subject.displayName],
  ['age', (subject) => subject.age],
  ['gender', (subject) => subject.gender],
  ['height', (subject) => subject.height],
  ['weight', (subject) => subject.weight],
  ['dominantHand', (subject) => subject.dominantHand],
  ['timezone', (subject) => subject.timezone],
  ['isHidden', (subject) => subject.isHidden],
  ['createdTs', (subject) => subject.createdTs],
  ['programStartTs', (subject) => subject.programStartTs],
  ...fields.map(
    ({ displayName }) =>
      [
        `metadata: ${displayName}`,
        (subject: SubjectRecord) => subject.metadataFields.find((field) => field.displayName === displayName)?.value,
      ] as const,
  ),
];

export const EQUIPMENT: Columns<EquipmentRecord & { subjectId: string }> = [
  ['subjectId', (item) => item.subjectId],
  ['id', (item) => item.id],
  ['type', (item) => item.type],
  ['state', (item) => item.state],
  ['displayName', (item) => item.displayName],
  ['udid', (item) => item.udid],
];

export const FAULTS: Columns<ReturnType<RecordView['fault']>> = [
  ['subjectId', (fault) => fault.subjectId],
  ['equipmentId', (fault) => fault.equipmentId],
  ['recordingId', (fault) => fault.recordingId],
  ['faultTs', (fault) => fault.faultTs],
  ['faultType', (fault) => fault.faultType],
  ['faultFlag', (fault) => fault.faultFlag],
  ['sensorId', (fault) => fault.sensorId],
  ['sensorFirmwareId', (fault) => fault.sensorFirmwareId],
  ['mobileAppVersion', (fault) => fault.mobileAppVersion],
  ['createdTs', (fault) => fault.createdTs],
  ['utcOffset', (fault) => fault.utcOffset],
  ['id', (fault) => fault.id],
];

export const RECORDINGS: Columns<ReturnType<RecordView['recording']>> = [
  ['id', (recording) => recording.id],
  ['subjectId', (recording) => recording.subjectId],
  ['deviceConfigId', (recording) => recording.deviceConfigId],
  ['recordingId', (recording) => recording.recordingId],
  ['recordingStartTs', (recording) => Math.floor(recording.startUs / 1000)],
  ['recordingStopTs', (recording) => Math.floor(recording.stopUs / 1000)],
  ['uploadStartTs', (recording) => recording.uploadStartTs],
  ['udid', (recording) => recording.udid],
  ['hardwareId', (recording) => recording.hardwareId],
  ['firmwareId', (recording) => recording.firmwareId],
  ['location', (recording) => recording.physicalConfig.location],
  ['side', (recording) => recording.physicalConfig.side],
  ['signal', (recording) => recording.physicalConfig.signal],
  ['channels', (recording) => recording.channels.map(({ type }) => type).join(' ')],
  ['samples', (recording) => recording.sampleCounts.join(' ')],
  ['status', (recording) => recording.status],
  ['sha256', (recording) => recording.sha256],
  ['utcOffset', (recording) => recording.utcOffset],
];

export const ANNOTATIONS: Columns<ReturnType<RecordView['annotation']>> = [
  ['id', (annotation) => annotation.id],
  ['subjectId', (annotation) => annotation.subjectId],
  ['type', (annotation) => annotation.type],
  ['displayName', (annotation) => annotation.displayName],
  ['value', (annotation) => annotation.value],
  ['startTs', (annotation) => annotation.startTs],
  ['stopTs', (annotation) => annotation.stopTs],
  ['createdTs', (annotation) => annotation.createdTs],
  ['authorId', (annotation) => annotation.authorId],
  [
    'taskId',
    (annotation) => (annotation.type === 'question' ? annotation.event?.relationshipId : annotation.event?.id),
  ],
  ['questionId', (annotation) => (annotation.type === 'question' ? annotation.event?.id : undefined)],
  ['parentId', (annotation) => annotation.parentId],
  ['recordingId', (annotation) => annotation.recordingId],
  ['utcOffset', (annotation) => annotation.utcOffset],
];

/** The cells of the metrics download after the subject they belong to, and the version of the algorithms behind them. */
export const DAILY_METRICS_HEADER = `subjectId,subject,${METRICS_HEADER.join(',')},algorithmVersion\n`;

export function dailyMetricsRow(
  subject: Pick<SubjectRecord, 'id' | 'displayName'>,
  day: Pick<DayRecord, 'date' | 'metrics' | 'algorithmVersion'>,
): string {
  return csvRow([subject.id, subject.displayName]).replace(
    /\n$/,
    `,${[...metricsCells(day), quotedCell(day.algorithmVersion)].join(',')}\n`,
  );
}

/** What every column of the daily metrics means. */
export function metricDictionary(): string {
  const rows = METRIC_NAMES.map(({ name, unit, state, definition, minimumData }) =>
    csvRow([name, unit, state, definition, minimumData]),
  );
  return [csvRow(['metric', 'unit', 'state', 'definition', 'minimumData']), ...rows].join('');
}
