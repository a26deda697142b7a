import { expect, it } from 'vitest';
import type { SeenFile, SeenSet, SetMember } from './found-folder.ts';
import { membersOf } from './set-members.ts';
import { offersOf, type TakenSet } from './set-offers.ts';

const BIG = 1 << 20;
const member = (path: string, id: string, sizeBytes = BIG): SetMember => ({
  ...{ name: path.split('/').at(-1)!, path, id, sizeBytes },
});
const named = (name: string, id: string, sizeBytes = BIG) => ({ name, id, sizeBytes });
const pathsOf = (files: ReturnType<typeof named>[], members: SetMember[]) =>
  membersOf(files, members).map((one) => one?.path);

it('finds the files of a row by id and name, and by the id alone once the name is gone', () => {
  const row = [named('a', 'same'), named('b', 'same'), named('c', 'other')];
  const here = [member('p/b', 'same'), member('p/a', 'same'), member('p/c', 'other')];
  expect(pathsOf(row, here)).toEqual(['p/a', 'p/b', 'p/c']);
  expect(pathsOf(row, [member('p/a', 'same'), member('p/b', 'same'), member('p/new', 'other')])).toEqual([
    ...['p/a', 'p/b', 'p/new'],
  ]);
  // What has the name is another content now, and its twin is no substitute.
  expect(pathsOf(row.slice(0, 2), [member('p/a', 'new'), member('p/b', 'same')])).toEqual([undefined, 'p/b']);
  expect(pathsOf(row.slice(0, 2), [member('p/x', 'same'), member('p/y', 'same')])).toEqual([undefined, undefined]);
});

function folderWith(sets: Record<string, SetMember[]>) {
  const all = Object.values(sets).flat();
  const files = all.map(({ path, id, sizeBytes }): [string, SeenFile] => [
    ...([path, { sizeBytes, modifiedMs: 0, state: 'part', contentId: id }] as const),
  ]);
  const seen = Object.entries(sets).map(([displayName, members]): [string, SeenSet] => {
    const found = { id: `set of ${displayName}`, isCwa: false, isEmpty: false, sizeBytes: 1 };
    return [
      displayName,
      { displayName, isWhole: true, missing: [], unreadable: [], members, state: 'recording', found },
    ];
  });
  return {
    rule: { path: '/in', studyId: 'study', action: 'OFFER' as const },
    seen: {
      ...{
        path: '/in',
        isThere: true,
        isCut: false,
        files: new Map(files),
        sets: new Map(seen),
        heldBack: new Set(''),
      },
      ...{ changedMs: new Map(), temporary: new Map(), listings: new Map(), closed: new Map() },
    },
  };
}
const taken = (displayName: string, files: TakenSet['files'], state: TakenSet['state'] = 'STORED'): TakenSet => ({
  ...{ id: `row of ${displayName}`, displayName, state, studyId: 'study', subjectId: 'P01', sizeBytes: 1 },
  ...(files && { files }),
});

it('shows a file that shares its id with one that was taken as late', () => {
  const folder = folderWith({ rec: [member('a', 'same'), member('b', 'same')] });
  const [, late] = offersOf(folder, [taken('rec', [named('a', 'same')])]);
  expect(late!.late!.names).toEqual(['b']);
});

it('takes no session for the late files of another one because of files that are the same everywhere', () => {
  const row = taken('p/Empatica E4', [
    ...[named('ACC.csv', 'acc 1'), named('EDA.csv', 'eda 1'), named('info.txt', 'info', 900)],
    ...[named('tags.csv', 'empty', 0), named('IBI.csv', 'empty', 0), named('HR.csv', 'empty', 0)],
  ]);
  const constant = [
    member('p/info.txt', 'info', 900),
    member('p/tags.csv', 'empty', 0),
    member('p/IBI.csv', 'empty', 0),
  ];
  const next = [
    member('p/ACC.csv', 'acc 2'),
    member('p/EDA.csv', 'eda 2'),
    ...constant,
    member('p/HR.csv', 'empty', 0),
  ];
  const [offer, ...others] = offersOf(folderWith({ 'p/Empatica E4': next }), [row]);
  expect([offer!.late, offer!.members!.length, others.length]).toEqual([undefined, 6, 0]);
  const more = [member('p/ACC.csv', 'acc 1'), member('p/EDA.csv', 'eda 1'), member('p/BVP.csv', 'bvp 1'), ...constant];
  const again = offersOf(folderWith({ 'p/Empatica E4': more }), [row]);
  expect(again.map(({ late }) => late?.names)).toEqual([['BVP.csv']]);
});

it('continues a copy whose files were moved, or are parts of other sets now', () => {
  const row = taken('week 1/session', [named('a', 'one'), named('b', 'two'), named('c', 'empty', 0)], 'COPYING');
  const folder = folderWith({
    'week 2/x': [member('week 2/b', 'two'), member('week 2/d', 'four'), member('week 2/e', 'five')],
    'week 2/y': [member('week 2/a', 'one'), member('week 2/f', 'six'), member('week 2/c', 'empty', 0)],
    'week 3/z': [member('week 3/a', 'other'), member('week 3/c', 'empty', 0)],
  });
  const offer = offersOf(folder, [row]).find(({ recognised }) => recognised.id === row.id)!;
  expect(offer.members!.map(({ path }) => path)).toEqual(['week 2/a', 'week 2/b', 'week 2/c']);
  expect(offer).toMatchObject({ displayName: 'week 1/session', path: '/in/week 2/a' });
  folder.seen.files.delete('week 2/a');
  expect(offersOf(folder, [row]).some(({ recognised }) => recognised.id === row.id)).toBe(false);
});
