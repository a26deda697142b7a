/** The CSV download of annotations. All cells are quoted, as readers written for the original service expect. */

import { quotedCell } from '../../../csv-row.ts';
import type { AnnotationRecord } from '../../../db/index.ts';

export const ANNOTATIONS_HEADER =
  '"Timestamp (ms)","AnnotationId","EventType","AuthorId","Start Timestamp (ms)","Stop Timestamp (ms)","Value"\n';

const KINDS = { activity: 'Activity', diary: 'Diary', recording: 'Recording', subject: 'Subject' } as const;

/** Formats annotations in the order of the list, in which answers directly follow their task. */
export class AnnotationLines {
  #task: AnnotationRecord | undefined;

  /** Returns one line with its line end. `EventType` is the name alone: readers select rows by it. */
  lineOf(annotation: AnnotationRecord): string {
    if (annotation.type === 'activity' || annotation.type === 'diary') this.#task = annotation;
    const cells = [
      annotation.reportedTs,
      `${this.#kindOf(annotation)}:${annotation.displayName}`,
      annotation.displayName,
      annotation.authorId ?? '',
      annotation.startTs,
      annotation.stopTs,
      annotation.value ?? '',
    ];
    return `${cells.map((cell) => quotedCell(String(cell))).join(',')}\n`;
  }

  #kindOf({ type }: AnnotationRecord): string {
    if (type !== 'question') return KINDS[type];
    return this.#task?.type === 'diary' ? 'DiaryQuestion' : 'ActivityQuestion';
  }
}
