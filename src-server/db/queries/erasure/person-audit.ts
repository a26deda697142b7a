/** The entries of the audit trail that are about a person: finding them, and taking their content away. */
import type { Selectable } from 'kysely';
import { fold } from '../../../vocabulary/search.ts';
import { ErasedDigest, withoutPerson } from '../../erased-audit.ts';
import { unpackChanges } from '../../packed-changes.ts';
import type { Tables } from '../../schema.ts';
import type { AuditContent, Session } from '../../session.ts';

type Row = Selectable<Tables['audit']>;

/** What an entry about the person names. */
export interface PersonWords {
  subjectId: string;
  /** Of the person and of the person's records. */
  ids: ReadonlySet<string>;
  /** Names and addresses that the person had. */
  names: readonly string[];
}

const SLICE = 500;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** A shorter name, such as a number, would be found in texts about anything. */
const LEAST_NAME_LENGTH = 4;

const hasId = (text: string, ids: ReadonlySet<string>) => text.match(UUID)?.some((id) => ids.has(id)) ?? false;

/** Whether a text has a name as words of its own. */
function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + name.length]];
    // Japanese writes no spaces between words, so only letters of an alphabet and digits count as a part of a longer word.
    if (!/[\p{Script=Latin}\p{N}]/u.test(before) || !/[\p{Script=Latin}\p{N}]/u.test(name[0]!)) {
      if (!/[\p{Script=Latin}\p{N}]/u.test(after) || !/[\p{Script=Latin}\p{N}]/u.test(name.at(-1)!)) return true;
    }
  }
  return false;
}

export function mentionsName(text: string, names: readonly string[]): boolean {
  return names.some((name) => name.length >= LEAST_NAME_LENGTH && hasName(text, name));
}

/** Members of a saved filter, or of the changes of one, that a person typed. */
const TYPED: ReadonlySet<string> = new Set(['displayName', 'text']);

function textsIn(value: unknown, isTyped = false): { text: string; isTyped: boolean }[] {
  if (typeof value === 'string') return [{ text: value, isTyped }];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([member, inner]) => textsIn(inner, isTyped || TYPED.has(member)));
}

/**
 * Whether a saved filter, or the changes of one, would find the person: lists compare folded texts. A short name counts only as the
 * whole of what was typed.
 */
export function isFilterFor(content: unknown, names: readonly string[]): boolean {
  const wanted = names.map((name) => fold(name).trim());
  return textsIn(content).some(({ text, isTyped }) => {
    const folded = fold(text).trim();
    return (isTyped && wanted.includes(folded)) || mentionsName(folded, wanted);
  });
}

/**
 * An entry of another subject is theirs, whatever names it holds, unless it names this person by id; two people of different studies
 * may have the same code.
 */
function isAbout(row: Row, changes: string, { subjectId, ids, names }: PersonWords): boolean {
  if (row.subjectId === subjectId || ids.has(row.entityId) || (row.actorId !== null && ids.has(row.actorId)))
    return true;
  if (hasId(changes, ids) || (row.reason !== null && hasId(row.reason, ids))) return true;
  if (row.subjectId !== null) return false;
  if (row.entityType === 'savedFilter' && isFilterFor(JSON.parse(changes), names)) return true;
  return mentionsName(row.reason ?? '', names) || mentionsName(changes, names);
}

/** Sequences of the entries about a person after one of the trail, with a pause between slices unless in a transaction. */
export async function findPersonAudit(
  session: Session,
  words: PersonWords,
  options: { after: number; withPauses: boolean },
): Promise<{ sequences: number[]; upTo: number }> {
  const sequences: number[] = [];
  let upTo = options.after;
  for (;;) {
    const rows = await session.db
      .selectFrom('audit')
      .selectAll()
      .where('sequence', '>', upTo)
      .orderBy('sequence')
      .limit(SLICE)
      .execute();
    for (const row of rows) {
      if (row.erasedBy === null && isAbout(row, unpackChanges(row), words)) sequences.push(row.sequence);
      upTo = row.sequence;
    }
    if (rows.length < SLICE) return { sequences, upTo };
    if (options.withPauses) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Every name and e-mail address that the trail and the present row know of a person. */
export async function personNames({ db }: Session, subjectId: string): Promise<string[]> {
  const subject = await db
    .selectFrom('subject')
    .select(['displayName', 'metadataFields'])
    .where('id', '=', subjectId)
    .executeTakeFirstOrThrow();
  const entries = await db
    .selectFrom('audit')
    .select(['changes', 'packedChanges'])
    .where('entityType', '=', 'subject')
    .where('entityId', '=', subjectId)
    .where('erasedBy', 'is', null)
    .execute();
  const texts = [
    JSON.stringify({ displayName: subject.displayName }),
    subject.metadataFields,
    ...entries.map(unpackChanges),
  ];
  const names = texts.flatMap((text) => namesIn(JSON.parse(text) as unknown, false));
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Values of `displayName` outside of metadata, whose `displayName` is the name of a field, and addresses anywhere. */
function namesIn(value: unknown, isName: boolean): string[] {
  if (typeof value === 'string') return isName || EMAIL.test(value.trim()) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => namesIn(item, false));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([member, inner]) =>
    member === 'metadataFields'
      ? Object.values(inner as object).flatMap((part) => namesIn(part, false).filter((text) => EMAIL.test(text.trim())))
      : namesIn(inner, member === 'displayName' || (isName && (member === 'old' || member === 'new'))),
  );
}

/** Digest of the entries as they will be without their content. */
export async function digestOf(
  { db }: Session,
  sequences: readonly number[],
): Promise<{ entries: number; entriesSha256: string; bare: AuditContent[] }> {
  const digest = new ErasedDigest();
  const bare: AuditContent[] = [];
  for (const sequence of sequences) {
    const row = await db.selectFrom('audit').selectAll().where('sequence', '=', sequence).executeTakeFirstOrThrow();
    const { hash, packedChanges: _packed, erasedBy: _erasedBy, ...content } = row;
    const rest = withoutPerson(content);
    digest.add({ ...rest, hash });
    bare.push(rest);
  }
  return { ...digest.result(), bare };
}

/** Permanently takes the content of entries away. The entry `erasedBy` has to be there already. */
export async function emptyAudit({ db }: Session, bare: readonly AuditContent[], erasedBy: number): Promise<void> {
  for (const { sequence, actorId, entityId } of bare) {
    await db
      .updateTable('audit')
      .set({ actorId, entityId, subjectId: null, reason: null, changes: '{}', packedChanges: null, erasedBy })
      .where('sequence', '=', sequence)
      .execute();
  }
}
