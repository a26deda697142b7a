/**
 * The list of erasures beside the database, and with every backup: a database of an earlier time cannot forget who was erased since. It
 * names nobody: a person is the SHA-256 of a random id. Lists are only ever joined, never shortened.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OutpostError, toOutpostError } from '../../errors.ts';
import { writeDurably } from '../../files/durable-files.ts';
import type { ListedErasure } from '../../services/index.ts';

export const ERASURES_FILE = 'erasures.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const listSchema = z.object({
  format: z.literal('outpost-erasures'),
  version: z.literal(1),
  erasures: z.array(
    z.object({
      id: z.uuid(),
      subjectSha256: sha256,
      requestedTs: z.int(),
      reason: z.string(),
      /** SHA-256 of ids and contents that were the person's. */
      marks: z.array(sha256),
      /** When the person wore a sensor. */
      wears: z.array(z.object({ equipmentId: z.string(), fromTs: z.int(), toTs: z.int() })),
    }),
  ),
  /** In a folder of backups: those of them for which the older backups there are gone. */
  cleared: z.array(z.uuid()).optional(),
});
type List = Required<z.output<typeof listSchema>>;

/**
 * The list in a folder, a site's or one of backups; empty where there is none.
 * @throws SITE_CORRUPT when it is damaged: continuing could bring an erased person back
 */
export async function readErasures(folder: string): Promise<ListedErasure[]> {
  return (await readList(folder)).erasures;
}

async function readList(folder: string): Promise<Pick<List, 'erasures' | 'cleared'>> {
  const path = join(folder, ERASURES_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { erasures: [], cleared: [] };
    throw toOutpostError(thrown);
  }
  try {
    const { erasures, cleared = [] } = listSchema.parse(JSON.parse(text));
    return { erasures, cleared };
  } catch (thrown) {
    throw new OutpostError(
      'SITE_CORRUPT',
      `The list of erased people, ${path}, is damaged. Put it back from the newest backup: without it, people who were erased could come back.`,
      { cause: thrown, details: { part: 'erasures' } },
    );
  }
}

/** All erasures of several lists, each with everything that any of them knows of it. */
export function joinErasures(...lists: readonly (readonly ListedErasure[])[]): ListedErasure[] {
  const joined = new Map<string, ListedErasure>();
  for (const one of lists.flat()) {
    const before = joined.get(one.subjectSha256);
    const wears = new Map(
      [...(before?.wears ?? []), ...one.wears].map((wear) => [`${wear.equipmentId} ${wear.fromTs}`, wear]),
    );
    joined.set(one.subjectSha256, {
      ...(before ?? one),
      marks: [...new Set([...(before?.marks ?? []), ...one.marks])].sort(),
      wears: [...wears.keys()].sort().map((key) => wears.get(key)!),
    });
  }
  return [...joined.values()].sort((a, b) => a.requestedTs - b.requestedTs || (a.id < b.id ? -1 : 1));
}

function textOf({ erasures, cleared }: Pick<List, 'erasures' | 'cleared'>): string {
  const list = { format: 'outpost-erasures', version: 1, erasures, ...(cleared.length > 0 && { cleared }) };
  return `${JSON.stringify(list, null, 1)}\n`;
}

/** Adds erasures to the list of a folder, durably. Writes nothing when all are in it. @returns the whole list */
export async function addErasures(folder: string, added: readonly ListedErasure[]): Promise<ListedErasure[]> {
  const { erasures: before, cleared } = await readList(folder);
  const erasures = joinErasures(before, added);
  await writeList(folder, { erasures: before, cleared }, { erasures, cleared });
  return erasures;
}

async function writeList(folder: string, before: Parameters<typeof textOf>[0], list: Parameters<typeof textOf>[0]) {
  if (textOf(list) !== textOf(before)) await writeDurably(join(folder, ERASURES_FILE), textOf(list), 0o600);
}

/** Of these erasures, the ones for which a folder of backups may still have older backups. */
export async function unclearedIn(folder: string, ids: readonly string[]): Promise<string[]> {
  const cleared = new Set((await readList(folder)).cleared);
  return ids.filter((id) => !cleared.has(id));
}

/** Notes that a folder of backups has nothing from before these erasures. */
export async function noteCleared(folder: string, ids: readonly string[]): Promise<void> {
  const before = await readList(folder);
  await writeList(folder, before, { ...before, cleared: [...new Set([...before.cleared, ...ids])].sort() });
}
