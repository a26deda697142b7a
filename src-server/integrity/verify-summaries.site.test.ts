import BetterSqlite3 from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../api/contract/client.ts';
import { newId, SYSTEM } from '../db/index.ts';
import { type RunningSite, startSite } from '../site/server.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import { jobEnd, makeTestSite, signIn, type TestSite } from '../testing/test-site.ts';
import { verifySite } from './verify.ts';

let place: TestSite;
let site: RunningSite;
let client: Client;
beforeAll(async () => {
  place = await makeTestSite();
  site = await startSite({ dir: place.dir, port: 0 });
  client = await signIn(site.url);
  const { store, signalsDir } = site.folder;
  const { studyId, userId } = place;
  const byUser = { actor: { type: 'USER', id: userId } } as const;
  const diary = {
    id: newId(),
    displayName: 'Diary',
    mode: 'UNSUPERVISED' as const,
    questions: [{ text: 'Pain?', type: 'BOOLEAN' as const, values: ['Y', 'N'] }],
  };
  await store.studies.putDefinition(studyId, { diaries: [diary] }, byUser);
  await store.studies.move(studyId, 'start', byUser);
  for (const [i, subjectId] of place.subjectIds.entries()) {
    const bySubject = { actor: { type: 'SUBJECT' as const, id: subjectId } };
    await addTestRecording(store, signalsDir, { studyId, subjectId }, { udid: `AA:BB:CC:00:00:0${i}` });
    await store.messages.post({ studyId, subjectId, body: 'Hello' }, bySubject);
    await store.messages.post({ studyId, subjectId, body: 'Good day' }, byUser);
    const startTs = Date.UTC(2026, 0, 15, 3);
    const done = { studyId, subjectId, taskId: diary.id, startTs, stopTs: startTs + 1, answers: [] };
    await store.annotations.reportTask(done, bySubject);
  }
});
afterAll(async () => {
  await site.close();
  await place.remove();
});

/** Changes rows past the services, as damage or another program would. */
function damage(sql: string): void {
  const database = new BetterSqlite3(site.folder.store.path);
  const { changes } = database.prepare(sql).run();
  database.close();
  expect(changes, sql).toBe(1);
}

it('finds nothing wrong with summaries that the services keep', async () => {
  expect(await verifySite(place.dir)).toMatchObject({ problems: [], checked: { subjects: 2 } });
});

it('reports each wrong summary, and a check of the running site makes it again', async () => {
  const { store } = site.folder;
  const [first = '', second = ''] = place.subjectIds;
  const lists = async () => [
    await client.call('listSubjects', { params: place, query: { summary: true } }),
    await client.call('listStudies', { params: place, query: { summary: true } }),
    await client.call('listConversations', { params: place }),
  ];
  const before = await lists();
  damage(`UPDATE subjectSummary SET sizeBytes = sizeBytes + 1 WHERE subjectId = '${first}'`);
  damage(`UPDATE recordingDay SET date = '2026-01-16' WHERE subjectId = '${second}'`);
  damage(`DELETE FROM taskMonth WHERE subjectId = '${first}'`);
  damage(`UPDATE conversation SET unreadCount = 7 WHERE subjectId = '${first}'`);
  expect(await lists()).not.toEqual(before);
  const wrong = (subjectId: string, tables: string) => ({
    ...{ step: 'summaries', id: subjectId, code: 'SUMMARY_WRONG', facts: { subjectId, tables } },
  });
  const problems = [wrong(first, 'subjectSummary, taskMonth, conversation'), wrong(second, 'recordingDay')].sort(
    (a, b) => (a.id < b.id ? -1 : 1),
  );
  expect((await verifySite(place.dir)).problems).toMatchObject(problems);

  const { id } = await client.call('verifySite');
  expect(await jobEnd(client, id)).toMatchObject({ state: 'done', result: { countProblems: 2, problems } });
  expect((await verifySite(place.dir)).problems).toEqual([]);
  expect(await lists()).toEqual(before);
  expect(await store.summaries.wrongOf(first)).toEqual([]);
});

it('reports a summary of data that is no longer there, and a missing one', async () => {
  const { store } = site.folder;
  const third = await store.subjects.create(place.studyId, { displayName: 'Third', timezone: 'UTC' }, SYSTEM);
  const [first = ''] = place.subjectIds;
  damage(
    `INSERT INTO subjectSummary SELECT '${third.id}', studyId, countRecordings, countDays, countSensors, coveredUs, durationMs,
      sizeBytes, firstStartUs, lastStartUs, lastStopUs, lastUploadTs FROM subjectSummary WHERE subjectId = '${first}'`,
  );
  damage(`DELETE FROM conversation WHERE subjectId = '${first}'`);
  expect(await store.summaries.wrongOf(third.id)).toEqual(['subjectSummary']);
  expect(await store.summaries.wrongOf(first)).toEqual(['conversation']);
  for (const subjectId of [first, third.id]) await store.summaries.rebuild(subjectId);
  expect((await verifySite(place.dir)).problems).toEqual([]);
});
