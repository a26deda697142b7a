/** Corrections by people of beats, sleep and wear. */
import type { CorrectionRecord, Key } from '../../db/index.ts';
import type { NewCorrection } from '../../services/corrections.ts';
import { correctionStates } from '../../study/corrections.ts';
import { personName } from '../../study/person-name.ts';
import type { BeatCode, CorrectionKind } from '../../vocabulary/corrections.ts';
import type { Correction } from '../contract/index.ts';
import type { correctionRoutes, NewCorrectionInput } from '../contract/resources/corrections.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';

const pagesOf = (isNewest: boolean | undefined): PagedList<CorrectionRecord> => ({
  name: isNewest ? 'corrections-newest' : 'corrections',
  key: ['number'],
  keyOf: ({ sequence }): Key => [sequence],
});

function toInput(one: NewCorrectionInput, place: number): NewCorrection {
  const { id, kind, undoes, code, ...rest } = one;
  if (kind === 'UNDO') {
    if (undoes === undefined) throw invalidField(`corrections.${place}.undoes`, 'is required');
    return { id, kind, undoes };
  }
  return { id, kind, ...rest, code: code as BeatCode | undefined };
}

export function correctionHandlers({ store }: ApiDeps): Handlers<typeof correctionRoutes> {
  const { corrections, recordings, users } = store;

  /** Shows corrections with their undoings, in the order given. */
  async function shown(rows: readonly CorrectionRecord[]): Promise<Correction[]> {
    const undoings = await corrections.undoingsOf(rows.map(({ id }) => id));
    const names = new Map<string, string>();
    for (const { authorId } of [...rows, ...undoings]) {
      if (names.has(authorId)) continue;
      const user = await users.get(authorId);
      names.set(authorId, user ? personName(user) : '');
    }
    const byline = ({ authorId, createdTs, reason }: CorrectionRecord) => ({
      authorId,
      ...(names.get(authorId) && { authorName: names.get(authorId)! }),
      createdTs,
      ...(reason !== undefined && { reason }),
    });
    const states = new Map(correctionStates([...rows, ...undoings]).map((state) => [state.step.id, state]));
    const stepsOf = Map.groupBy(undoings, ({ rootId }) => rootId);
    return rows.map((row) => {
      const { isInForce, last } = states.get(row.id)!;
      const { id, recordingId, timeUs, toUs, code, startTs, stopTs } = row;
      return {
        id,
        ...(recordingId !== undefined && { recordingId }),
        kind: row.kind as CorrectionKind,
        ...(timeUs !== undefined && { timeUs }),
        ...(toUs !== undefined && { toUs }),
        ...(code !== undefined && { code }),
        startTs,
        stopTs,
        ...byline(row),
        isInForce,
        lastId: last.id,
        steps: (stepsOf.get(id) ?? []).map((step) => ({ id: step.id, ...byline(step) })),
      };
    });
  }

  return {
    listCorrections: async ({ params, query, request }) => {
      const { from, to, newest } = query;
      if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
      const of = {
        subjectId: params.subjectId,
        ...(from !== undefined && { fromTs: from }),
        ...(to !== undefined && { toTs: to + 1 }),
      };
      const { rows, links } = await readListPage(request, pagesOf(newest), query, (keyset) =>
        corrections.page(of, keyset, newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    listRecordingCorrections: async ({ params, query, request }) => {
      const { studyId, recordingId } = params;
      if ((await recordings.get(recordingId))?.studyId !== studyId) throw notFound('recording');
      const { rows, links } = await readListPage(request, pagesOf(query.newest), query, (keyset) =>
        corrections.page({ recordingId }, keyset, query.newest),
      );
      return { items: await shown(rows), size: rows.length, ...links };
    },
    addCorrections: async ({ params, body, caller }) => {
      const rows = await corrections.add(params, body.corrections.map(toInput), changeBy(caller, body.reason));
      return { ids: rows.map(({ id }) => id), size: rows.length };
    },
    undoCorrection: async ({ params, body, caller }) => {
      const { correctionId, ...place } = params;
      const undo = { id: body.id, kind: 'UNDO' as const, undoes: correctionId };
      await corrections.add(place, [undo], changeBy(caller, body.reason));
      return { id: body.id };
    },
  };
}
