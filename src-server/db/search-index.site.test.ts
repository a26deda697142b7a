/** The index of the search follows its rows through every service that changes them, and can be built again from them alone. */
import { readFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../services/index.ts';
import { searchPhrases } from '../study/search-text.ts';
import { seededRandom } from '../testing/signal-fixtures.ts';
import { addTestStudy, openTestStore, TEST_NOW, type TestStore, type TestStudy } from '../testing/test-store.ts';
import { SEARCH_KINDS, type SearchKind } from '../vocabulary/search.ts';
import type { FoundRow } from './index.ts';
import { SEARCH_SOURCES } from './search-sources.ts';

let site: TestStore;
let study: TestStudy;

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
  await site.store.studies.move(study.studyId, 'start', study.byUser);
});
afterEach(() => site.close());

async function build(store: Store, limit = 7): Promise<void> {
  while (await store.search.buildSome(limit));
}

async function find(query: string, kinds: readonly SearchKind[] = SEARCH_KINDS, limit = 20): Promise<FoundRow[]> {
  const phrases = searchPhrases(query);
  const studyIds = [study.studyId];
  const found: FoundRow[] = [];
  for (const kind of kinds) {
    const { accountId } = study;
    const within = kind === 'staff' || kind === 'equipment' ? { accountId } : { studyIds };
    found.push(...(await site.store.search.find({ kind, phrases, within, limit })));
  }
  return found;
}

const addNote = async (body: string, subjectId?: string) =>
  await site.store.notes.add({ studyId: study.studyId, subjectId, kind: 'NOTE', body }, study.byUser);

const bySubject = () => ({ actor: { type: 'SUBJECT' as const, id: study.subjectId } });

describe('the search', () => {
  it.each([
    ['心', ['心電図の電極が外れた']],
    ['電極', ['心電図の電極が外れた']],
    ['電図', ['心電図の電極が外れた']],
    ['図電', []],
    ['極心', []],
    ['電極 外れ', ['心電図の電極が外れた']],
    ['ぱっち', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['パッチ', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['ﾊﾟ', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['はっち', []],
    ['Ｎ－１０４', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['CAFE', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['caf', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['104 cafe', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['c', []],
    ['n', ['ﾊﾟｯﾁを交換 Café N-104']],
    ['" OR place : k_note', []],
  ])('finds for %s', async (query, expected) => {
    await addNote('心電図の電極が外れた');
    await addNote('ﾊﾟｯﾁを交換 Café N-104');
    expect((await find(query, ['note'])).map(({ text }) => text)).toEqual(expected);
  });

  it('gives the newest first, and those of the limit only', async () => {
    for (const word of ['one', 'two', 'three']) {
      site.clock.now += 60_000;
      await addNote(`needle ${word}`);
    }
    expect((await find('needle', ['note'], 2)).map(({ text }) => text)).toEqual(['needle three', 'needle two']);
  });

  it('finds free answers, but not choices and figures of answers', async () => {
    const { studyId, subjectId, byUser, diaryId } = study;
    const definition = await site.store.studies.requireDetail(studyId);
    const questions = [
      { id: 'free', text: 'Anything else?', type: 'FREETEXT', values: [] },
      { id: 'level', text: 'How strong?', type: 'RANGE', values: ['0', '10'] },
    ];
    const diaries = definition.diaries
      .filter(({ id }) => id === diaryId)
      .map((diary) => ({ ...diary, questions: [...diary.questions, ...questions] }));
    expect(diaries).toHaveLength(1);
    await site.store.studies.putDefinition(studyId, { diaries }, byUser);
    const answers = [
      { questionId: 'free', value: 'dizzy' },
      { questionId: 'level', value: '3' },
    ];
    const { id } = await site.store.annotations.reportTask(
      {
        ...{ studyId, subjectId, taskId: diaryId },
        ...{ startTs: TEST_NOW, stopTs: TEST_NOW + 1, answers },
      },
      bySubject(),
    );
    expect(await find('dizzy')).toMatchObject([{ kind: 'answer', id, text: 'dizzy', subjectId: study.subjectId }]);
    expect(await find('3', ['answer'])).toEqual([]);
  });
});

describe('the index', () => {
  it.each([1, 2, 3, 4])('equals a rebuild after random writes (seed %i)', async (seed) => {
    const { store, clock } = site;
    const { studyId, byUser } = study;
    const random = seededRandom(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    const words = () => pick(['心電図', 'patch', '', 'ﾊﾟｯﾁ', 'Café', '---', 'N-104', '🙂']);
    const text = () => [words(), words(), 'x'].join(' ');
    // A code of a beat, which is not indexed, and what becomes or was one by an edit.
    const spanAt = (startTs: number) => ({
      ...{ startTs, stopTs: startTs + pick([0, 0, 5]) },
      value: pick(['N', 'V', 'AFIB']),
    });
    const subjectIds = [study.subjectId];
    const noteIds: string[] = [];
    const labelIds: string[] = [];
    const operations = [
      async () => {
        const displayName = `S-${random()}`;
        const made = await store.subjects.create(studyId, { displayName, timezone: 'UTC' }, byUser);
        subjectIds.push(made.id);
      },
      async () => {
        await store.subjects.update(pick(subjectIds), { displayName: `${words()}${random()}` }, byUser);
      },
      async () => {
        noteIds.push((await addNote(text(), pick([undefined, pick(subjectIds)]))).id);
      },
      async () => {
        const note = await store.notes.get(pick(noteIds) ?? '');
        if (note) await store.notes.edit(note, { version: note.version, body: text() }, byUser);
      },
      async () => {
        await store.messages.post({ studyId, subjectId: pick(subjectIds), body: text() }, byUser);
      },
      async () => {
        const startTs = TEST_NOW + Math.floor(random() * 3) * 1000;
        const subjectId = pick(subjectIds);
        const label = { studyId, subjectId, displayName: text(), type: 'recording' as const, ...spanAt(startTs) };
        const [made] = await store.annotations.addLabels([label], { ...byUser, reason: 'Seen' });
        labelIds.push(made!.id);
      },
      async () => {
        const id = pick(labelIds);
        if (id !== undefined)
          await store.annotations.updateLabel(
            id,
            { displayName: text(), ...spanAt(TEST_NOW - 5000) },
            { ...byUser, reason: 'Seen' },
          );
      },
      async () => {
        const id = labelIds.pop();
        if (id !== undefined) await store.annotations.deleteLabel(id, { ...byUser, reason: 'Seen' });
      },
      async () => {
        await store.studies.update(studyId, { title: text() }, byUser);
      },
      // A transaction that fails takes its words with it.
      async () => {
        const failed = store.transaction(async ({ notes }) => {
          await notes.add({ studyId, kind: 'NOTE', body: 'rolled back' }, byUser);
          throw new Error('power cut');
        });
        await expect(failed).rejects.toThrow('power cut');
      },
      async () => await store.search.buildSome(2),
    ];
    for (let n = 0; n < 120; n++) {
      clock.now += pick([0, 1, 1000]);
      await pick(operations)();
    }
    await build(store);
    expect(await store.search.differences()).toEqual([]);
    const followed = entries();
    await store.search.clear();
    expect(await store.search.progress()).toEqual({ done: 0, total: SEARCH_SOURCES.length });
    await build(store, 3);
    expect(entries()).toEqual(followed);
    expect(await store.search.differences()).toEqual([]);
    expect(await find('rolled')).toEqual([]);
  });

  /** Everything in the index, apart from its own numbers. */
  function entries(): unknown[] {
    const sqlite = new BetterSqlite3(site.store.path, { readonly: true });
    const rows = sqlite
      .prepare(
        `SELECT source, entityId, place, words, searchEntry.id / 2097152 AS second FROM searchEntry
         JOIN searchIndex ON searchIndex.rowid = searchEntry.id ORDER BY source, entityId`,
      )
      .all();
    sqlite.close();
    return rows;
  }

  it('is sound for SQLite', async () => {
    await addNote('needle');
    expect(site.store.integrityProblems()).toEqual([]);
    expect(await site.store.problemsByTable({ pause: async () => undefined })).toEqual([]);
  });

  it('is noticed when it differs from the rows', async () => {
    await build(site.store);
    await addNote('needle');
    const raw = new BetterSqlite3(site.store.path);
    raw.exec("UPDATE note SET body = 'thread'");
    raw.exec('DELETE FROM message');
    expect(await site.store.search.differences()).toEqual([{ source: 'note', missing: 1, surplus: 0 }]);
    raw.close();
  });

  it('is built in steps that continue after a restart', async () => {
    for (let n = 0; n < 9; n++) await addNote(`needle ${n}`);
    await site.store.search.clear();
    expect(await find('needle')).toEqual([]);
    for (let n = 0; n < 6; n++) await site.store.search.buildSome(4);
    const { path } = site.store;
    const between = (await find('needle')).length;
    const again = openStore(path);
    await build(again, 4);
    expect(between).toBeLessThan(9);
    expect(await again.search.progress()).toBeUndefined();
    expect(await again.search.differences()).toEqual([]);
    await again.close();
  });

  it('keeps no word of a text that was changed or deleted once the file is scrubbed', async () => {
    const note = await addNote('Quokkasecret in the note');
    await build(site.store);
    await site.store.notes.edit(note, { version: 1, body: 'replaced' }, study.byUser);
    const raw = new BetterSqlite3(site.store.path);
    raw.exec('DELETE FROM noteVersion; DROP TRIGGER auditNoDelete; DELETE FROM audit');
    raw.close();
    expect(site.store.overwriteDeleted()).toBe(true);
    const file = readFileSync(site.store.path, 'latin1').toLowerCase();
    for (const trace of ['quokkasecret', 'okkasecret', 'asecret']) expect(file.includes(trace), trace).toBe(false);
    expect(file).toContain('replaced');
  });

  it('reads as much as it shows, however much there is', async () => {
    const sqlite = new BetterSqlite3(site.store.path, { readonly: true });
    const plan = sqlite
      .prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT 1 FROM searchIndex CROSS JOIN searchEntry ON searchEntry.id = searchIndex.rowid
         CROSS JOIN note AS r ON r.id = searchEntry.entityId WHERE searchIndex MATCH 'x' ORDER BY searchIndex.rowid DESC LIMIT 5`,
      )
      .all()
      .map(({ detail }) => detail);
    sqlite.close();
    expect(plan.join('\n')).not.toContain('TEMP B-TREE');
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([
      expect.stringContaining('searchIndex VIRTUAL TABLE'),
    ]);
  });
});
