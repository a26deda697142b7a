/** Matches what was found to the equipment register and to who held the recorder. Reads only; the rule is in `study/transfers.ts`. */
import type { Temporal } from 'temporal-polyfill';
import { OutpostError } from '../errors.ts';
import { instantOfLocalTime } from '../importers/local-time.ts';
import type { Store } from '../services/index.ts';
import { type Match, matchOf, serialKey } from '../study/transfers.ts';
import type { Closed } from '../study/upload-rules.ts';
import type { FileFault, TransferQuestion } from '../vocabulary/docks.ts';
import type { Found } from './found.ts';
import type { UnreadableFile } from './found-folder.ts';

export interface MatchedFound extends Match {
  accountId: string;
  equipmentId?: string;
  startTs?: number;
  stopTs?: number;
}

export async function matchFound(
  store: Store,
  found: Found,
  options: { timeZone: string; nowMs: number },
): Promise<MatchedFound> {
  const { recognised, folder } = found;
  const { serial, sessionId } = recognised;
  const startMs = recognised.startMs ?? instantOf(recognised.start, options.timeZone);
  const knownStopMs = instantOf(recognised.stop, options.timeZone);
  const stopMs = knownStopMs ?? stopBy(recognised, startMs, options.nowMs);
  const sensors =
    serial === undefined
      ? []
      : (await store.transfers.sensors()).filter(({ id }) => serialKey(id) === serialKey(serial));
  // A folder belongs to its study; numbers of other accounts may be the same.
  const accountId = (folder ? undefined : sensors[0]?.accountId) ?? (await accountOf(store, folder?.studyId));
  const own = sensors.filter((sensor) => sensor.accountId === accountId);
  const equipmentId = own.length === 1 ? own[0]!.id : undefined;
  const holdings = equipmentId === undefined ? [] : await store.equipment.holdings(equipmentId);
  const others =
    equipmentId === undefined || startMs === undefined || stopMs === undefined
      ? []
      : await store.transfers.recordingsOf(equipmentId, { fromUs: startMs * 1000, toUs: stopMs * 1000 });
  const earlier =
    serial === undefined || sessionId === undefined ? [] : await store.transfers.ofSession(serial, sessionId);
  const closed = new Map<string, Closed>();
  for (const studyId of new Set(holdings.map((holding) => holding.studyId))) {
    const study = await store.studies.require(studyId);
    if (study.lockedTs !== undefined) closed.set(studyId, 'STUDY_LOCKED');
    else if (study.lifecycleState === 'COMPLETE') closed.set(studyId, 'STUDY_COMPLETE');
  }
  const match = matchOf({
    serial,
    label: found.label,
    startMs,
    stopMs,
    equipmentIds: own.map(({ id }) => id),
    holdings,
    others: others.map(({ id, startUs, stopUs }) => ({ id, startMs: startUs / 1000, stopMs: stopUs / 1000 })),
    hasShorterCopy: earlier.some(
      ({ id, state }) => id !== recognised.id && state !== 'DISMISSED' && state !== 'FAILED',
    ),
    studyId: folder?.studyId,
    nowMs: options.nowMs,
    closedBy: (studyId) => closed.get(studyId),
  });
  return {
    accountId,
    ...asked(found, match),
    ...(equipmentId !== undefined && { equipmentId }),
    ...(startMs !== undefined && { startTs: startMs }),
    ...(knownStopMs !== undefined && { stopTs: knownStopMs }),
  };
}

/** What must be answered before whose it is: files that came late or are missing, and how a table is read. */
function asked({ late, missing, unreadable, recognised: { table } }: Found, match: Match): Match {
  const ask = (code: TransferQuestion, message: string): Match => ({ ...match, question: { code, message } });
  if (late) {
    const { names, studyId, subjectId } = late;
    const several = names.length > 1;
    const message = `${named(names)} arrived after the other files of this recording were taken. ${several ? 'They are' : 'It is'} not part of what is stored.`;
    return {
      question: { code: 'LATE_FILES', message },
      ...(studyId !== undefined && { studyId }),
      ...(subjectId !== undefined && { subjectId }),
    };
  }
  if (unreadable) return ask('UNREADABLE_FILES', unreadableText(unreadable));
  if (missing) return ask('MISSING_FILES', `The header names files that are not there: ${named(missing)}.`);
  const { templateIds = [], isGuess = false } = table ?? {};
  if (templateIds.length > 1) {
    return ask('CSV_TEMPLATE', 'Several templates of the study have the header of this table and read it differently.');
  }
  if (table && !isGuess && templateIds.length === 0) {
    return ask('CSV_TEMPLATE', 'No template of the study has the header of this table. Choose how it is read.');
  }
  return match;
}

/** Why a file cannot be read, and what to do. */
export const FAULT_TEXTS: Readonly<Record<FileFault, string>> = {
  NO_ACCESS: 'the user that runs Outpost may not read it; grant access',
  IN_USE: 'another program uses it; close that program',
  AWAY: 'its drive does not answer; connect it again',
  DISK_ERROR: 'the disk reports an error; copy the file from the device again',
};

/** What cannot be read, why, and what to do. */
export function unreadableText(files: readonly UnreadableFile[]): string {
  const parts = [...Map.groupBy(files, ({ why }) => why)].map(
    ([why, group]) => `${named(group.map(({ name }) => name))} (${FAULT_TEXTS[why]})`,
  );
  return `These files cannot be read: ${parts.join(', ')}. They join the recording once they can be read; taking it now leaves them out.`;
}

const NAMED = 5;

const named = (names: readonly string[]): string =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join(', ');

/** What no equipment names belongs to the account of its folder's study, or to the first account of the site. */
async function accountOf(store: Store, studyId: string | undefined): Promise<string> {
  const study = studyId === undefined ? undefined : await store.studies.get(studyId);
  const accountId = study?.accountId ?? (await store.accounts.list())[0]?.id;
  if (accountId === undefined) throw new OutpostError('NOT_FOUND', 'The site has no account.');
  return accountId;
}

/** A file that was written before it began has a wrong clock somewhere, so its end stays unknown. */
function stopBy({ stopByMs }: Found['recognised'], startMs: number | undefined, nowMs: number): number | undefined {
  if (stopByMs === undefined || startMs === undefined || stopByMs <= startMs) return undefined;
  return Math.min(stopByMs, nowMs);
}

function instantOf(time: Temporal.PlainDateTime | undefined, timeZone: string): number | undefined {
  return time && Math.floor(instantOfLocalTime(time, timeZone, undefined, []) / 1000);
}
