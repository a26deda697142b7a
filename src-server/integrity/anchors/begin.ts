/** Begins or continues the log of anchors when a site is opened or restored, before anything is written to its database. */
import { v4 as uuidv4 } from 'uuid';
import { toOutpostError } from '../../errors.ts';
import { writeDurably } from '../../files/durable-files.ts';
import type { Store } from '../../services/index.ts';
import { sitePaths } from '../site-file.ts';
import type { Anchor } from './anchor.ts';
import { type AnchorKey, newAnchorKey, readAnchorKey } from './anchor-key.ts';
import { appendAnchor, endOf, type Head, type LogEnd, NEW_LOG, readLog, setLogAside, wholeLog } from './anchor-log.ts';
import { type AuditComparison, continuedSince } from './compare.ts';

export interface AnchorState {
  key: AnchorKey;
  end: LogEnd;
  /** Where the first anchor of this log is. */
  since: Pick<Anchor, 'sequence' | 'timeTs'>;
  continued?: NonNullable<AuditComparison['continuedSince']>;
}

interface AnchoredSite {
  siteDir: string;
  siteId: string;
  store: Pick<Store, 'audit' | 'settings'>;
  nowTs: number;
}

/**
 * Adds the anchor of an opening. What is not as it was (no log, another site's log, no key) gets a line that says so, so that every
 * later check finds it: the site works all the same.
 * @throws failures of the disk; one that is full only where there is no log yet
 */
export async function openAnchors({ siteDir, siteId, store, nowTs }: AnchoredSite): Promise<AnchorState> {
  const { anchorKey, anchorLog } = sitePaths(siteDir);
  const head = await store.audit.head();
  const known = await store.settings.get('audit.anchored');
  let log = await readLog(anchorLog);
  if (log && (log.firstBad !== undefined || (log.anchors[0] && log.anchors[0].siteId !== siteId))) {
    await setLogAside(anchorLog, nowTs);
    log = undefined;
  }
  const end = log ? endOf(log) : NEW_LOG();
  const first = end.n === 0;
  // A line without anything before it, as the very first opening leaves when the power fails, is the start again.
  const wasAnchored = known !== null;
  const found = await readAnchorKey(anchorKey);
  const key = found ?? (await newAnchorKey(anchorKey));
  const isKnownKey = log?.keys.has(key.id) === true && log.anchors.at(-1)?.keyId === key.id;
  const kind = first ? (wasAnchored ? 'restart' : 'start') : isKnownKey ? 'open' : 'key';
  const next = await appendAnchor(anchorLog, end, key, {
    kind,
    siteId,
    ...head,
    timeTs: nowTs,
    ...(kind !== 'open' && { publicKey: key.publicKey }),
  }).catch((thrown: unknown) => {
    // People free space in the open site; the next anchor covers the same rows.
    if (kind === 'open' && toOutpostError(thrown).code === 'DISK_FULL') return end;
    throw thrown;
  });
  if (next !== end) await noteAnchored(store, next, key);
  const since = log?.anchors[0] ?? { ...head, timeTs: nowTs };
  const continued = log && continuedSince(log);
  return {
    key,
    end: next,
    since: { sequence: since.sequence, timeTs: since.timeTs },
    ...(continued && { continued }),
  };
}

/** The database remembers the newest line, durably after the line itself. */
export async function noteAnchored(store: Pick<Store, 'settings'>, end: LogEnd, key: AnchorKey): Promise<void> {
  const { branch, n, lineHash } = end;
  await store.settings.noteAnchoring('audit.anchored', { branch, n, lineHash, keyId: key.id });
}

/**
 * Records that a site continues from a backup: a new branch, which says up to which row it is the trail of the former one. With the
 * key and the log of the site that is replaced it continues these; without them it begins its own.
 * @param from the folder of that site, or one with copies of both files
 */
export async function anchorRestore(
  { siteDir, siteId, store, nowTs }: AnchoredSite,
  base: Head & { backupId: string; backupTs: number },
  from?: string,
): Promise<void> {
  const { anchorKey, anchorLog } = sitePaths(siteDir);
  const before = from === undefined ? undefined : await carried(from, siteId);
  if (before) {
    await writeDurably(anchorKey, before.keyText, 0o600);
    await writeDurably(anchorLog, before.text, 0o600);
  }
  const key = (await readAnchorKey(anchorKey)) ?? (await newAnchorKey(anchorKey));
  const next = await appendAnchor(anchorLog, before?.end ?? NEW_LOG(), key, {
    kind: 'restore',
    branch: uuidv4(),
    siteId,
    ...(await store.audit.head()),
    timeTs: nowTs,
    base,
    ...(!before && { publicKey: key.publicKey }),
  });
  await noteAnchored(store, next, key);
}

/** The log and the key of a site, where both are whole and fit each other. */
async function carried(
  from: string,
  siteId: string,
): Promise<{ text: string; keyText: string; end: LogEnd } | undefined> {
  const paths = sitePaths(from);
  const [log, key] = await Promise.all([wholeLog(paths.anchorLog), readAnchorKey(paths.anchorKey)]);
  const last = log?.parsed.anchors.at(-1);
  if (!log || !key || !last || log.parsed.firstBad !== undefined) return undefined;
  if (last.siteId !== siteId || last.keyId !== key.id) return undefined;
  return { text: log.text, keyText: `${key.seed}\n`, end: endOf(log.parsed) };
}
