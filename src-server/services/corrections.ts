/**
 * Corrections by people of beats, sleep and wear. Each is a row that is never changed; undoing one is a row of its own. The days that
 * they touch are computed again by a job, which further corrections join while it waits.
 */
import {
  authorOf,
  type Change,
  CorrectionQueries,
  type CorrectionRecord,
  correctionOfAudit,
  notFound,
  RecordingQueries,
  StudyQueries,
  SubjectQueries,
} from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { OutpostError } from '../errors.ts';
import { type CorrectionStep, requireContent, requireUndoable } from '../study/corrections.ts';
import { requireCorrection } from '../study/lifecycle.ts';
import type { BeatCode, CorrectionKind } from '../vocabulary/corrections.ts';
import { isOfWholeRecording } from '../vocabulary/placements.ts';
import { Jobs } from './jobs.ts';

/** A correction, or the undoing of one. Ids are made by the client and make a repeated request harmless. */
export type NewCorrection = { id: string } & (
  | {
      kind: CorrectionKind;
      recordingId?: string | undefined;
      timeUs?: number | undefined;
      toUs?: number | undefined;
      code?: BeatCode | undefined;
      startTs?: number | undefined;
      stopTs?: number | undefined;
    }
  | { kind: 'UNDO'; undoes: string }
);

interface Place {
  studyId: string;
  subjectId: string;
}

/** What a correction changes the results of. */
type Reach = Pick<CorrectionRecord, 'recordingId' | 'startTs' | 'stopTs'>;

/** Spans by their start, parted where over a day lies between them: what lies between need not be computed. */
function clusters(rows: readonly Reach[]): Reach[][] {
  const found: Reach[][] = [];
  let stopTs = Number.NEGATIVE_INFINITY;
  for (const row of [...rows].sort((a, b) => a.startTs - b.startTs)) {
    if (row.startTs - stopTs > DAY_MS) found.push([]);
    found.at(-1)!.push(row);
    stopTs = Math.max(stopTs, row.stopTs);
  }
  return found;
}

export class Corrections extends CorrectionQueries {
  /**
   * Stores a batch in one transaction, in its order, and queues the analysis of what it touches. A row whose id is stored already
   * stays as it is.
   * @returns the rows of the batch as stored
   * @throws NOT_FOUND, STUDY_STATE, STUDY_LOCKED, INVALID_INPUT, CONFLICT (an id of something else, or an undoing that is too late)
   */
  async add(
    { studyId, subjectId }: Place,
    batch: readonly NewCorrection[],
    change: Change,
  ): Promise<CorrectionRecord[]> {
    const place = { studyId, subjectId };
    return await this.session.write(async (session) => {
      const corrections = new Corrections(session);
      const author = authorOf(change);
      if (author?.type !== 'USER') throw new OutpostError('INVALID_INPUT', 'A correction needs the user who makes it.');
      await new SubjectQueries(session).require(place.subjectId, place.studyId);
      const { lifecycleState } = await new StudyQueries(session).require(place.studyId);
      requireCorrection(lifecycleState, change.reason);
      const rows: CorrectionRecord[] = [];
      const added: CorrectionRecord[] = [];
      for (const one of batch) {
        const stored = await corrections.get(one.id);
        if (stored) {
          if (stored.subjectId !== place.subjectId || stored.kind !== one.kind) {
            throw new OutpostError('CONFLICT', 'Another correction has this id.');
          }
          rows.push(stored);
          continue;
        }
        const row: CorrectionRecord = {
          ...(one.kind === 'UNDO'
            ? await corrections.#undoing(place, one.undoes)
            : await corrections.#content(place, one)),
          ...place,
          id: one.id,
          sequence: await corrections.nextSequence(),
          authorId: author.id,
          reason: change.reason?.trim() || undefined,
          createdTs: session.clock(),
        };
        await corrections.insert(row);
        rows.push(row);
        added.push(row);
      }
      await corrections.#record(place, added, change);
      return rows;
    });
  }

  async #content(
    { studyId, subjectId }: Place,
    given: Exclude<NewCorrection, { kind: 'UNDO' }>,
  ): Promise<Omit<CorrectionStep, 'id' | 'sequence'>> {
    const content = requireContent(given);
    if (content.recordingId === undefined) return content;
    const recording = await new RecordingQueries(this.session).get(content.recordingId);
    if (recording?.studyId !== studyId || recording.subjectId !== subjectId) throw notFound('recording');
    const { startUs, stopUs } = recording;
    if (content.stopTs * 1000 <= startUs || content.startTs * 1000 > stopUs) {
      throw new OutpostError('INVALID_INPUT', 'The correction lies outside of its recording.', {
        errors: [{ path: content.timeUs === undefined ? 'startTs' : 'timeUs', message: 'is outside of the recording' }],
      });
    }
    return content;
  }

  async #undoing({ subjectId }: Place, id: string) {
    const target = await this.get(id);
    if (target?.subjectId !== subjectId) throw notFound('correction');
    const { recordingId } = target;
    const all = recordingId === undefined ? await this.#spansOf(subjectId) : await this.ofRecording(recordingId);
    const { step } = requireUndoable(target, all);
    const { startTs, stopTs } = step;
    return { kind: 'UNDO' as const, rootId: step.id, undoes: id, recordingId, startTs, stopTs };
  }

  async #spansOf(subjectId: string): Promise<CorrectionRecord[]> {
    return (await this.ofSubject(subjectId)).filter(({ recordingId }) => recordingId === undefined);
  }

  /**
   * The time whose results a row changes. Rest and activity of a recording are computed over the whole of it, so the wear of an hour
   * changes all of its days; the regularity of sleep compares a night with the one before.
   */
  async #reachOf({ subjectId }: Place, row: CorrectionRecord): Promise<Reach> {
    const { recordingId, startTs, stopTs } = row;
    if (recordingId !== undefined) return { recordingId, startTs, stopTs };
    const { kind } = row.kind === 'UNDO' && row.rootId !== undefined ? ((await this.get(row.rootId)) ?? row) : row;
    const recordings = await new RecordingQueries(this.session).listForSubject(subjectId, {
      fromUs: startTs * 1000,
      toUs: stopTs * 1000,
    });
    const whole = recordings.filter(
      ({ startUs, stopUs, physicalConfig }) =>
        isOfWholeRecording(physicalConfig.location) && startUs < stopTs * 1000 && stopUs >= startTs * 1000,
    );
    if (whole.length === 0) return { startTs, stopTs };
    if (kind === 'ASLEEP' || kind === 'AWAKE') return { startTs, stopTs: stopTs + DAY_MS };
    return {
      startTs: Math.min(startTs, ...whole.map(({ startUs }) => Math.floor(startUs / 1000))),
      stopTs: Math.max(stopTs, ...whole.map(({ stopUs }) => Math.ceil(stopUs / 1000))),
    };
  }

  async #record(place: Place, added: readonly CorrectionRecord[], change: Change): Promise<void> {
    const made = added.filter(({ kind }) => kind !== 'UNDO');
    const undone = added.filter(({ kind }) => kind === 'UNDO');
    for (const [action, rows] of [
      ['correction.add', made],
      ['correction.undo', undone],
    ] as const) {
      if (rows.length === 0) continue;
      await this.session.audit(change, {
        action,
        entityType: 'correction',
        entityId: rows[0]!.id,
        ...place,
        changes: { corrections: { new: rows.map(correctionOfAudit) } },
      });
    }
    const reaches: Reach[] = [];
    for (const row of added) reaches.push(await this.#reachOf(place, row));
    for (const near of clusters(reaches)) {
      const recordingIds = [...new Set(near.flatMap(({ recordingId }) => recordingId ?? []))];
      const fromMs = near[0]!.startTs;
      const toMs = Math.max(...near.map(({ stopTs }) => stopTs));
      await new Jobs(this.session).queue('analyse', { ...place, fromMs, toMs, recordingIds }, change);
    }
  }
}
