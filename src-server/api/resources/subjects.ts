/** Subjects of a study. */

import type { Change, SubjectRecord, SubjectSummaryRecord } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import type { Store } from '../../services/index.ts';
import type { JobRow } from '../../study/jobs.ts';
import { recordedTime } from '../../study/recording-summary.ts';
import { OFFERED_ZONES } from '../../study/zones.ts';
import type { StudyPlan } from '../../vocabulary/participation.ts';
import type { Subject, SubjectSummary } from '../contract/index.ts';
import type { subjectRoutes } from '../contract/resources/subjects.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import { invalidField } from '../framework/errors.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { toHeldDevice } from './equipment.ts';
import { choiceOf } from './participation.ts';
import { toRecordings } from './recordings.ts';

export function toSubject(subject: SubjectRecord): Subject {
  const { age, gender, height, weight, dominantHand, programStartTs } = subject;
  return {
    id: subject.id,
    accountId: subject.accountId,
    studyId: subject.studyId,
    displayName: subject.displayName,
    ...(age === undefined ? {} : { age }),
    ...(gender === undefined ? {} : { gender }),
    ...(height === undefined ? {} : { height }),
    ...(weight === undefined ? {} : { weight }),
    ...(dominantHand === undefined ? {} : { dominantHand }),
    timezone: subject.timezone,
    metadataFields: subject.metadataFields.map(({ displayName, value }) => ({ displayName, value })),
    isHidden: subject.isHidden,
    ...(subject.isTest ? { isTest: true } : {}),
    legaleseVersionAccepted: subject.legaleseVersionAccepted,
    legaleseVersionRequired: subject.legaleseVersionRequired,
    createdTs: subject.createdTs,
    modifiedTs: subject.modifiedTs,
    ...(programStartTs === undefined ? {} : { programStartTs }),
  };
}

/** Queues the analysis of the days that a zone change affects, with a margin of one day on either side. */
async function analyseAgain(
  { recordings, jobs }: Pick<Store, 'recordings' | 'jobs'>,
  place: { studyId: string; subjectId: string },
  fromTs: number,
  change: Change,
): Promise<JobRow | undefined> {
  const rows = (await recordings.listForSubject(place.subjectId, { fromUs: fromTs * 1000 })).filter(
    ({ status }) => status === 'COMPLETE',
  );
  if (rows.length === 0) return undefined;
  const span = {
    fromMs: Math.min(...rows.map(({ startUs }) => Math.floor(startUs / 1000))) - DAY_MS,
    toMs: Math.max(...rows.map(({ stopUs }) => Math.ceil(stopUs / 1000))) + DAY_MS,
  };
  return await jobs.queue('analyse', { ...place, ...span, recordingIds: rows.map(({ id }) => id) }, change);
}

export const SUBJECT_PAGES: PagedList<SubjectRecord> = {
  name: 'subjects',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }) => [createdTs, id],
};

const NOTHING_RECORDED: SubjectSummary = {
  countRecordings: 0,
  countDays: 0,
  countSensors: 0,
  coveredMs: 0,
  sizeBytes: 0,
};

/** What each of the subjects has recorded and when their devices were last heard from. */
async function summariesOf(store: Store, rows: readonly SubjectRecord[]): Promise<Map<string, SubjectSummary>> {
  const ids = rows.map(({ id }) => id);
  const contacts = await store.devices.lastContacts(ids);
  const stored = await store.recordingSummaries.ofSubjects(ids);
  const standings = await standingsOf(store, rows);
  return new Map(
    rows.map(({ id }) => {
      const lastContactTs = contacts.get(id);
      const summary = stored.get(id);
      const recorded = summary ? toSummary(summary) : NOTHING_RECORDED;
      return [id, { ...recorded, ...standings.get(id), ...(lastContactTs !== undefined && { lastContactTs }) }];
    }),
  );
}

/** How each of the subjects takes part. */
async function standingsOf(store: Store, rows: readonly SubjectRecord[]) {
  const standings = await store.participation.standings(rows.map(({ id }) => id));
  const plans = new Map<string, StudyPlan>();
  for (const studyId of new Set(rows.map((row) => row.studyId)))
    plans.set(studyId, (await store.participation.plan(studyId)).plan);
  return new Map(
    standings.map(({ subjectId, studyId, status, statusDate, isConsentDue, groupId, stratumId }) => {
      const group = choiceOf(plans.get(studyId)?.groups ?? [], groupId);
      const stratum = choiceOf(plans.get(studyId)?.strata ?? [], stratumId);
      return [
        subjectId,
        {
          ...{ status, statusDate },
          ...(isConsentDue && { isConsentDue }),
          ...(group && { group }),
          ...(stratum && { stratum }),
        },
      ] as const;
    }),
  );
}

function toSummary(summary: SubjectSummaryRecord): SubjectSummary {
  const { countRecordings, countDays, countSensors, coveredUs, sizeBytes, firstStartUs, lastStopUs } = summary;
  return {
    countRecordings,
    countDays,
    countSensors,
    coveredMs: Math.floor(coveredUs / 1000),
    sizeBytes,
    firstDataTs: Math.floor(firstStartUs / 1000),
    lastDataTs: Math.floor(lastStopUs / 1000),
  };
}

export function subjectHandlers(deps: ApiDeps): Handlers<typeof subjectRoutes> {
  const { subjects, equipment, recordings } = deps.store;

  return {
    listSubjects: async ({ params: { studyId }, query, request }) => {
      const { rows, links } = await readListPage(request, SUBJECT_PAGES, query, (keyset) =>
        subjects.list(studyId, keyset),
      );
      const summaries = query.summary ? await summariesOf(deps.store, rows) : undefined;
      const items = rows.map((row) => ({
        ...toSubject(row),
        ...(summaries && { summary: summaries.get(row.id) ?? NOTHING_RECORDED }),
      }));
      return { items, size: items.length, ...links };
    },
    getSubject: async ({ params: { subjectId }, query, scope }) => ({
      ...toSubject(scope.subject),
      timezones: [...(await subjects.zones(subjectId))],
      devices: (await equipment.heldBy(subjectId)).map(toHeldDevice),
      ...(query.recordings === false
        ? {
            recordings: [],
            recorded: recordedTime(await recordings.spansOfSubject(subjectId)),
            summary: (await summariesOf(deps.store, [scope.subject])).get(subjectId),
          }
        : { recordings: await toRecordings(deps.store, await recordings.shownOfSubject(subjectId), true) }),
    }),
    createSubject: async ({ params, body, caller }) => {
      const { id } = await subjects.create(params.studyId, body, changeBy(caller));
      return { id, links: [{ href: `/v1/studies/${params.studyId}/subjects/${id}`, rel: 'self' }] };
    },
    updateSubject: async ({ params, body, caller }) => {
      const { reason, ...fields } = body;
      const { timezoneFromTs } = fields;
      if (timezoneFromTs !== undefined && timezoneFromTs > deps.clock())
        throw invalidField('timezoneFromTs', 'must not be in the future');
      const change = changeBy(caller, reason);
      // One transaction, so that a crash cannot leave days of the former zone without a job that recomputes them.
      const job = await deps.store.transaction(async (store) => {
        await store.subjects.update(params.subjectId, fields, change);
        return timezoneFromTs === undefined ? undefined : await analyseAgain(store, params, timezoneFromTs, change);
      });
      if (job) deps.jobs.announce(job);
    },
    createSubjectToken: async ({ params, caller }) => ({
      studyId: params.studyId,
      subjectId: params.subjectId,
      token: await subjects.createToken(params.subjectId, changeBy(caller)),
    }),
    listTimeZones: () => ({ items: [...OFFERED_ZONES], size: OFFERED_ZONES.length }),
  };
}
