/** Items of Today about what people of the study left for each other: follow-ups of notes, and data queries. */
import type { StudyRecord } from '../../../db/index.ts';
import {
  type AttentionItem,
  consentAttention,
  followUpAttention,
  type QueryPeople,
  queryAttention,
  visitAttention,
} from '../../../study/attention.ts';
import { addDays, fixedZone, localDateAt, localDateIn, midnightWindow } from '../../../study/day-windows.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../framework/authenticate.ts';
import { allowedPlaces } from '../../framework/authorize.ts';

/** Studies in which somebody can still do something about an item: nothing changes in a locked one. */
const openOnes = (studies: readonly StudyRecord[]): string[] =>
  studies.flatMap(({ id, isArchived, lockedTs }) => (isArchived || lockedTs !== undefined ? [] : [id]));

/** Returns the follow-ups that are due by the date where the caller is. */
export async function followUpItems(
  deps: ApiDeps,
  caller: Caller,
  studies: readonly StudyRecord[],
): Promise<AttentionItem[]> {
  const nowMs = deps.clock();
  const zone = fixedZone(caller.user.timezone);
  const due = await deps.store.notes.dueFollowUps(openOnes(studies), localDateIn(nowMs, caller.user.timezone));
  const followUps = due.map(({ followUpDate = '', ...note }) => ({
    ...note,
    followUpDate,
    dueTs: midnightWindow(followUpDate, zone).startMs,
  }));
  return followUpAttention(followUps, caller.user.id, nowMs);
}

/** Returns visits to see to and consents that are due, of subjects that are shown. */
export async function participationItems(
  deps: ApiDeps,
  studies: readonly StudyRecord[],
  isShown: (subjectId: string) => boolean,
): Promise<AttentionItem[]> {
  const { participation, subjects } = deps.store;
  const ids = openOnes(studies.filter(({ lifecycleState }) => lifecycleState !== 'COMPLETE'));
  const nowMs = deps.clock();
  // Where the day begins first, it is already tomorrow.
  const until = addDays(localDateIn(nowMs, 'UTC'), 1);
  const visits = (await participation.visitsNeedingAttention(ids, until)).filter(({ subjectId }) => isShown(subjectId));
  const zones = await subjects.zonesOf([...new Set(visits.map(({ subjectId }) => subjectId))]);
  const consents = (await participation.consentsDue(ids)).filter(({ subjectId }) => isShown(subjectId));
  return [
    ...visitAttention(visits, (subjectId) => localDateAt(nowMs, zones.get(subjectId) ?? fixedZone('UTC'))),
    ...consentAttention(consents),
  ];
}

/** Returns the queries that wait for the caller. */
export async function queryItems(
  deps: ApiDeps,
  caller: Caller,
  studies: readonly StudyRecord[],
): Promise<AttentionItem[]> {
  const rows = await deps.store.dataQueries.unresolved(openOnes(studies));
  const mayAnswer = await allowedPlaces(deps, caller, 'query.answer');
  const mayResolve = await allowedPlaces(deps, caller, 'query.resolve');
  const people = new Map<string, QueryPeople>();
  for (const studyId of new Set(rows.map((row) => row.studyId))) {
    const present = new Set((await deps.store.studies.people(studyId)).map(({ id }) => id));
    people.set(studyId, {
      isPresent: (userId) => present.has(userId),
      mayAnswer: mayAnswer({ studyId }),
      mayResolve: mayResolve({ studyId }),
    });
  }
  return queryAttention(rows, caller.user.id, (studyId) => people.get(studyId)!);
}
