/**
 * How far the reading of everything has come and what it found, in `scrub.json` beside the database: a damaged database could not keep
 * it, and a position that is written every few minutes is no change of the site that belongs in its history.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../files/durable-files.ts';
import { SCRUB_PARTS } from '../../vocabulary/scrub.ts';

const STATE_FILE = 'scrub.json';
/** More are counted. */
export const MOST_FINDINGS = 1000;

const source = z.object({
  /** DERIVED: made again from what the site has. OTHER: it was good when it was looked at again, such as after a device sent it. */
  kind: z.enum(['BACKUP', 'SITE', 'SECOND_COPY', 'DERIVED', 'OTHER']),
  directory: z.string().optional(),
  backupId: z.string().optional(),
  createdTs: z.int().optional(),
});

const finding = z.object({
  part: z.enum(SCRUB_PARTS),
  /** Folder of backups or ZIP; absent for a file of the site. */
  directory: z.string().optional(),
  /** Place in the site or in the folder of backups; what a row is about, in the database. */
  file: z.string(),
  state: z.enum(['HEALED', 'DAMAGED', 'MISSING']),
  sizeBytes: z.int().optional(),
  sha256: z.string().optional(),
  recordingId: z.string().optional(),
  from: source.optional(),
  /** Only encrypted backups have a copy: their passphrase is needed. */
  isLocked: z.boolean().optional(),
  /** Name of the device that holds the recording and is asked for it at its next contact. */
  heldBy: z.string().optional(),
  /** Where else a copy may be, though it was not there or not good. */
  elsewhere: z.array(z.string()).optional(),
  /** Of a row, or why a repair failed. */
  message: z.string().optional(),
  foundTs: z.int(),
  healedTs: z.int().optional(),
});
export type ScrubSource = z.output<typeof source>;
export type ScrubFinding = z.output<typeof finding>;

const cursor = z.object({
  part: z.enum(SCRUB_PARTS),
  /** The last one that was read, in the order of the part; empty at its begin. */
  after: z.string(),
});
export type ScrubCursor = z.output<typeof cursor>;

const counts = { files: z.int(), bytes: z.number(), found: z.int(), healed: z.int() };
const cycle = z.object({ startedTs: z.int(), ...counts, unreached: z.array(z.string()) });
export type ScrubCycle = z.output<typeof cycle>;

const state = z.object({
  format: z.literal(1),
  /** While a cycle is under way. */
  current: cycle.extend({ cursor }).optional(),
  /** The last one that read everything. */
  last: cycle.extend({ finishedTs: z.int() }).optional(),
  /** Not repaired yet, or repaired lately; the newest first. */
  findings: z.array(finding),
});
export type ScrubState = z.output<typeof state>;

/** The stored state; an empty one where there is none, or not intact. */
export async function readScrubState(siteDir: string): Promise<ScrubState> {
  try {
    return state.parse(JSON.parse(await readFile(join(siteDir, STATE_FILE), 'utf8')));
  } catch {
    return { format: 1, findings: [] };
  }
}

export async function writeScrubState(siteDir: string, value: ScrubState): Promise<void> {
  const kept = { ...value, findings: value.findings.slice(0, MOST_FINDINGS) };
  await writeDurably(join(siteDir, STATE_FILE), `${JSON.stringify(kept)}\n`, 0o600);
}

export const isOpen = ({ state }: ScrubFinding): boolean => state !== 'HEALED';

const keyOf = ({ directory = '', file }: ScrubFinding) => `${directory}\n${file}`;

/** Newer findings take the place of older ones about the same file. A repair keeps when the damage was found. */
export function withFindings(known: readonly ScrubFinding[], found: readonly ScrubFinding[]): ScrubFinding[] {
  const before = new Map(known.map((one) => [keyOf(one), one]));
  const newer = new Map(
    found.map((one) => {
      const old = before.get(keyOf(one));
      return [keyOf(one), old && isOpen(old) ? { ...one, foundTs: old.foundTs } : one];
    }),
  );
  // Open ones first, so that what is cut off is what needs nobody.
  return [...newer.values(), ...known.filter((one) => !newer.has(keyOf(one)))].sort(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.foundTs - a.foundTs,
  );
}
