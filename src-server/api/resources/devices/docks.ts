/** Docked recorders, watched folders and the recordings in them, as the desk sees and decides them. */
import type { RecordingRecord } from '../../../db/index.ts';
import type { ShownTransfer } from '../../../docks/docks.ts';
import { nameOf } from '../../../docks/found.ts';
import { unreadableIn } from '../../../docks/found-folder.ts';
import { isTimeZone } from '../../../study/zones.ts';
import type { Docks, Transfer } from '../../contract/index.ts';
import type { dockRoutes } from '../../contract/resources/docks.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { allowedPlaces, requireInStudy } from '../../framework/authorize.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { placeOfTransfer } from '../../framework/places.ts';

const NAMED_FILES = 20;

function actionsOf({ row, found }: ShownTransfer): Transfer['actions'] {
  if (!row) return ['take', 'dismiss'];
  if (row.state === 'STORED') return ['confirm'];
  if (row.state === 'COPYING') return ['dismiss'];
  const isOver = row.state === 'FAILED' || row.state === 'DISMISSED';
  return [...(isOver && found ? (['take'] as const) : []), ...(row.state === 'FAILED' ? (['dismiss'] as const) : [])];
}

export function toTransfer(shown: ShownTransfer, recordings: readonly (RecordingRecord | undefined)[]): Transfer {
  const { id, found, match, row, progress } = shown;
  const facts = row ?? { ...found!.recognised, ...match, ...found!, sizeBytes: found!.recognised.sizeBytes };
  const subjectCode = found?.recognised.subjectCode;
  const table = found?.recognised.table;
  const optional = {
    missingFiles: row ? undefined : found?.missing,
    unreadableFiles: row ? undefined : found?.unreadable,
    lateFiles: row ? undefined : found?.late?.names,
    csvTemplateId: table?.templateIds.length === 1 ? table.templateIds[0] : undefined,
    model: facts.model,
    serial: facts.serial,
    sessionId: facts.sessionId,
    subjectCode,
    equipmentId: facts.equipmentId,
    startTs: facts.startTs,
    stopTs: facts.stopTs,
    studyId: facts.studyId,
    subjectId: facts.subjectId,
    ...(row
      ? {
          code: row.code,
          message: row.message,
          sha256: row.sha256,
          blocks: row.blocks,
          badBlocks: row.badBlocks,
          jobId: row.jobId,
          decisionReason: row.decisionReason,
          confirmedTs: row.confirmedTs,
          createdTs: row.createdTs,
          bytesPerSecond: progress?.bytesPerSecond,
          remainingMs: progress?.remainingMs,
          problem: progress?.problem && { code: progress.problem.code, message: progress.problem.message },
        }
      : {
          question: match?.question?.code,
          message: match?.question?.message,
          heldFromTs: match?.heldFromTs,
          heldUntilTs: match?.heldUntilTs,
        }),
  };
  return {
    id,
    source: facts.source,
    displayName: facts.displayName,
    files: (row?.files ?? (row ? undefined : found?.members) ?? []).map(({ name }) => name),
    isTable: table !== undefined,
    needsStart: found?.recognised.needsStart === true,
    isPresent: found !== undefined,
    state: row?.state ?? (match?.question ? 'QUESTION' : 'OFFERED'),
    sizeBytes: facts.sizeBytes,
    receivedBytes: row ? Math.max(row.receivedBytes, progress?.receivedBytes ?? 0) : 0,
    recordingIds: row?.recordingIds ?? [],
    isAnalysed: recordings.length > 0 && recordings.every((recording) => recording?.dataState === 'ANALYSED'),
    actions: actionsOf(shown),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as typeof optional),
  } as Transfer;
}

export function dockHandlers(deps: ApiDeps): Handlers<typeof dockRoutes> {
  const { store, docks } = deps;
  const shownAs = async (shown: ShownTransfer): Promise<Transfer> => {
    const ids = shown.row?.recordingIds ?? [];
    return toTransfer(shown, await Promise.all(ids.map((recordingId) => store.recordings.get(recordingId))));
  };
  return {
    getDocks: async ({ params: { accountId }, caller }): Promise<Docks> => {
      const { isOn } = await store.settings.get('docks.rules');
      const isOpen = await allowedPlaces(deps, caller, 'transfer.read');
      const shown = await Promise.all(
        docks.drives.map(async (drive) => {
          const transfer = drive.found && drive.state === 'RECORDING' ? await docks.get(drive.found.id) : undefined;
          const isOwn = transfer === undefined || (transfer.row ?? transfer.match)?.accountId === accountId;
          const isVisible = isOwn && (transfer === undefined || isOpen(placeOfTransfer(transfer)));
          return {
            label: drive.label ?? (drive.found ? nameOf(drive.found) : drive.mountPath),
            state: drive.state,
            ...(drive.found?.model !== undefined && { model: drive.found.model }),
            ...(drive.found?.serial !== undefined && { serial: drive.found.serial }),
            sizeBytes: drive.sizeBytes,
            ...(transfer && isVisible && { transferId: transfer.id }),
            mayClear: isVisible && transfer?.row?.state === 'CONFIRMED',
          };
        }),
      );
      const folders = docks.folders
        .filter(({ rule }) => isOpen({ studyId: rule.studyId }))
        .map(({ rule: { path, studyId, action }, seen }) => {
          const inSets = new Set([...seen.sets.values()].flatMap(({ members }) => members.map((one) => one.path)));
          // A set counts once; a file that could still become a part of one waits.
          const states = [
            ...[...seen.files]
              .filter(([name]) => !inSets.has(name))
              .map(([name, { state }]) => (state === 'part' || seen.heldBack.has(name) ? 'waiting' : state)),
            ...[...seen.sets.values()].map(({ state }) => state),
          ];
          const countOf = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
          return {
            ...{ path, studyId, action, isThere: seen.isThere, isCut: seen.isCut },
            recordings: countOf('recording'),
            growing: countOf('growing', 'waiting'),
            foreign: countOf('foreign'),
            unreadable: countOf('unreadable') + seen.closed.size,
            unreadableFiles: unreadableIn(seen).slice(0, NAMED_FILES),
          };
        });
      return {
        isOn,
        ...(docks.lastLookTs !== undefined && { lookedTs: docks.lastLookTs }),
        docks: shown,
        folders,
      };
    },
    listTransfers: async ({ params: { accountId }, caller }) => {
      const isOpen = await allowedPlaces(deps, caller, 'transfer.read');
      const all = (await docks.list(accountId)).filter((shown) => isOpen(placeOfTransfer(shown)));
      const items = await Promise.all(all.map(shownAs));
      return { items, size: items.length };
    },
    takeTransfer: async ({ params: { transferId }, body, caller }) => {
      const { studyId, subjectId, reason, timeZone, location, side, startTs, csvTemplateId } = body;
      await requireInStudy(deps, caller, studyId, 'transfer.decide');
      if ((await store.subjects.get(subjectId))?.studyId !== studyId) throw notFound('subject');
      if (timeZone !== undefined && !isTimeZone(timeZone)) throw invalidField('timeZone', 'is no time zone');
      const options = {
        ...(timeZone && { timeZone }),
        ...(location && { location }),
        ...(side && { side }),
        ...(startTs !== undefined && { defaultStartUs: startTs * 1000 }),
      };
      const input = { studyId, subjectId, ...(reason && { reason }), options, csvTemplateId };
      return await shownAs(await docks.take(transferId, input, changeBy(caller, reason)));
    },
    dismissTransfer: async ({ params: { transferId }, body: { reason }, caller }) => {
      await docks.dismiss(transferId, reason, changeBy(caller, reason));
    },
    confirmTransfer: async ({ params: { transferId }, caller }) =>
      await shownAs(await docks.confirm(transferId, changeBy(caller))),
  };
}
