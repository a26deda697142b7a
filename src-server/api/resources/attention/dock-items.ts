/** Items of Today about docked recorders and watched folders: what waits for a person, what failed, and what may be cleared once confirmed. */

import type { ShownTransfer } from '../../../docks/docks.ts';
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
  return (Object.keys(found) as Reason[]).flatMap((reason) => {
    const open = found[reason].filter((shown) => isOpen(placeOfTransfer(shown)));
    const ofStudies = Map.groupBy(open, (shown) => placeOfTransfer(shown).studyId);
    return [...ofStudies]
      .filter(([studyId]) => only === undefined || studyId === only)
      .map(([studyId, group]) => itemOf(reason, studyId, group, { siteId: deps.siteId, nowMs }));
  });
}

function itemOf(
  reason: Reason,
  studyId: string | undefined,
  group: readonly ShownTransfer[],
  { siteId, nowMs }: { siteId: string; nowMs: number },
): AttentionItem {
  const names = [...new Set(group.map(({ row, found }) => row?.displayName ?? found!.displayName))];
  const shownNames = names.slice(0, NAMED);
  const detail = [...shownNames, ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join(', ');
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
