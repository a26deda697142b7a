import { copyFile, cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listBackups } from '../integrity/backup/folder.ts';
import { makeBackup } from '../integrity/backup/make.ts';
import { restoreSite } from '../integrity/backup/restore.ts';
import { sealFolder } from '../integrity/backup/sealed/keys.ts';
import { sitePaths } from '../integrity/site-file.ts';
import { verifySite } from '../integrity/verify.ts';
import { addPerson, findPerson, type Person } from '../testing/person.ts';
import { makeTestSite, type TestSite } from '../testing/test-site.ts';
import { openSite } from './folder.ts';
import { rebuildInPlace, restoreInPlace } from './recovery/recover.ts';

let place: TestSite;
let person: Person;
let other: Person;
/** Backed up before and after the erasure. */
let backups: string;
let sealed: string;
/** A copy of the folder of backups that was elsewhere meanwhile. */
let away: string;
let keptSignal: string;
let clock = Date.now() - 60_000;

const backUp = async (to: string) => {
  clock += 1000;
  return await makeBackup({ siteDir: place.dir, to, reason: 'manual', nowTs: clock });
};
const beside = (name: string) => join(place.dir, '..', name);

async function erase(): Promise<void> {
  const folder = await openSite(place.dir);
  await folder.store.erasures.order(
    { studyId: place.studyId, subjectId: person.subjectId, confirmation: person.words.name! },
    { actor: { type: 'USER', id: place.userId }, reason: 'Asked for in writing' },
  );
  await folder.close();
  await (await openSite(place.dir)).close();
}

beforeAll(async () => {
  place = await makeTestSite({ timeZones: [] });
  const folder = await openSite(place.dir);
  const about = { accountId: place.accountId, studyId: place.studyId, userId: place.userId };
  person = await addPerson(folder, { ...about, tag: 'Quandary', seed: 1 });
  other = await addPerson(folder, { ...about, tag: 'Remainer', seed: 2 });
  await folder.close();
  [backups, sealed, away] = [beside('backups'), beside('sealed'), beside('away')];
  await backUp(backups);
  await sealFolder(sealed, place.dir, 'a passphrase of five words');
  await backUp(sealed);
  await cp(backups, away, { recursive: true });
  keptSignal = beside('kept.sig');
  await copyFile(join(place.dir, 'signals', `${person.recordingIds[0]}.sig`), keptSignal);
  await erase();
}, 60_000);
afterAll(() => place.remove());

/** What a restored site still has of the erased person, and whether it has the other one. */
async function restored(dir: string) {
  const before = await findPerson(person, dir);
  const folder = await openSite(dir);
  const subjects = await folder.store.subjects.list(place.studyId);
  await folder.close();
  const { problems } = await verifySite(dir);
  return { before, names: subjects.map(({ displayName }) => displayName), problems };
}
const WITHOUT = () => ({ before: [], names: [other.words.name], problems: [] });

describe('a backup after an erasure', () => {
  it('is the only one that its folder keeps, and nothing of the person is left there', async () => {
    expect((await findPerson(person, backups)).length).toBeGreaterThan(0);
    const [older] = await listBackups(backups);
    const made = await backUp(backups);
    expect(made.removedForErasure).toEqual([older!.id]);
    expect((await listBackups(backups)).map(({ id }) => id)).toEqual([made.id]);
    expect(await findPerson(person, backups)).toEqual([]);
    // The next one adds to it as ever.
    expect((await backUp(backups)).removedForErasure).toEqual([]);
    expect(await listBackups(backups)).toHaveLength(2);
    await restoreSite(backups, beside('from-after'));
    expect(await restored(beside('from-after'))).toEqual(WITHOUT());
  });

  it('removes older ones of an encrypted folder too', async () => {
    const made = await backUp(sealed);
    expect(made.removedForErasure).toHaveLength(1);
    expect((await listBackups(sealed)).map(({ id }) => id)).toEqual([made.id]);
  });

  it('leaves those of other sites alone, and removes again what an interruption left', async () => {
    const another = await makeTestSite({ timeZones: [] });
    const shared = beside('shared');
    await cp(away, shared, { recursive: true });
    const foreign = await makeBackup({ siteDir: another.dir, to: shared, reason: 'manual', nowTs: clock + 500 });
    const made = await backUp(shared);
    expect((await listBackups(shared)).map(({ id }) => id).sort()).toEqual([foreign.id, made.id].sort());
    // Killed between the removal and its note: the list is there, but says nothing of the older backups.
    await copyFile(join(place.dir, 'erasures.json'), join(shared, 'erasures.json'));
    expect((await backUp(shared)).removedForErasure).toEqual([made.id]);
    await another.remove();
  });
});

describe('a restore of an older backup', () => {
  it('does not bring the person back when the list of the site is named', async () => {
    const to = beside('named');
    await restoreSite(away, to, { erasuresIn: [place.dir] });
    expect(await restored(to)).toEqual(WITHOUT());
  });

  it('does not bring the person back when a later list lies beside the backups', async () => {
    const later = beside('later');
    await cp(away, later, { recursive: true });
    await copyFile(join(backups, 'erasures.json'), join(later, 'erasures.json'));
    await restoreSite(later, beside('from-later'));
    expect(await restored(beside('from-later'))).toEqual(WITHOUT());
  });

  it('in the place of a damaged site erases again what the damaged site knew, and takes nothing of the person over', async () => {
    const damaged = beside('damaged');
    await cp(place.dir, damaged, { recursive: true });
    await copyFile(keptSignal, join(damaged, 'signals', `${person.recordingIds[0]}.sig`));
    await writeFile(sitePaths(damaged).database, 'no database');
    const to = beside('in-place');
    await restoreInPlace(damaged, away, { to });
    expect(await restored(to)).toEqual(WITHOUT());
    await rm(to, { recursive: true });

    const rebuilt = await rebuildInPlace(damaged, { to });
    expect(rebuilt.adopted).toMatchObject({ added: 2 });
    expect(await findPerson(person, to)).toEqual([]);
  });
});
