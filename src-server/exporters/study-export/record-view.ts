/** The records of a study as an export shows them: as they are, or with everything replaced that could name somebody. */
import type {
  AnnotationRecord,
  DayRecord,
  EquipmentRecord,
  FaultRecord,
  RecordingRecord,
  StudyDetailRecord,
  SubjectRecord,
} from '../../db/index.ts';
import { type DayClock, formatOffset, offsetMsAt, zoneAt } from '../../study/day-windows.ts';
import type { CodedKind, Deidentifier } from './deidentifier.ts';

type Task = StudyDetailRecord['activities'][number];
type Question = Task['questions'][number];
type DeviceConfig = StudyDetailRecord['deviceConfigs'][number];

/** An instant that has a zone: the offset from UTC that was in force, such as `-05:00`. */
export type Zoned<T> = T & { utcOffset: string };

/** Names of labels that say what the signal shows and come from formats, not from somebody's pen: beats, sleep stages. */
const TECHNICAL_LABEL = /^(?:\S|Sleep stage [A-Z0-9?]{1,3})$/;
const PLAIN_ANSWER = /^(?:-?\d{1,5}(?:\.\d+)?|YES|NO|TRUE|FALSE)$/i;

export function offsetAt(ts: number, clock: DayClock): string {
  return formatOffset(offsetMsAt(ts, zoneAt(ts, clock)));
}

/**
 * Shows the records of one study. Without a `Deidentifier` they stay as they are. With one, ids and serials are codes,
 * instants and dates are shifted, and names, free text, versions of hardware and dates of the study itself are left out.
 */
export class RecordView {
  readonly deidentifier: Deidentifier | null;
  readonly #study: StudyDetailRecord;
  readonly #taskNames: ReadonlySet<string>;
  readonly #questions: ReadonlyMap<string, Question>;

  constructor(study: StudyDetailRecord, deidentifier: Deidentifier | null) {
    this.deidentifier = deidentifier;
    this.#study = study;
    const tasks = [...study.activities, ...study.diaries];
    this.#taskNames = new Set(tasks.map(({ displayName }) => displayName));
    this.#questions = new Map(tasks.flatMap(({ questions }) => questions.map((question) => [question.id, question])));
  }

  id(kind: CodedKind, id: string): string {
    return this.deidentifier?.code(kind, id) ?? id;
  }

  date(subjectId: string, date: string): string {
    return this.deidentifier?.date(subjectId, date) ?? date;
  }

  /** Milliseconds that the instants of a subject move by. */
  shiftMs(subjectId: string): number {
    return this.deidentifier?.shiftMs(subjectId) ?? 0;
  }

  study(): Omit<StudyDetailRecord, 'createdTs'> & { createdTs?: number } {
    const study = this.#study;
    if (!this.deidentifier) return study;
    const code = this.deidentifier.code('study', study.id);
    return {
      ...study,
      id: code,
      accountId: '',
      displayName: code,
      title: '',
      createdTs: undefined,
      startedTs: undefined,
      stoppedTs: undefined,
    };
  }

  task(task: Task): Omit<Task, 'createdTs' | 'modifiedTs'> & { createdTs?: number; modifiedTs?: number } {
    if (!this.deidentifier) return task;
    const id = this.deidentifier.code('task', task.id);
    return { ...task, id, instructions: undefined, createdTs: undefined, modifiedTs: undefined };
  }

  question<T extends Question & { taskId: string }>(question: T): T {
    if (!this.deidentifier) return question;
    const { id, taskId } = question;
    return {
      ...question,
      id: this.deidentifier.code('question', id),
      taskId: this.deidentifier.code('task', taskId),
    };
  }

  deviceConfig(config: DeviceConfig): DeviceConfig {
    return this.deidentifier ? { ...config, id: this.deidentifier.code('deviceConfig', config.id) } : config;
  }

  /** The study's own fields that are shown: those of free text name people. */
  metadataFields(): StudyDetailRecord['metadataFields'] {
    const { metadataFields } = this.#study;
    return this.deidentifier ? metadataFields.filter(({ type }) => type !== 'FREETEXT') : metadataFields;
  }

  subject(subject: SubjectRecord, clock: DayClock): SubjectRecord {
    const { deidentifier } = this;
    if (!deidentifier) return subject;
    const { id, createdTs, programStartTs } = subject;
    const code = deidentifier.code('subject', id);
    return {
      ...subject,
      id: code,
      displayName: code,
      age: deidentifier.age(subject.age),
      timezone: offsetAt(programStartTs ?? createdTs, clock),
      metadataFields: deidentifier.metadata(this.#study, subject),
      createdTs: deidentifier.instant(id, createdTs),
      modifiedTs: deidentifier.instant(id, subject.modifiedTs),
      programStartTs: programStartTs === undefined ? undefined : deidentifier.instant(id, programStartTs),
    };
  }

  equipment(item: EquipmentRecord): EquipmentRecord {
    const { deidentifier } = this;
    if (!deidentifier) return item;
    const udid = deidentifier.codeIfAny('equipment', item.udid);
    return { ...item, id: deidentifier.code('equipment', item.id), displayName: '', udid };
  }

  fault(fault: FaultRecord, clock: DayClock): Zoned<FaultRecord> {
    const { deidentifier } = this;
    const utcOffset = offsetAt(fault.faultTs, clock);
    if (!deidentifier) return { ...fault, utcOffset };
    const { subjectId } = fault;
    return {
      ...fault,
      id: deidentifier.code('annotation', fault.id),
      studyId: '',
      subjectId: deidentifier.code('subject', subjectId),
      equipmentId: deidentifier.codeIfAny('equipment', fault.equipmentId),
      recordingId: deidentifier.codeIfAny('recording', fault.recordingId),
      sensorId: deidentifier.code('equipment', fault.sensorId),
      faultTs: deidentifier.instant(subjectId, fault.faultTs),
      createdTs: deidentifier.instant(subjectId, fault.createdTs),
      utcOffset,
    };
  }

  recording(recording: RecordingRecord, clock: DayClock): Zoned<RecordingView> {
    const { deidentifier } = this;
    const utcOffset = offsetAt(recording.startUs / 1000, clock);
    if (!deidentifier) return { ...recording, utcOffset };
    const { subjectId } = recording;
    const shiftMs = deidentifier.shiftMs(subjectId);
    return {
      ...recording,
      id: deidentifier.code('recording', recording.id),
      studyId: '',
      subjectId: deidentifier.code('subject', subjectId),
      deviceConfigId: deidentifier.code('deviceConfig', recording.deviceConfigId),
      // Sensors count their recordings, or number them by the clock.
      recordingId: undefined,
      startUs: recording.startUs + shiftMs * 1000,
      stopUs: recording.stopUs + shiftMs * 1000,
      uploadStartTs: recording.uploadStartTs + shiftMs,
      createdTs: recording.createdTs + shiftMs,
      udid: deidentifier.code('equipment', recording.udid),
      hardwareId: '',
      sha256: '',
      contentSha256: '',
      sourceFileName: '',
      utcOffset,
    };
  }

  annotation(annotation: AnnotationRecord, clock: DayClock): Zoned<AnnotationRecord> {
    const { deidentifier } = this;
    const utcOffset = offsetAt(annotation.startTs, clock);
    if (!deidentifier) return { ...annotation, utcOffset };
    const { subjectId, event } = annotation;
    const shift = deidentifier.shiftMs(subjectId);
    return {
      ...annotation,
      id: deidentifier.code('annotation', annotation.id),
      studyId: '',
      subjectId: deidentifier.code('subject', subjectId),
      displayName: this.#annotationName(annotation, deidentifier),
      value: this.#answer(annotation),
      // A subject is the author of what it reports; its code must be the same one.
      authorId: deidentifier.codeIfAny(annotation.authorId === subjectId ? 'subject' : 'person', annotation.authorId),
      ...(event && {
        event: {
          ...event,
          id: deidentifier.code(annotation.type === 'question' ? 'question' : 'task', event.id),
          relationshipId: deidentifier.codeIfAny('task', event.relationshipId),
        },
      }),
      parentId: deidentifier.codeIfAny('annotation', annotation.parentId),
      recordingId: deidentifier.codeIfAny('recording', annotation.recordingId),
      startTs: annotation.startTs + shift,
      stopTs: annotation.stopTs + shift,
      reportedTs: annotation.reportedTs + shift,
      createdTs: annotation.createdTs + shift,
      modifiedTs: annotation.modifiedTs + shift,
      utcOffset,
    };
  }

  day({
    subjectId,
    date,
    metrics,
    algorithmVersion,
  }: DayRecord): Pick<DayRecord, 'date' | 'metrics' | 'algorithmVersion'> {
    return { date: this.date(subjectId, date), metrics, algorithmVersion };
  }

  /** Tasks and questions bear the words of the study's definition; labels those of whoever made them. */
  #annotationName({ type, displayName }: AnnotationRecord, deidentifier: Deidentifier): string {
    if (type !== 'recording' && type !== 'subject') return displayName;
    if (this.#taskNames.has(displayName) || TECHNICAL_LABEL.test(displayName)) return displayName;
    return deidentifier.code('text', displayName);
  }

  /** A choice of the list, a number, yes or no; anything else is somebody's own words. */
  #answer({ type, value, event, questionType }: AnnotationRecord): string | undefined {
    if (value === undefined || type !== 'question') return undefined;
    if (event && this.#questions.get(event.id)?.values.includes(value)) return value;
    return !/TEXT/i.test(questionType ?? 'TEXT') && PLAIN_ANSWER.test(value) ? value : undefined;
  }
}

/** A recording as shown: the sensor's own number of it is left out of de-identified exports. */
type RecordingView = Omit<RecordingRecord, 'recordingId'> & { recordingId?: number };
