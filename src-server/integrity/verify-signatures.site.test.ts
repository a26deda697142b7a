import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type SiteFolder } from '../site/folder.ts';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { verifySite } from './verify.ts';

let place: TestSite;
let folder: SiteFolder;
const ids: string[] = [];
beforeAll(async () => {
  place = await makeTestSite();
  folder = await openSite(place.dir);
  const { store } = folder;
  const { studyId, userId } = place;
  const target = { studyId, kind: 'study-definition', targetId: studyId } as const;
  const signer = (await store.users.get(userId))!;
  for (const comment of [undefined, 'Read twice']) {
    const { sha256: contentSha256 } = await store.signatures.contentOf(target);
    const input = { ...target, meaning: 'REVIEWED', contentSha256, ...(comment && { comment }) } as const;
    ids.push((await store.signatures.sign(input, signer, { actor: { type: 'USER', id: userId } })).id);
  }
});
afterAll(async () => {
  await folder.close();
  await place.remove();
});

/** What somebody does who has the file and SQL: the triggers go first. Everything is put back after the check. */
async function forged(statement: string): Promise<{ code: string | undefined; id: string | undefined }[]> {
  const database = new BetterSqlite3(folder.store.path);
  try {
    const triggers = database
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'signature'",
      )
      .all();
    expect(triggers).toHaveLength(2);
    for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
    database.exec('CREATE TEMP TABLE kept AS SELECT * FROM signature');
    expect(database.prepare(statement).run().changes).toBeGreaterThan(0);
    const { problems } = await verifySite(place.dir);
    database.exec('DELETE FROM signature; INSERT INTO signature SELECT * FROM kept');
    for (const { sql } of triggers) database.exec(sql);
    return problems.filter(({ code }) => code?.startsWith('SIGNATURE')).map(({ code, id }) => ({ code, id }));
  } finally {
    database.close();
  }
}

it('accepts the signatures that were given', async () => {
  expect((await verifySite(place.dir)).problems).toEqual([]);
});

it('names a signature that was changed, given to another signer, swapped, removed or added in the database', async () => {
  const [first = '', second = ''] = ids;
  const changed = [{ code: 'SIGNATURE_CHANGED', id: first }];
  for (const set of [
    "signerName = 'Robin Marsh'",
    "meaning = 'APPROVED'",
    'signedTs = signedTs - 1',
    "comment = 'Agreed'",
  ])
    expect(await forged(`UPDATE signature SET ${set} WHERE id = '${first}'`), set).toEqual(changed);
  expect(await forged(`UPDATE signature SET contentSha256 = '${'0'.repeat(64)}' WHERE id = '${first}'`)).toEqual(
    changed,
  );
  const swap = "comment = CASE WHEN comment IS NULL THEN 'Read twice' END";
  expect(await forged(`UPDATE signature SET ${swap}`)).toEqual([
    { code: 'SIGNATURE_CHANGED', id: first },
    { code: 'SIGNATURE_CHANGED', id: second },
  ]);
  expect(await forged(`DELETE FROM signature WHERE id = '${second}'`)).toEqual([
    { code: 'SIGNATURE_MISSING', id: second },
  ]);
  const columns = 'studyId, kind, targetId, meaning, userId, signerName, signedTs, contentVersion, contentSha256';
  expect(
    await forged(`INSERT INTO signature (id, ${columns}) SELECT 'f', ${columns} FROM signature WHERE id = '${first}'`),
  ).toEqual([{ code: 'SIGNATURE_UNRECORDED', id: 'f' }]);
  expect((await verifySite(place.dir)).problems).toEqual([]);
});
