/** Uploads as the desk sees and decides them. */
import type { UploadRecord, UploadStep } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import type { Upload, UploadProgress } from '../../contract/index.ts';
import type { uploadRoutes } from '../../contract/resources/uploads.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf, changeBy } from '../../framework/authenticate.ts';
import { inAllowedPlaces, requireInStudy } from '../../framework/authorize.ts';
import { notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';
import { answerManifest } from './manifest.ts';

const LIST_LIMIT = 500;
const PROGRESS_MS = DAY_MS;
const OPEN_STATES = ['RECEIVING', 'RECEIVED', 'QUARANTINED', 'REFUSED'] as const;

function actionsOf({ state }: UploadRecord): Upload['actions'] {
  if (state === 'QUARANTINED') return ['accept', 'reject'];
  return state === 'REJECTED' ? ['accept'] : [];
}

function toUpload(row: UploadRecord): Upload {
  const { facts } = row;
  return {
    id: row.id,
    deviceId: row.deviceId,
    ...(row.userId !== undefined && { userId: row.userId }),
    sensorId: row.sensorId,
    recordingId: row.storedRecordingId ?? row.recordingId,
    state: row.state,
    sizeBytes: row.sizeBytes,
    receivedBytes: row.state === 'RECEIVING' ? row.receivedBytes : row.state === 'REFUSED' ? 0 : row.sizeBytes,
    startTs: Math.floor((facts?.startUs ?? row.startUs) / 1000),
    ...(facts && { stopTs: Math.floor(facts.stopUs / 1000), location: facts.location }),
    ...(row.code !== undefined && { code: row.code }),
    ...(row.message !== undefined && { message: row.message }),
    actions: actionsOf(row),
    ...(row.studyId !== undefined && { studyId: row.studyId }),
    ...(row.subjectId !== undefined && { subjectId: row.subjectId }),
    ...(row.decisionReason !== undefined && { decisionReason: row.decisionReason }),
    createdTs: row.createdTs,
    modifiedTs: row.modifiedTs,
  };
}

function toProgress(deviceId: string, steps: readonly UploadStep[]): UploadProgress {
  const isBlocked = ({ state }: UploadStep) => state === 'REFUSED' || state === 'QUARANTINED';
  const moving = steps.filter((step) => !isBlocked(step));
  const total = (bytesOf: (step: UploadStep) => number) => moving.reduce((sum, step) => sum + bytesOf(step), 0);
  return {
    deviceId,
    recordings: moving.length,
    sizeBytes: total(({ sizeBytes }) => sizeBytes),
    receivedBytes: total(({ state, receivedBytes, sizeBytes }) => (state === 'RECEIVING' ? receivedBytes : sizeBytes)),
    verified: moving.filter(({ state }) => state === 'STORED').length,
    analysed: moving.filter(({ isAnalysed }) => isAnalysed).length,
    blocked: steps.length - moving.length,
    lastTs: Math.max(...steps.map(({ modifiedTs }) => modifiedTs)),
  };
}

const decided = () => new OutpostError('CONFLICT', 'This file does not wait for a decision.');

const UPLOAD_PAGES: PagedList<UploadRecord> = {
  name: 'uploads',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

export function uploadHandlers(deps: ApiDeps): Handlers<typeof uploadRoutes> {
  const { store, jobs } = deps;
  return {
    listUploads: async ({ params: { accountId }, query, caller, request }) => {
      const states = query.state ?? OPEN_STATES;
      const { rows, links } = await readListPage(request, UPLOAD_PAGES, query, (keyset = { limit: LIST_LIMIT }) =>
        store.uploads.list({ accountId, states, keyset }),
      );
      const open = await inAllowedPlaces(deps, caller, 'upload.read', rows, (row, places) => places.ofUpload(row));
      return { items: open.map(toUpload), size: open.length, ...links };
    },
    listUploadProgress: async ({ params: { accountId }, caller }) => {
      const steps = await store.uploads.steps(accountId, deps.clock() - PROGRESS_MS);
      const shown = await inAllowedPlaces(deps, caller, 'upload.read', steps, (row, places) => places.ofUpload(row));
      const items = [...Map.groupBy(shown, ({ deviceId }) => deviceId)].map(([deviceId, own]) =>
        toProgress(deviceId, own),
      );
      items.sort((a, b) => b.lastTs - a.lastTs || (a.deviceId < b.deviceId ? -1 : 1));
      return { items, size: items.length };
    },
    acceptUpload: async ({ params: { uploadId }, body, caller }) => {
      await requireInStudy(deps, caller, body.studyId, 'upload.decide');
      const subject = await store.subjects.get(body.subjectId);
      if (subject?.studyId !== body.studyId) throw notFound('subject');
      const { studyId, subjectId, reason } = body;
      const accepted = await store.uploads.move(
        uploadId,
        ['QUARANTINED', 'REJECTED'],
        {
          state: 'RECEIVED',
          studyId,
          subjectId,
          decidedBy: caller.user.id,
          decisionReason: reason,
          code: null,
          message: null,
        },
        changeBy(caller, reason),
      );
      if (!accepted) throw decided();
      // After a crash before this line, the next start checks every received file.
      await jobs.enqueue('receive', { uploadId, deviceId: accepted.deviceId }, changeBy(caller, reason));
      return toUpload(accepted);
    },
    rejectUpload: async ({ params: { uploadId }, body: { reason }, caller }) => {
      const patch = { state: 'REJECTED', decidedBy: caller.user.id, decisionReason: reason } as const;
      const rejected = await store.uploads.move(uploadId, ['QUARANTINED'], patch, changeBy(caller, reason));
      if (!rejected) throw decided();
      return toUpload(rejected);
    },
    reportManifest: async ({ body, device, request }) => await answerManifest(deps, body, device, addressOf(request)),
  };
}
