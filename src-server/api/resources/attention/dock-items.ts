/** Items of Today about docked recorders and watched folders: what waits for a person, what failed, and what may be cleared once confirmed. */

import type { ShownTransfer } from '../../../docks/docks.ts';
import { lastinglyUnreadableIn } from '../../../docks/found-folder.ts';
import { DAY_MS } from '../../../durations.ts';
import type { AttentionItem } from '../../../study/attention.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Caller } from '../../framework/authenticate.ts';
import { allowedPlaces } from '../../framework/authorize.ts';
import { placeOfTransfer } from '../../framework/places.ts';

/** More recordings than this in one watched folder are not matched one by one for a list. */
const MATCHED_LIMIT = 100;
const NAMED = 3;
const RECENT_MS = 14 * DAY_MS;

type Reason = 'DOCK_WAITING' | 'DOCK_FAILED' | 'DOCK_STORED';

const SENTENCES: Readonly<Record<Reason, (names: string) => string>> = {
  DOCK_WAITING: (names) => `Recordings on docked devices or in watched folders wait for a person: ${names}.`,
  DOCK_FAILED: (names) => `Recordings could not be copied from their device or folder: ${names}.`,
  DOCK_STORED: (names) =>
    `Recordings are stored and verified. Confirm that before their devices are cleared: ${names}.`,
};

/** Returns one item per study and reason, so that twenty docked recorders are three lines and not twenty. */
export async function dockItems(
  deps: ApiDeps,
  caller: Caller,
  accountId: string,
  only: string | undefined,
): Promise<AttentionItem[]> {
  const isOpen = await allowedPlaces(deps, caller, 'transfer.read');
  const nowMs = deps.clock();
  const found: Record<Reason, ShownTransfer[]> = {
    DOCK_WAITING: await deps.docks.waiting(accountId, MATCHED_LIMIT),
    DOCK_FAILED: [],
    DOCK_STORED: [],
  };
  for (const shown of await deps.docks.unfinished(accountId)) {
    const { state, modifiedTs, jobId } = shown.row!;
    // A failed import is an item of the failed jobs.
    if (state === 'FAILED' && (jobId !== undefined || modifiedTs < nowMs - RECENT_MS)) continue;
    found[state === 'STORED' ? 'DOCK_STORED' : 'DOCK_FAILED'].push(shown);
  }
  const ofTransfers = (Object.keys(found) as Reason[]).flatMap((reason) => {
    const open = found[reason].filter((shown) => isOpen(placeOfTransfer(shown)));
    const ofStudies = Map.groupBy(open, (shown) => placeOfTransfer(shown).studyId);
    return [...ofStudies]
      .filter(([studyId]) => only === undefined || studyId === only)
      .map(([studyId, group]) => itemOf(reason, studyId, group, { siteId: deps.siteId, nowMs }));
  });
  const ofStudies = Map.groupBy(deps.docks.folders, ({ rule }) => rule.studyId);
  const unreadable = [...ofStudies].flatMap(([studyId, folders]) => {
    if (!isOpen({ studyId }) || (only !== undefined && studyId !== only)) return [];
    const files = folders.flatMap(({ rule, seen }) =>
      lastinglyUnreadableIn(seen).map(({ name, sinceMs }) => ({ path: `${rule.path}/${name}`, sinceMs })),
    );
    if (files.length === 0) return [];
    const sinceTs = deps.docks.tsOf(Math.min(...files.map(({ sinceMs }) => sinceMs)));
    const paths = files.map(({ path }) => path).sort();
    return [unreadableItem(studyId, paths, { siteId: deps.siteId, sinceTs })];
  });
  return [...ofTransfers, ...unreadable];
}

/** Files and folders in watched folders that could not be read for minutes: nothing else would say that a recording is not coming. */
function unreadableItem(
  studyId: string,
  paths: readonly string[],
  { siteId, sinceTs }: { siteId: string; sinceTs: number },
): AttentionItem {
  const detail = detailOf(paths.map((path) => path.split('/').filter(Boolean).at(-1)!));
  return {
    id: `DOCK_UNREADABLE:${studyId}`,
    reason: 'DOCK_UNREADABLE',
    sentence: `Files in watched folders cannot be read: ${detail}.`,
    studyId,
    sinceTs,
    evidence: { count: paths.length, detail },
    evidenceKey: paths.join(' '),
    action: { kind: 'CHECK_DOCK', target: { type: 'site', id: siteId } },
  };
}

const detailOf = (names: readonly string[]): string =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join(', ');

function itemOf(
  reason: Reason,
  studyId: string | undefined,
  group: readonly ShownTransfer[],
  { siteId, nowMs }: { siteId: string; nowMs: number },
): AttentionItem {
  const names = [...new Set(group.map(({ row, found }) => row?.displayName ?? found!.displayName))];
  const detail = detailOf(names);
  return {
    id: `${reason}:${studyId ?? 'site'}`,
    reason,
    sentence: SENTENCES[reason](detail),
    ...(studyId !== undefined && { studyId }),
    sinceTs: Math.min(nowMs, ...group.map(({ row, match }) => row?.modifiedTs ?? match?.stopTs ?? nowMs)),
    evidence: { count: group.length, detail },
    evidenceKey: group
      .map(({ id }) => id)
      .sort()
      .join(' '),
    action: { kind: 'CHECK_DOCK', target: { type: 'site', id: siteId } },
  };
}
