/**
 * Fills the tables directly with the rows of a long-used site: as many subjects, days and sensors as a scale test needs, within
 * seconds. Rows are inserted in order of time, as a site gets them, and hold what the services would store; a test verifies a
 * filled site. The same size gives the same rows.
 */
import BetterSqlite3 from 'better-sqlite3';
import type { SignalFileSummary } from '../signals/index.ts';
import { fillSummaries } from './fill-summaries.ts';
import { AnalyticsRows } from './full-site/analytics-rows.ts';
import { addDay, type DayContext } from './full-site/day-rows.ts';
import { type FullDatabaseSize, SENSOR_CONFIG, subjectOf, WORN } from './full-site/place.ts';
import { idOf, Rows } from './full-site/rows.ts';
import { plainDays, type SampleDay } from './full-site/sample-days.ts';
import { addAnalysisRuns, addMail, addStudyExport, addWebhook } from './full-site/study-rows.ts';
import { addHeldRecordings, addOldSnooze, addSignature, addSubject } from './full-site/subject-rows.ts';

export type { FullDatabaseSize } from './full-site/place.ts';

export interface FullDatabase {
  subjectIds: string[];
  hubIds: string[];
  sensorIds: string[];
}

export interface FillOptions {
  /** Default: {@link plainDays}. */
  samples?: readonly SampleDay[];
  /** Where signal files are written; without it there are rows only, so only database reads are meaningful. */
  signalsDir?: string;
  /** Files of recordings that are there already. */
  written?: ReadonlyMap<string, SignalFileSummary>;
  onDay?: (day: number) => void;
}

interface StudyParts {
  deviceConfigIds: string[];
  taskIds: DayContext['taskIds'];
  questionIds: DayContext['questionIds'];
}

/** Device configs for the sensors, a diary and a walk with one question each. */
export function addStudyParts(
  rows: Rows,
  { studyId, fromTs }: Pick<FullDatabaseSize, 'studyId' | 'fromTs'>,
): StudyParts {
  const stamp = { createdTs: fromTs, modifiedTs: fromTs };
  const deviceConfigIds = WORN.map(({ physicalConfig }, index) => {
    const id = idOf(fromTs, 'config', studyId, index);
    rows.insert('deviceConfig', {
      id,
      studyId,
      mode: 'UNSUPERVISED',
      position: 90 + index,
      pipelineIds: '[]',
      physicalConfig: JSON.stringify(physicalConfig),
      sensorConfig: JSON.stringify(SENSOR_CONFIG),
      ...stamp,
    });
    return id;
  });
  const task = (type: 'diary' | 'activity', displayName: string, further: Record<string, string | number>) => {
    const id = idOf(fromTs, type, studyId);
    const questionId = idOf(fromTs, 'question', type, studyId);
    const row = { id, studyId, type, displayName, mode: 'UNSUPERVISED', position: 99, pipelineIds: '[]' };
    rows.insert('task', { ...row, ...further, ...stamp });
    const question = {
      id: questionId,
      taskId: id,
      position: 0,
      text: 'Any pain?',
      type: 'BOOLEAN',
      choices: '["YES","NO"]',
    };
    rows.insert('question', { ...question, createdTs: fromTs });
    return { id, questionId };
  };
  const diary = task('diary', 'Evening diary', {});
  const activity = task('activity', 'Six-minute walk', { durationSec: 360, instructions: 'Walk.' });
  return {
    deviceConfigIds,
    taskIds: { diary: diary.id, activity: activity.id },
    questionIds: { diary: diary.questionId, activity: activity.questionId },
  };
}

/** The parts that a study has already, when it was defined through the services. */
function partsOf(database: BetterSqlite3.Database, studyId: string): StudyParts | undefined {
  const ids = (sql: string) => database.prepare<unknown[], string>(sql).pluck();
  const deviceConfigIds = ids('SELECT id FROM deviceConfig WHERE studyId = ? ORDER BY position').all(studyId);
  const taskId = (type: string) => ids('SELECT id FROM task WHERE studyId = ? AND type = ?').get(studyId, type);
  const questionId = (task: string) => ids('SELECT id FROM question WHERE taskId = ?').get(task);
  const [diary, activity] = [taskId('diary'), taskId('activity')];
  if (deviceConfigIds.length < WORN.length || !diary || !activity) return undefined;
  const questionIds = { diary: questionId(diary) ?? diary, activity: questionId(activity) ?? activity };
  return { deviceConfigIds, taskIds: { diary, activity }, questionIds };
}

/** Fills the database of a closed site. The study and account must exist. */
export function fillDatabase(path: string, size: FullDatabaseSize, options: FillOptions = {}): FullDatabase {
  const database = new BetterSqlite3(path, { fileMustExist: true });
  database.pragma('foreign_keys = ON');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -262144');
  const rows = new Rows(database);
  const userId = database
    .prepare<unknown[], string>('SELECT id FROM user WHERE accountId = ?')
    .pluck()
    .get(size.accountId);
  const made: FullDatabase = { subjectIds: [], hubIds: [], sensorIds: [] };
  database.transaction(() => {
    const { deviceConfigIds, ...ids } = partsOf(database, size.studyId) ?? addStudyParts(rows, size);
    const subjects = Array.from({ length: size.subjects }, (_, index) => subjectOf(size, deviceConfigIds, index));
    for (const subject of subjects) {
      addSubject(rows, size, subject, userId ?? null);
      made.subjectIds.push(subject.id);
      made.hubIds.push(subject.hubId);
      made.sensorIds.push(...subject.sensors.map(({ id }) => id));
    }
    const context: DayContext = {
      rows,
      size,
      ...ids,
      webhookId: size.days > 0 ? addWebhook(rows, size) : null,
      signalsDir: options.signalsDir ?? null,
      written: options.written ?? new Map(),
    };
    const analytics = new AnalyticsRows(rows, size, options.samples ?? plainDays(), path);
    for (let day = 0; day < size.days; day++) {
      for (const subject of subjects) {
        addDay(context, subject, day);
        analytics.add(subject, day);
      }
      addMail(rows, size, day);
      if (day % 7 === 3) addStudyExport(rows, size, day);
      if (userId && day % 7 === 5) for (const subject of subjects) addSignature(rows, size, subject, day, userId);
      options.onDay?.(day);
    }
    if (size.days > 0) {
      addAnalysisRuns(rows, size, made.subjectIds);
      for (const subject of subjects) {
        addHeldRecordings(rows, size, subject);
        if (userId) addOldSnooze(rows, size, subject.id, userId);
      }
    }
  })();
  fillSummaries(database);
  database.close();
  return made;
}
