/**
 * What of a set in a watched folder is offered. Files that came after the others were taken are named, not lost: they are a question of
 * their own, or, where its files say something only together, the whole set is. Pure.
 */
import type { TransferRecord } from '../db/index.ts';
import { type Found, type SeenFolder, safeName } from './found.ts';
import type { SeenSet, SetMember } from './found-folder.ts';
import { idOfSet } from './recognise.ts';
import { membersOf, type NamedFile } from './set-members.ts';

export type TakenSet = Pick<
  TransferRecord,
  'id' | 'displayName' | 'state' | 'files' | 'studyId' | 'subjectId' | 'serial' | 'model' | 'sizeBytes'
>;

/** Sets of more files than this are looked up by their name alone. */
const MOST_IDS = 500;

/** By what the rows are found that the sets of a folder may have. */
export function keysOf({ seen }: SeenFolder): { names: string[]; ids: string[] } {
  const sets = [...seen.sets.values()];
  return {
    names: sets.map(({ displayName }) => displayName),
    ids: sets.flatMap(({ members }) => (members.length > MOST_IDS ? [] : members.map(({ id }) => id))),
  };
}

/**
 * @param taken rows of sets of these names, of single files that are parts of them, and of sets that are being copied; neither failed nor
 *   dismissed
 */
export function offersOf(folder: SeenFolder, taken: readonly TakenSet[]): Found[] {
  const offers = [...folder.seen.sets.values()].flatMap((set) => offersOfSet(set, folder, taken));
  const isOffered = new Set(offers.map(({ recognised }) => recognised.id));
  const lost = taken.filter((row) => row.state === 'COPYING' && row.files && !isOffered.has(row.id));
  if (lost.length === 0) return offers;
  // Its files were moved, or are a part of other sets now: the copy of them continues all the same.
  const all = membersIn(folder.seen);
  const places = [...Map.groupBy(all, ({ path }) => path.slice(0, -basenameOf(path).length)).values(), all];
  for (const row of lost) {
    const found = places.map((members) => membersOf(filesOf(row), members)).find(isWhole);
    if (found) offers.push(offerOf(folder.rule, row.displayName, found, recognisedOf(row)));
  }
  return offers;
}

/** Every file whose content was read, in a set or not. */
const membersIn = ({ files }: SeenFolder['seen']): SetMember[] =>
  [...files].flatMap(([path, { contentId: id, sizeBytes, state }]) =>
    id === undefined || state === 'growing' ? [] : [{ name: basenameOf(path), path, id, sizeBytes }],
  );

const basenameOf = (path: string): string => path.split('/').at(-1) ?? '';

const isWhole = (members: (SetMember | undefined)[]): members is SetMember[] =>
  members.every((member) => member !== undefined);

const offerOf = (
  rule: SeenFolder['rule'],
  displayName: string,
  members: readonly SetMember[],
  recognised: Found['recognised'],
): Found => ({
  ...{ source: 'FOLDER', displayName, recognised, action: rule.action, folder: rule, members: [...members] },
  path: `${rule.path}/${members[0]!.path}`,
});

function offersOfSet(set: SeenSet, { rule }: SeenFolder, taken: readonly TakenSet[]): Found[] {
  const { displayName, found, members, missing, unreadable } = set;
  const gaps = { ...(missing.length > 0 && { missing }), ...(unreadable.length > 0 && { unreadable }) };
  const offer = (part: readonly SetMember[], recognised: Found['recognised'], more: Partial<Found> = {}): Found => ({
    ...offerOf(rule, displayName, part, recognised),
    ...more,
  });
  const rows = taken
    .map((row) => ({ row, here: membersOf(filesOf(row), members) }))
    .filter(({ row, here }) => row.id === found?.id || areMostHere(filesOf(row), here));
  // Also before all is quiet: a copy that was broken off continues at once.
  const offers = rows.flatMap(({ row, here }) =>
    isWhole(here) ? [offer(here, found?.id === row.id ? found : recognisedOf(row))] : [],
  );
  if (set.state !== 'recording' || !found || rows.some(({ row }) => row.id === found.id)) return offers;
  const known = new Set(rows.flatMap(({ here }) => here));
  const rest = members.filter((member) => !known.has(member));
  if (rows.length === 0) return [offer(members, found, gaps)];
  if (rest.length === 0) return offers;
  const { studyId, subjectId } = rows.at(-1)!.row;
  const late = {
    names: rest.map(({ name }) => name),
    ...(studyId !== undefined && { studyId }),
    ...(subjectId !== undefined && { subjectId }),
  };
  const part = set.isWhole ? members : rest;
  const sizeBytes = part.reduce((sum, member) => sum + member.sizeBytes, 0);
  const recognised = { ...found, id: idOfSet(part.map(({ id }) => id)), sizeBytes };
  return [...offers, offer(part, recognised, { late, ...gaps })];
}

/** Whether a row is of this set. Empty files are the same everywhere, and a few constant ones are in the sessions of other subjects too. */
function areMostHere(files: readonly NamedFile[], here: readonly (SetMember | undefined)[]): boolean {
  const isHere = here.filter((_, i) => files[i]!.sizeBytes > 0).map((member) => member !== undefined);
  return 2 * isHere.filter(Boolean).length > isHere.length;
}

/** Of a file that was taken alone, the id of its content is that of the row. */
const filesOf = ({ id, displayName, sizeBytes, files }: TakenSet): readonly NamedFile[] =>
  files ?? [{ id, name: safeName(basenameOf(displayName)), sizeBytes }];

function recognisedOf({ id, sizeBytes, serial, model }: TakenSet): Found['recognised'] {
  return {
    ...{ id, sizeBytes, isCwa: false, isEmpty: false },
    ...(serial !== undefined && { serial }),
    ...(model !== undefined && { model }),
  };
}
