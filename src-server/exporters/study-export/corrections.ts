/**
 * What people corrected of beats, sleep and wear, as a table of every format: what was there, what it became, by whom, when and why, and
 * by whom it was undone. A correction that was undone stays in the table.
 */
import type { CorrectionRecord } from '../../db/index.ts';
import { correctionStates } from '../../study/corrections.ts';
import { personName } from '../../study/person-name.ts';
import { BEAT_CODE_NAMES, CORRECTION_KINDS } from '../../vocabulary/corrections.ts';
import { codeOf, idOf, MEASURE, TEXT, TIME_MS } from './disclosure.ts';
import type { FramedSubject } from './exported-recordings.ts';
import type { TableColumns } from './table-columns.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';

interface Byline {
  row: CorrectionRecord;
  authorName: string | undefined;
}

export interface ExportedCorrection extends CorrectionRecord, Pick<Byline, 'authorName'> {
  isInForce: boolean;
  /** The last undoing; only of a correction that is not in force. */
  undoing?: Byline;
}

const CORRECTION_CODES = new Set<string>(CORRECTION_KINDS);

/** Names and reasons do not leave a de-identified export; authors have the codes of its other tables. */
export const CORRECTIONS: TableColumns<ExportedCorrection> = [
  ['id', idOf('correction'), (one) => one.id],
  ['subjectId', idOf('subject'), (one) => one.subjectId],
  ['recordingId', idOf('recording'), (one) => one.recordingId],
  ['kind', codeOf(CORRECTION_CODES), (one) => one.kind],
  ['isInForce', MEASURE, (one) => one.isInForce],
  ['startTs', TIME_MS, (one) => one.startTs],
  ['stopTs', TIME_MS, (one) => one.stopTs],
  ['beatTs', TIME_MS, ({ timeUs }) => timeUs && Math.round(timeUs / 1000)],
  ['movedToTs', TIME_MS, ({ toUs }) => toUs && Math.round(toUs / 1000)],
  ['code', codeOf(new Set<string>(BEAT_CODE_NAMES)), (one) => one.code],
  ['authorId', idOf('person'), (one) => one.authorId],
  ['authorName', TEXT, (one) => one.authorName],
  ['createdTs', TIME_MS, (one) => one.createdTs],
  ['reason', TEXT, (one) => one.reason],
  ['undoneById', idOf('person'), ({ undoing }) => undoing?.row.authorId],
  ['undoneByName', TEXT, ({ undoing }) => undoing?.authorName],
  ['undoneTs', TIME_MS, ({ undoing }) => undoing?.row.createdTs],
  ['undoneReason', TEXT, ({ undoing }) => undoing?.row.reason],
];

/** Reads the corrections of subjects as they were at the time of the request. */
export class CorrectionReader {
  readonly #context: StudyExportContext;
  readonly #asOfTs: number;
  readonly #names = new Map<string, string | undefined>();

  constructor(context: StudyExportContext, { asOfTs }: Pick<StudyExportOptions, 'asOfTs'>) {
    this.#context = context;
    this.#asOfTs = asOfTs;
  }

  async hasAny({ subject }: Pick<FramedSubject, 'subject'>): Promise<boolean> {
    return (await this.#rows(subject.id)).length > 0;
  }

  /** In the order in which they came into force. */
  async of({ subject }: Pick<FramedSubject, 'subject'>): Promise<ExportedCorrection[]> {
    const states = correctionStates(await this.#rows(subject.id));
    const shown: ExportedCorrection[] = [];
    for (const { step, isInForce, last } of states) {
      const undoing = isInForce ? undefined : { row: last, authorName: await this.#nameOf(last.authorId) };
      const authorName = await this.#nameOf(step.authorId);
      shown.push({ ...step, authorName, isInForce, ...(undoing && { undoing }) });
    }
    return shown;
  }

  async #rows(subjectId: string): Promise<CorrectionRecord[]> {
    const rows = await this.#context.store.corrections.ofSubject(subjectId);
    return rows.filter(({ createdTs }) => createdTs <= this.#asOfTs);
  }

  async #nameOf(userId: string): Promise<string | undefined> {
    if (!this.#names.has(userId)) {
      const user = await this.#context.store.users.get(userId);
      this.#names.set(userId, user && personName(user));
    }
    return this.#names.get(userId);
  }
}
