/**
 * The view of a study's records in an export: as they are, or de-identified. Every column of a table has a disclosure class; a
 * column without one is omitted from de-identified exports.
 */
import type { AnnotationRecord, DayRecord, StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import type { SignalView } from '../../signals/index.ts';
import {
  type DayClock,
  formatOffset,
  isCalendarDate,
  midnightWindow,
  offsetMsAt,
  zoneAt,
} from '../../study/day-windows.ts';
import type { CodedKind } from './deidentifier.ts';
import { codeOf, DATE, DEFINITION, Disclosing, type Disclosure, LABEL, TEXT } from './disclosure.ts';
import { SIGNAL_LABELS, SIGNAL_VALUES } from './known-codes.ts';
import { METRIC_DISCLOSURES } from './metric-disclosures.ts';
import { signalView } from './signal-disclosure.ts';
import { plainFrame, type SubjectFrame, shiftedFrame } from './subject-frame.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';

/** A column of a table. */
export interface ExportColumn<T> {
  name: string;
  /** Disclosure class of the values; a function where it depends on the row. */
  shows: Disclosure | ((row: T, view: ExportView) => Disclosure);
  value: (row: T) => unknown;
}

const DAY_SECONDS = 86_400;
const YES_NO = /^(?:YES|NO|TRUE|FALSE)$/;
const SMALL_NUMBER = /^-?\d{1,5}(?:\.\d{1,6})?$/;
const TIME_OF_DAY = /^\d{1,2}:\d{2}(?::\d{2})?$/;
/** Form of the answers to questions without choices, by type. */
const ANSWERS: Record<string, RegExp> = {
  BOOLEAN: YES_NO,
  RANGE: SMALL_NUMBER,
  NUMERIC: SMALL_NUMBER,
  NUMBER: SMALL_NUMBER,
  TIMEOFDAY: TIME_OF_DAY,
};

/** A date further away, such as a birthday, would tell an age that the export withholds. */
const FURTHEST_DATE_MS = 2 * 366 * DAY_SECONDS * 1000;
const isNearDate = (value: string | undefined, ts: number): boolean =>
  value !== undefined && isCalendarDate(value) && Math.abs(Date.parse(`${value}T00:00:00Z`) - ts) <= FURTHEST_DATE_MS;

/** Offset of the subject's clock from UTC at an instant, such as `-05:00`. */
export function offsetAt(ts: number, clock: DayClock): string {
  return formatOffset(offsetMsAt(ts, zoneAt(ts, clock)));
}

export type ShownAnnotation = Pick<AnnotationRecord, 'type' | 'displayName' | 'value' | 'startTs' | 'stopTs'> & {
  /** Texts of the questions that the subject skipped. */
  skipped: string[];
};

export class ExportView {
  readonly isDeidentified: boolean;
  readonly study: StudyDetailRecord;
  readonly #disclosing: Disclosing | null;
  readonly #choices: ReadonlyMap<string, readonly string[]>;

  constructor(
    study: StudyDetailRecord,
    { deidentify, words }: Pick<StudyExportOptions, 'deidentify' | 'words'>,
    { planTexts = [] }: Pick<StudyExportContext, 'planTexts'>,
  ) {
    this.study = study;
    const tasks = [...study.activities, ...study.diaries];
    const questions = tasks.flatMap((task) => task.questions);
    this.#choices = new Map(questions.map(({ id, values }) => [id, values]));
    const texts = [...tasks.map(({ displayName }) => displayName), ...questions.map(({ text }) => text)];
    const definition = [...texts, ...planTexts];
    this.isDeidentified = deidentify !== null;
    this.#disclosing = deidentify && new Disclosing(deidentify, words, new Set(definition), SIGNAL_LABELS);
  }

  /** An id, or its code. */
  id(kind: CodedKind, id: string): string {
    return this.#disclosing?.deidentifier.code(kind, id) ?? id;
  }

  frame(subject: SubjectRecord, zones: DayClock): SubjectFrame {
    return this.#disclosing ? shiftedFrame(subject, zones, this.#disclosing.deidentifier) : plainFrame(subject, zones);
  }

  /** A value as disclosed. */
  show(disclosure: Disclosure, value: unknown, frame: SubjectFrame | null): unknown {
    return this.#disclosing ? this.#disclosing.show(disclosure, value, frame) : value;
  }

  /** A local date of a subject, YYYY-MM-DD. */
  date(date: string, frame: SubjectFrame): string {
    return this.show({ kind: 'date' }, date, frame) as string;
  }

  /** The columns in the export: all, or those with a class. */
  columns<C extends { shows: unknown }>(columns: readonly C[]): C[] {
    return columns.filter(({ shows }) => !this.isDeidentified || shows !== undefined);
  }

  /** The cells of a row, in the order of {@link columns}. */
  cells<T>(columns: readonly ExportColumn<T>[], row: T, frame: SubjectFrame | null): unknown[] {
    return columns.map(({ shows, value }) => {
      const disclosure = typeof shows === 'function' ? shows(row, this) : shows;
      return this.show(disclosure, value(row), frame);
    });
  }

  /** The study's own fields of subjects that are shown: all, or those that the export was asked to hold. */
  metadataFields(): StudyDetailRecord['metadataFields'] {
    const { metadataFields } = this.study;
    const disclosing = this.#disclosing;
    if (!disclosing) return metadataFields;
    return metadataFields.filter(
      ({ displayName, type }) => type !== 'FREETEXT' && disclosing.words.fields.includes(displayName),
    );
  }

  /** An annotation as an event. */
  annotation(annotation: AnnotationRecord, frame: SubjectFrame): ShownAnnotation {
    const { type, startTs, stopTs } = annotation;
    const name = type === 'recording' || type === 'subject' ? LABEL : DEFINITION;
    return {
      type,
      displayName: (this.show(name, annotation.displayName, frame) as string | undefined) ?? '',
      value: this.show(this.valueOf(annotation), annotation.value, frame) as string | undefined,
      startTs: startTs + frame.shiftMs,
      stopTs: stopTs + frame.shiftMs,
      skipped: (annotation.skipped ?? []).map(
        ({ text }) => (this.show(DEFINITION, text, frame) as string | undefined) ?? '',
      ),
    };
  }

  /** Class of the value of an annotation: answers that are not free text, symbols of beats, rhythms. */
  valueOf({ type, displayName, event, questionType, value, startTs }: AnnotationRecord): Disclosure {
    if (type !== 'question') return SIGNAL_LABELS.has(displayName) ? codeOf(SIGNAL_VALUES) : TEXT;
    if (questionType === 'DATE') return isNearDate(value, startTs) ? DATE : TEXT;
    const choices = (event && this.#choices.get(event.id)) ?? [];
    const choice = choices.indexOf(value ?? '');
    const pattern = ANSWERS[questionType ?? ''];
    if (pattern) return codeOf(pattern);
    if (choice < 0) return TEXT;
    return this.#disclosing?.words.definition ? codeOf(new Set(choices)) : codeOf(new Set(), `choice ${choice + 1}`);
  }

  /** The choices of a question: texts, or their numbers. */
  choices({ type, values }: { type: string; values: readonly string[] }): readonly string[] {
    if (!this.#disclosing || this.#disclosing.words.definition) return values;
    const pattern = ANSWERS[type];
    return values.map((value, i) => (pattern?.test(value) ? value : `choice ${i + 1}`));
  }

  /**
   * The metrics of a day. A day of a clock change has 23 or 25 hours; a de-identified export scales its sums of time to 24 hours,
   * since a wear time of 25 hours would identify the day.
   */
  metrics(
    { date, metrics }: Pick<DayRecord, 'date' | 'metrics'>,
    zones: DayClock,
    frame: SubjectFrame,
  ): Record<string, number> {
    if (!this.#disclosing) return metrics;
    const { startMs, stopMs } = midnightWindow(date, zones);
    const seconds = (stopMs - startMs) / 1000;
    const factor = seconds > 0 ? DAY_SECONDS / seconds : 1;
    const shown: Record<string, number> = {};
    for (const [name, value] of Object.entries(metrics)) {
      const metric = METRIC_DISCLOSURES.get(name);
      if (!metric) continue;
      const leaving = this.show(metric.shows, value, frame) as number;
      shown[name] = factor !== 1 && metric.isTimeOfDay ? Math.min(DAY_SECONDS, Math.round(leaving * factor)) : leaving;
    }
    return shown;
  }

  /** De-identified view of the subject's signals; undefined for the signals as they are. */
  signalView(frame: SubjectFrame): SignalView | undefined {
    return this.#disclosing ? signalView(this.#disclosing, frame) : undefined;
  }
}
