/**
 * A person with data of every kind in an open site, under words and bytes that nothing else there has, and the search for them in all
 * files of a folder.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM } from '../db/index.ts';
import { sha256Hex } from '../files/content-hash.ts';
import type { SiteFolder } from '../site/folder.ts';
import { searchWords } from '../study/search-text.ts';
import { storeTestAnalytics } from './test-analytics.ts';
import { addTestRecording } from './test-recording.ts';

export interface Person {
  studyId: string;
  subjectId: string;
  /** Written in a place each; none may be left. */
  words: Record<string, string>;
  /** From the middle of each file of the person. */
  bytes: Record<string, Buffer>;
  recordingIds: string[];
  phone: { id: string; secret: string };
  sensorId: string;
}

/** Numbers that look alike to no compressor, and differ for each seed. */
function noise(seed: number): (i: number) => number {
  return (i) => ((Math.imul(i + 1, 2654435761) ^ Math.imul(seed + 1, 40503)) >>> 7) % 20_000;
}

const MIDDLE_BYTES = 24;
const HOUR_US = 3_600_000_000;

/**
 * Adds a person to a study that the user may change.
 * @param tag part of every word, different for each person; letters only
 */
export async function addPerson(
  { store, signalsDir, imagesDir, exportsDir }: Pick<SiteFolder, 'store' | 'signalsDir' | 'imagesDir' | 'exportsDir'>,
  {
    accountId,
    studyId,
    userId,
    tag,
    seed,
  }: { accountId: string; studyId: string; userId: string; tag: string; seed: number },
): Promise<Person> {
  const change = { actor: { type: 'USER', id: userId } } as const;
  const words = {
    former: `Formerly ${tag}`,
    name: `Zyxelia ${tag}`,
    note: `note${tag}note`,
    label: `label${tag}label`,
    answer: `answer${tag}answer`,
    reason: `because${tag}because`,
    comment: `comment${tag}comment`,
  };
  const timezone = 'Asia/Tokyo';
  const { id: subjectId } = await store.subjects.create(studyId, { displayName: words.former, timezone }, change);
  const place = { studyId, subjectId };
  await store.subjects.update(subjectId, { displayName: words.name, age: 44 }, { ...change, reason: words.reason });
  const sensorId = `S${tag}`.slice(0, 12);
  const udid = `AA:BB:CC:00:${String(seed).padStart(2, '0')}:77`;
  await store.equipment.register({ accountId, id: sensorId, type: 'SENSOR', udid }, change);
  await store.equipment.assign(sensorId, place, change);
  const recordingIds: string[] = [];
  for (const hour of [9, 11]) {
    const startUs = Date.UTC(2026, 0, 15) * 1000 + hour * HOUR_US;
    const made = await addTestRecording(store, signalsDir, place, {
      startUs,
      udid,
      ecgCount: noise(seed * 100 + hour),
    });
    recordingIds.push(made.id);
    await writeFile(join(exportsDir, `${made.id}.zip`), `copy of ${words.note}`);
  }
  const startTs = Date.UTC(2026, 0, 15, 9);
  const label = { ...place, type: 'recording', displayName: words.label, startTs, stopTs: startTs + 1000 } as const;
  await store.annotations.addLabels([{ ...label, recordingId: recordingIds[0]! }], change);
  const picture = `${store.session.newId()}.png`;
  await writeFile(join(imagesDir, picture), Buffer.from(`picture ${words.note} ${'p'.repeat(100)}`));
  await store.messages.post(
    { ...place, body: words.note, image: { file: picture, mimeType: 'image/png', sizeBytes: 120 } },
    change,
  );
  await store.messages.post({ ...place, body: words.answer }, { actor: { type: 'SUBJECT', id: subjectId } });
  const query = await store.dataQueries.open(
    { ...place, target: 'RECORDING', targetId: recordingIds[0]!, text: words.note },
    change,
  );
  await store.dataQueries.addStep(query, { kind: 'ANSWER', text: words.answer }, change);
  if ((await store.participation.plan(studyId)).version === 0) {
    const visit = { id: 'visit', displayName: 'Visit', anchor: 'CONSENT', offsetDays: 7 } as const;
    const visits = [{ ...visit, windowBefore: 1, windowAfter: 1, isOptional: false, isReminded: true }];
    const forms = [{ version: '1', isRequired: true }];
    await store.participation.setPlan(studyId, { consentForms: forms, groups: [], strata: [], visits }, 0, change);
  }
  const form = `${store.session.newId()}.pdf`;
  const pdf = Buffer.from(`%PDF-1.4 ${words.note} ${'f'.repeat(100)}`);
  const ofForm = { mimeType: 'application/pdf', sizeBytes: pdf.length, sha256: sha256Hex(pdf) };
  await writeFile(join(imagesDir, form), pdf);
  await store.participation.setConsent(
    {
      ...{ ...place, state: 'GIVEN', version: '1', date: '2026-01-01', reason: words.comment },
      document: { file: form, name: `${words.name}.pdf`, ...ofForm },
    },
    change,
  );
  await store.participation.setVisit({ ...place, visitId: 'visit', state: 'MISSED', reason: words.reason }, change);
  const note = await store.notes.add({ ...place, kind: 'CALL', isReached: true, body: words.former }, change);
  await store.notes.edit(note, { version: 1, body: words.note }, { ...change, reason: words.reason });
  await store.notes.withdraw(note, { ...change, reason: words.comment });
  await store.notes.add({ studyId, kind: 'NOTE', body: `Ask ${words.name} about the ward.` }, change);
  const spans = [{ startMs: Date.UTC(2026, 0, 15, 9), stopMs: Date.UTC(2026, 0, 15, 9 + (seed % 8), seed % 60) }];
  await storeTestAnalytics(store, place, timezone, ['2026-01-15', '2026-01-16'], spans);
  const target = { ...place, kind: 'recording', targetId: recordingIds[0]! } as const;
  const { sha256 } = await store.signatures.contentOf(target);
  await store.signatures.sign(
    { ...target, meaning: 'REVIEWED', comment: words.comment, contentSha256: sha256 },
    await store.users.require(userId),
    change,
  );
  const { device, secret } = await store.devices.add(
    { accountId, kind: 'PHONE', serial: `phone-${tag}`, subject: place },
    change,
  );
  await store.outbox.add({
    accountId,
    recipient: 'staff@example.org',
    subject: 'Subject',
    body: `About ${words.name}.`,
  });
  await store.audit.note(
    { ...SYSTEM, reason: `Asked by ${words.name} herself` },
    {
      action: 'test',
      entityType: 'site',
      entityId: 'site',
    },
  );
  const bytes: Record<string, Buffer> = {};
  for (const id of recordingIds) {
    const file = await readFile(join(signalsDir, `${id}.sig`));
    const at = file.length >> 1;
    bytes[`signal ${id}`] = file.subarray(at, at + MIDDLE_BYTES);
  }
  return {
    ...place,
    words: {
      ...words,
      subjectId,
      serial: `phone-${tag}`,
      firstRecording: recordingIds[0]!,
      secondRecording: recordingIds[1]!,
    },
    bytes,
    recordingIds,
    phone: { id: device.id, secret },
    sensorId,
  };
}

/** Where words or bytes of a person are in the files of folders, and in the names of these. */
export async function findPerson(person: Person, ...folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const wanted = [
    ...Object.entries(person.words).map(([name, word]) => [name, Buffer.from(word)] as const),
    // As the index of the search has it.
    ...Object.entries(person.words).map(
      ([name, word]) => [`${name}, indexed,`, Buffer.from(searchWords(word))] as const,
    ),
    ...Object.entries(person.bytes),
  ];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? await readFile(path) : Buffer.alloc(0);
      for (const [name, bytes] of wanted) {
        if (content.includes(bytes) || entry.name.includes(bytes.toString())) found.push(`${name} in ${path}`);
      }
    }
  }
  return found;
}
