/** Recordings: lists, statistics, raw data, signed addresses of their files and the files themselves. */
import type { Request, Response } from 'express';
import type { FaultRecord, RecordingFilter, RecordingRecord, ShownRecording } from '../../db/index.ts';
import type { Store } from '../../services/index.ts';
import type { Recording } from '../contract/index.ts';
import type { recordingRoutes } from '../contract/resources/recordings.ts';
import type { QueryOf } from '../contract/route.ts';
import type { ApiDeps } from '../deps.ts';
import { ByteStream } from '../framework/byte-stream.ts';
import { dateSpanOf } from '../framework/date-window.ts';
import { invalidField, notFound } from '../framework/errors.ts';
import { type Handlers, SENT } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { signedUrlOf } from '../framework/signed-url.ts';
import { sendPages } from '../framework/stream.ts';
import { answeredUnchanged, forbidStoring } from '../framework/validators.ts';
import { dataUseOf, requireUsable } from './data-use.ts';
import { toFault } from './equipment.ts';
import { OpenSignalFiles } from './raw-data/open-files.ts';
import { boundedWindow, type RawDataSource, readPage, signalPath } from './raw-data/page.ts';
import { RecordingFiles } from './raw-data/recording-files.ts';
import { writeJsonPage } from './raw-data/write.ts';
import { faultsOf } from './recording-faults.ts';
import { toPlacement } from './sensor-settings.ts';

const ARROW_STREAM = 'application/vnd.apache.arrow.stream';

/** Converts a recording to the contract. */
function toRecording(row: ShownRecording, faults: readonly FaultRecord[]): Recording {
  return {
    id: row.id,
    studyId: row.studyId,
    subjectId: row.subjectId,
    deviceConfigId: row.deviceConfigId,
    createdTs: row.createdTs,
    recordingId: row.recordingId,
    recordingStartTs: Math.floor(row.startUs / 1000),
    recordingStopTs: Math.floor(row.stopUs / 1000),
    uploadStartTs: row.uploadStartTs,
    export: {
      href: `/v1/studies/${row.studyId}/recordings/${row.id}/export`,
      sizeBytes: row.exportSizeBytes ?? row.sizeBytes,
    },
    faults: faults.map(toFault),
    firmwareId: row.firmwareId,
    hardwareId: row.hardwareId,
    udid: row.udid,
    ...(row.equipmentId !== undefined && { equipmentId: row.equipmentId }),
    ...toPlacement(row),
    status: row.status,
  };
}

/** Converts recordings, each with its faults. `isGapless` as for {@link faultsOf}. */
export async function toRecordings(
  store: Pick<Store, 'faults' | 'recordings'>,
  rows: readonly ShownRecording[],
  isGapless = false,
): Promise<Recording[]> {
  const faults = await faultsOf(store, rows, isGapless);
  return rows.map((row) => toRecording(row, faults.get(row.id) ?? []));
}

/** Returns the sources of a raw-data window: the subject's recordings that overlap it, by start. */
async function sourcesOf(
  deps: ApiDeps,
  subjectId: string,
  fromMs: number,
  toMs: number,
  udid: string | undefined,
): Promise<RawDataSource[]> {
  const span = { fromUs: fromMs * 1000, toUs: toMs * 1000 + 999, ...(udid === undefined ? {} : { udid }) };
  const rows = await deps.store.recordings.listForSubject(subjectId, span);
  const recordings = await toRecordings(deps.store, rows);
  return recordings.map((recording, i) => ({
    recording,
    path: signalPath(deps.signalsDir, recording.id),
    content: `${rows[i]!.sha256} ${rows[i]!.fileState}`,
  }));
}

interface RawDataRequest {
  studyId: string;
  subjectId: string;
  /** Epoch ms, inclusive. */
  from: number;
  to: number;
  udid?: string;
  micros: boolean;
}

/** Sends a page. Its link to the next page is the same query of the subject's data with a later `from`. */
async function sendRawData(
  deps: ApiDeps,
  openFiles: OpenSignalFiles,
  wanted: RawDataRequest,
  request: Request,
  response: Response,
): Promise<void> {
  const { studyId, subjectId, micros } = wanted;
  const { fromMs, toMs } = boundedWindow(wanted.from, wanted.to);
  const sources = await sourcesOf(deps, subjectId, fromMs, toMs, wanted.udid);
  const facts = sources.map(({ recording, content }) => [recording, content]);
  const mediaType = request.accepts(['application/json', ARROW_STREAM]);
  response.vary('Accept');
  if (answeredUnchanged(request, response, [deps.version, mediaType, facts])) return;
  const page = await readPage(openFiles, sources, { fromMs, toMs });
  // A damaged file may be restored, and then the same facts have another page.
  if (page.warnings.length > 0) forbidStoring(response);
  let next: string | undefined;
  if (page.lastMs < toMs) {
    const query = new URLSearchParams(request.originalUrl.split('?', 2)[1] ?? '');
    if (!query.has('to')) query.set('to', String(toMs));
    query.set('from', String(page.lastMs + 1));
    next = `/v1/studies/${studyId}/subjects/${subjectId}/data?${query}`;
  }
  response.status(200);
  if (next !== undefined) response.setHeader('link', `<${next}>; rel="next"`);
  if (mediaType === ARROW_STREAM) {
    response.type(ARROW_STREAM);
    // Loaded here: its library has 146 modules, and most sites never need them.
    const { writeArrowPage } = await import('./raw-data/arrow.ts');
    await writeArrowPage(new ByteStream(response), page, next);
  } else {
    response.type('application/json');
    await writeJsonPage(new ByteStream(response), page, micros, next);
  }
}

type RecordingsQuery = QueryOf<(typeof recordingRoutes)['listStudyRecordings']>;

/** @throws INVALID_INPUT when the window is reversed */
function filterOf({ from, to, newest }: RecordingsQuery): RecordingFilter {
  if (from !== undefined && to !== undefined && from > to) throw invalidField('from', 'must not be after `to`');
  return {
    ...(from !== undefined && { fromUs: from * 1000 }),
    ...(to !== undefined && { toUs: to * 1000 + 999 }),
    isNewestFirst: newest,
  };
}

/** The filter, narrowed to what shares time with a recording. */
function sharingTime(filter: RecordingFilter, { startUs, stopUs }: RecordingRecord): RecordingFilter {
  const { fromUs = startUs, toUs = stopUs } = filter;
  return { ...filter, fromUs: Math.max(fromUs, startUs), toUs: Math.min(toUs, stopUs) };
}

/** Pages forwards and backwards do not continue each other. */
function pagesOf({ newest }: RecordingsQuery): PagedList<ShownRecording> {
  return {
    name: newest ? 'recordings-newest' : 'recordings',
    key: ['number', 'string'],
    keyOf: ({ startUs, id }) => [startUs, id],
  };
}

/** Recordings that are held at once. A study of some years has more than a hundred thousand. */
const HELD_RECORDINGS = 2000;

/** Answers the whole list or a page of it. A whole list that is long is read while it is sent. */
async function answerList(
  store: Pick<Store, 'faults' | 'recordings'>,
  query: RecordingsQuery,
  filter: RecordingFilter,
  { request, response }: { request: Request; response: Response },
  read: (filter: RecordingFilter) => Promise<ShownRecording[]>,
) {
  const list = pagesOf(query);
  const isWhole = query.limit === undefined && query.cursor === undefined;
  const isGapless = filter.fromUs === undefined && filter.toUs === undefined;
  const { rows, links } = await readListPage(request, list, query, (keyset = { limit: HELD_RECORDINGS }) =>
    read({ ...filter, keyset }),
  );
  if (!isWhole || rows.length < HELD_RECORDINGS) {
    const items = await toRecordings(store, rows, isGapless);
    return { items, size: items.length, ...links };
  }
  async function* pages() {
    for (let page = rows; page.length > 0; ) {
      yield await toRecordings(store, page, isGapless);
      page = await read({ ...filter, keyset: { limit: HELD_RECORDINGS, after: list.keyOf(page.at(-1)!) } });
    }
  }
  await sendPages(response, pages());
  return SENT;
}

export function recordingHandlers(deps: ApiDeps): Handlers<typeof recordingRoutes> {
  const { store } = deps;
  const files = new RecordingFiles(deps);
  const openFiles = new OpenSignalFiles();
  return {
    listStudyRecordings: async ({ params: { studyId }, query, request, response }) =>
      await answerList(store, query, filterOf(query), { request, response }, (filter) =>
        store.recordings.shownOfStudy(studyId, filter),
      ),
    listSubjectRecordings: async ({ params: { subjectId }, query, request, response }) => {
      const beside = query.overlapping === undefined ? undefined : await store.recordings.get(query.overlapping);
      if (query.overlapping !== undefined && beside?.subjectId !== subjectId) return { items: [], size: 0 };
      const wanted = beside ? sharingTime(filterOf(query), beside) : filterOf(query);
      return await answerList(store, query, wanted, { request, response }, (filter) =>
        store.recordings.shownOfSubject(subjectId, filter),
      );
    },
    listRecordingStats: async ({ params: { studyId } }) => {
      const sensors = await store.equipment.countSensorsOfStudy(studyId);
      const counted = (await store.subjects.list(studyId)).filter((subject) => !subject.isTest);
      const summaries = await store.recordingSummaries.ofSubjects(counted.map(({ id }) => id));
      const items = counted.flatMap(({ id: subjectId }) => {
        const summary = summaries.get(subjectId);
        if (!summary) return [];
        const { countDays, countRecordings, durationMs, firstStartUs, lastStartUs, lastUploadTs } = summary;
        return [
          {
            subjectId,
            countDays,
            countRecordings,
            countSensors: sensors.get(subjectId) ?? 0,
            durationMs,
            firstStartTs: Math.floor(firstStartUs / 1000),
            lastStartTs: Math.floor(lastStartUs / 1000),
            lastUploadTs,
          },
        ];
      });
      return { items, size: items.length };
    },
    listDailyRecordingStats: async ({ params: { studyId }, query }) => {
      const rows = await store.recordingSummaries.daysOfStudy(studyId, dateSpanOf(query));
      const items = rows.map((row) => ({ studyId, ...row }));
      return { items, size: items.length };
    },
    getRawData: async ({ params, query, request, response }) => {
      const { from, to, deviceId, tsMicros } = query;
      if (from > to) throw invalidField('from', 'must not be after `to`');
      const wanted = { ...params, from, to, udid: deviceId, micros: tsMicros ?? false };
      await sendRawData(deps, openFiles, wanted, request, response);
      return SENT;
    },
    getAnnotationData: async ({ params, query, request, response }) => {
      const annotation = await store.annotations.get(params.annotationId);
      if (annotation?.studyId !== params.studyId) throw notFound('annotation');
      const { subjectId, startTs: from, stopTs: to } = annotation;
      const { studyId } = params;
      const wanted = { studyId, subjectId, from, to, udid: query.deviceId, micros: query.tsMicros ?? false };
      await sendRawData(deps, openFiles, wanted, request, response);
      return SENT;
    },
    getRecordingExport: async ({ params, query, request }) => {
      const row = await store.recordings.get(params.recordingId);
      if (row?.studyId !== params.studyId) throw notFound('recording');
      requireUsable(await dataUseOf(store, row.subjectId), row.stopUs / 1000);
      const address = `/api/v1/files/recordings/${row.id}`;
      if (query.deidentified) return signedUrlOf(deps, request, `${address}/deidentified/${query.format}`);
      const isZip = query.format === 'zip';
      return signedUrlOf(deps, request, isZip ? `${address}/export.zip` : `${address}/formats/${query.format}`);
    },
    downloadRecordingFile: async ({ params, response }) => {
      await files.send(response, params.recordingId, 'mc10-zip');
      return SENT;
    },
    downloadRecordingDeidentified: async ({ params: { recordingId, format }, response }) => {
      await files.send(response, recordingId, format === 'zip' ? 'mc10-zip' : format, true);
      return SENT;
    },
    downloadRecordingAs: async ({ params, response }) => {
      await files.send(response, params.recordingId, params.format);
      return SENT;
    },
  };
}
