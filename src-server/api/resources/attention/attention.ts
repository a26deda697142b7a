/** The attention list, with a fixed number of queries per study, regardless of the number of subjects. */

import type { StudyRecord, UserRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import {
  type AttentionItem,
  type AttentionSubject,
  type AttentionUpload,
  inAttentionOrder,
  subjectAttention,
  uploadAttention,
} from '../../../study/attention.ts';
import { localDateAt, localDateIn } from '../../../study/day-windows.ts';
import { isAllowed } from '../../../study/permissions.ts';
import { adherenceOf, dueUntil, programEndMs } from '../../../study/program.ts';
import { SEVERITY_OF_REASON } from '../../../vocabulary/coverage.ts';
import type { AttentionItem as ShownItem } from '../../contract/index.ts';
import type { attentionRoutes } from '../../contract/resources/attention.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Caller, changeBy } from '../../framework/authenticate.ts';
import { inAllowedPlaces, readableStudies, requireInStudy } from '../../framework/authorize.ts';
import { invalidField, notFound } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { phoneAddressItems } from '../devices/phone-addresses.ts';
import { dockItems } from './dock-items.ts';
import { followUpItems, participationItems, queryItems } from './people-items.ts';
import { failedJobs, siteItems, versionItems } from './site-items.ts';

/** Long enough to find three days with tasks, even with days off in between. */
const TASKS_BACK_MS = 30 * DAY_MS;
const BATTERIES_BACK_MS = 7 * DAY_MS;
const REFUSALS_BACK_MS = 14 * DAY_MS;
const LONGEST_SNOOZE_MS = 90 * DAY_MS;

interface Found {
  items: AttentionItem[];
  studyNames: Map<string, string>;
  subjectNames: Map<string, string>;
  /** Neither hidden nor a test. */
  shownSubjects: Set<string>;
}

async function subjectItems(deps: ApiDeps, studies: readonly StudyRecord[]): Promise<Found> {
  const { attention, studies: studyRows } = deps.store;
  const nowMs = deps.clock();
  const ids = studies.map(({ id }) => id);
  const subjects = await attention.subjects(ids);
  const zones = await attention.zones(ids);
  const fromDate = localDateIn(nowMs - TASKS_BACK_MS, 'UTC');
  const done = Map.groupBy(await deps.store.taskDays.months(ids, { fromDate }), ({ subjectId }) => subjectId);
  const held = await attention.held(ids);
  const flat = await attention.flatBatteries(ids, nowMs - BATTERIES_BACK_MS);
  const unread = await attention.unread(ids);
  const byStudy = Map.groupBy(subjects, ({ studyId }) => studyId);
  const items: AttentionItem[] = [];
  for (const study of studies) {
    const history = await studyRows.programHistory(study);
    const earliest = nowMs - TASKS_BACK_MS;
    for (const subject of byStudy.get(study.id) ?? []) {
      const clock = zones.get(subject.id);
      if (!clock) continue;
      const today = localDateAt(nowMs, clock);
      const firstDate = localDateAt(earliest + DAY_MS, clock);
      const span = { fromDate: firstDate, toDate: today };
      const days = adherenceOf(
        history,
        subject.programStartTs,
        done.get(subject.id) ?? [],
        clock,
        dueUntil(subject, nowMs),
        span,
      );
      const programEnd = programEndMs(study.program, subject, clock);
      const facts: AttentionSubject = {
        ...subject,
        ...(programEnd !== undefined && { programEndMs: programEnd }),
        days: days.filter(({ date }) => date < today && date >= firstDate),
        held: held.get(subject.id) ?? [],
        flatBatteries: flat.get(subject.id) ?? [],
        unread: unread.get(subject.id) ?? [],
      };
      items.push(...subjectAttention({ ...study, state: study.lifecycleState }, facts, nowMs));
    }
  }
  return {
    items,
    studyNames: new Map(studies.map(({ id, displayName }) => [id, displayName])),
    subjectNames: new Map(subjects.map(({ id, displayName }) => [id, displayName])),
    shownSubjects: new Set(subjects.flatMap(({ id, isHidden, isTest }) => (isHidden || isTest ? [] : [id]))),
  };
}

/** Returns all items that the caller may see, snoozed or not. */
async function itemsFor(deps: ApiDeps, caller: Caller, only?: StudyRecord): Promise<Found> {
  const { accountId } = caller.user;
  const studies = only ? [only] : await readableStudies(deps, caller);
  // An archived study can still have unreturned equipment and unread messages, but its files and jobs need no action.
  const found = await subjectItems(deps, studies);
  const current = new Set(studies.filter(({ isArchived }) => !isArchived).map(({ id }) => id));
  const isOwn = ({ studyId }: { studyId?: string }) => studyId !== undefined && current.has(studyId);
  const maySeeUnassigned = only === undefined && isAllowed(caller.role, 'upload.read');
  const uploads = await deps.store.attention.uploads(accountId, deps.clock() - REFUSALS_BACK_MS);
  found.items.push(
    ...uploadAttention([
      ...uploads.filter(isOwn),
      ...(maySeeUnassigned ? await unassignedUploads(deps, caller, uploads) : []),
    ]),
  );
  found.items.push(...(await followUpItems(deps, caller, studies)), ...(await queryItems(deps, caller, studies)));
  found.items.push(...(await participationItems(deps, studies, (subjectId) => found.shownSubjects.has(subjectId))));
  const docked = await dockItems(deps, caller, accountId, only?.id);
  found.items.push(...docked.filter(({ studyId }) => studyId === undefined || current.has(studyId)));
  // Those who hand out sign-ins of phones.
  if (only === undefined && isAllowed(caller.role, 'device.pair'))
    found.items.push(...(await phoneAddressItems(deps, accountId, current)));
  const isAdmin = only === undefined && isAllowed(caller.role, 'site.manage');
  found.items.push(
    ...(await versionItems(
      deps,
      studies.filter(({ isArchived }) => !isArchived),
    )),
  );
  found.items.push(...(await failedJobs(deps, [...current], isAdmin)));
  if (isAdmin) found.items.push(...(await siteItems(deps, accountId)));
  return found;
}

/** Returns uploads of unknown subjects, except those that belong to a study the caller may not see. */
async function unassignedUploads(
  deps: ApiDeps,
  caller: Caller,
  uploads: readonly AttentionUpload[],
): Promise<AttentionUpload[]> {
  const { store } = deps;
  const unknown = uploads.filter(({ studyId }) => studyId === undefined);
  return await inAllowedPlaces(deps, caller, 'upload.read', unknown, async ({ id }, places) => {
    const upload = await store.uploads.get(id);
    return upload ? await places.ofUpload(upload) : {};
  });
}

async function shown(deps: ApiDeps, caller: Caller, withSnoozed: boolean, only?: StudyRecord): Promise<ShownItem[]> {
  const { items, studyNames, subjectNames } = await itemsFor(deps, caller, only);
  const snoozes = new Map(
    (await deps.store.attention.snoozes(caller.user.accountId, LONGEST_SNOOZE_MS)).map((row) => [row.itemId, row]),
  );
  return inAttentionOrder(items).flatMap(({ evidenceKey, ...item }): ShownItem[] => {
    const snooze = snoozes.get(item.id);
    const isSnoozed = snooze?.evidenceKey === evidenceKey;
    if (isSnoozed && !withSnoozed) return [];
    const studyName = studyNames.get(item.studyId ?? '');
    const subjectName = subjectNames.get(item.subjectId ?? '');
    return [
      {
        ...item,
        severity: SEVERITY_OF_REASON[item.reason],
        ...(studyName !== undefined && { studyName }),
        ...(subjectName !== undefined && { subjectName }),
        ...(isSnoozed && {
          snooze: {
            untilTs: snooze.untilTs,
            reason: snooze.reason,
            userId: snooze.userId,
            userName: snooze.userName,
          },
        }),
      },
    ];
  });
}

/** What a user sees on Today, and in which studies. */
export async function attentionView(
  deps: ApiDeps,
  user: UserRecord,
): Promise<{ studies: StudyRecord[]; items: ShownItem[] }> {
  const caller: Caller = { user, role: user.role, accessToken: '', sessionId: '' };
  return { studies: await readableStudies(deps, caller), items: await shown(deps, caller, false) };
}

export function attentionHandlers(deps: ApiDeps): Handlers<typeof attentionRoutes> {
  const { attention } = deps.store;
  /** Returns an item that the caller may see and snooze. */
  const requireItem = async (caller: Caller, itemId: string): Promise<AttentionItem> => {
    const item = (await itemsFor(deps, caller)).items.find(({ id }) => id === itemId);
    if (!item) throw notFound('item');
    if (item.studyId !== undefined) await requireInStudy(deps, caller, item.studyId, 'attention.snooze');
    return item;
  };
  const placeOf = ({ studyId, subjectId }: AttentionItem) => ({
    ...(studyId !== undefined && { studyId }),
    ...(subjectId !== undefined && { subjectId }),
  });
  return {
    listAttention: async ({ caller, query }) => {
      const items = await shown(deps, caller, query.snoozed === true);
      return { items, size: items.length };
    },
    listStudyAttention: async ({ caller, query, scope }) => {
      const items = await shown(deps, caller, query.snoozed === true, scope.study);
      return { items, size: items.length };
    },
    snoozeAttention: async ({ caller, params: { accountId, itemId }, body: { untilTs, reason } }) => {
      const nowMs = deps.clock();
      if (untilTs <= nowMs) throw invalidField('untilTs', 'must be in the future');
      if (untilTs > nowMs + LONGEST_SNOOZE_MS) throw invalidField('untilTs', 'must be within 90 days');
      const item = await requireItem(caller, itemId);
      const { evidenceKey } = item;
      const userId = caller.user.id;
      await attention.snooze(
        { accountId, itemId, evidenceKey, untilTs, reason, userId },
        placeOf(item),
        changeBy(caller, reason),
      );
    },
    wakeAttention: async ({ caller, params: { accountId, itemId } }) => {
      const item = await requireItem(caller, itemId);
      await attention.wake(accountId, itemId, placeOf(item), changeBy(caller));
    },
  };
}
