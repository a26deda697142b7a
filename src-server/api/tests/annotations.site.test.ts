import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { DAY_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { createClient } from '../contract/client.ts';
import type { RawDataPage } from '../contract/index.ts';

const START_MS = Date.UTC(2026, 0, 15, 11);

let api: TestApi;
let questionId: string;
beforeAll(async () => {
  api = await startTestApi();
  const study = { studyId: api.studyId };
  const question = { text: 'How hard?', type: 'RANGE', values: ['0', '10'] };
  await api.client.call('putDefinition', {
    params: study,
    body: { activities: [{ displayName: 'Stand up', durationSec: 30, questions: [question] }] },
  });
  await api.client.call('startStudy', { params: study });
  const [activity] = (await api.client.call('getStudy', { params: study })).activities;
  questionId = activity!.questions[0]!.id;
  const place = { ...study, subjectId: api.subjectIds[0]! };
  await api.store.annotations.reportTask(
    {
      ...place,
      taskId: activity!.id,
      startTs: START_MS,
      stopTs: START_MS + 30_000,
      answers: [{ questionId, value: '7' }],
    },
    { actor: { type: 'SUBJECT', id: place.subjectId } },
  );
  const label = { ...place, startTs: START_MS + 60_000, stopTs: START_MS + 60_000 };
  await api.store.annotations.addLabels(
    [{ ...label, type: 'subject', displayName: 'N', value: 'normal beat' }],
    SYSTEM,
  );
  await api.store.annotations.addLabels([{ ...label, type: 'recording', displayName: 'Artefact' }], {
    actor: { type: 'USER', id: api.admin.userId },
  });
});
afterAll(() => api.close());

const list = async (query: Record<string, unknown> = {}) =>
  (
    await api.client.call('listAnnotations', {
      params: { studyId: api.studyId, subjectId: api.subjectIds[0]! },
      query: query as never,
    })
  ).items;

describe('annotations', () => {
  it('list tasks, each followed by its answers, and labels', async () => {
    const [task, answer, ...labels] = await list();
    expect(task).toMatchObject({
      displayName: 'Stand up',
      startTs: START_MS,
      stopTs: START_MS + 30_000,
      authorId: api.subjectIds[0],
      event: { type: 'activity', displayName: 'Stand up' },
    });
    expect(task!.event).not.toHaveProperty('relationship');
    expect(answer).toMatchObject({
      value: '7',
      stopTs: task!.stopTs,
      event: { type: 'question', displayName: 'How hard?', relationship: { id: task!.event!.id } },
    });
    expect(labels).toHaveLength(2);
    for (const label of labels) expect(label).not.toHaveProperty('event');
    expect(labels.find((label) => label.displayName === 'N')).not.toHaveProperty('authorId');
    expect(labels.find((label) => label.displayName === 'Artefact')).toMatchObject({ authorId: api.admin.userId });
  });

  it('are filtered by type and by inclusive times', async () => {
    const all = await list();
    const types = ['activity', 'diary', 'question', 'recording', 'subject'];
    const parts = await Promise.all(types.map((type) => list({ type })));
    expect(parts.map((part) => part.length)).toEqual([1, 0, 1, 1, 1]);
    expect(new Set(parts.flat().map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)));
    expect((await list({ type: ['activity', 'question'] })).length).toBe(2);
    expect((await list({ from: START_MS + 60_000 })).length).toBe(2);
    expect((await list({ from: START_MS + 60_001 })).length).toBe(0);
    expect((await list({ to: START_MS })).length).toBe(2);
    await expect(list({ from: 2, to: 1 })).rejects.toMatchObject({ status: 400 });
  });

  it('record a completed task as an event by the subject', async () => {
    const { items } = await api.client.call('listEvents', { params: { studyId: api.studyId } });
    const [task] = await list({ type: 'activity' });
    expect(items.find((event) => event.action === 'ACTIVITY_COMPLETED')).toMatchObject({
      referenceId: task!.id,
      subjectId: api.subjectIds[0],
      author: { id: api.subjectIds[0], principalType: 'SUBJECT' },
    });
  });
});

const place = (subject = 0) => ({ studyId: api.studyId, subjectId: api.subjectIds[subject]! });

describe('one annotation', () => {
  it('equals its list entry and is found only through its own subject and study', async () => {
    for (const annotation of await list()) {
      const params = { ...place(), annotationId: annotation.id };
      expect(await api.client.call('getAnnotation', { params })).toEqual(annotation);
    }
    const annotationId = (await list())[0]!.id;
    await expect(api.client.call('getAnnotation', { params: { ...place(1), annotationId } })).rejects.toMatchObject({
      status: 404,
    });
    const { id: studyId } = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Elsewhere' },
    });
    for (const route of ['listAnswers', 'getAnnotationData'] as const) {
      await expect(api.client.call(route, { params: { studyId, annotationId } })).rejects.toMatchObject({
        status: 404,
      });
    }
  });
});

describe('questions and answers', () => {
  it('equal the question annotations of the task, in the order of the questions', async () => {
    const { studyId } = place();
    const study = await api.client.call('getStudy', { params: { studyId } });
    await api.client.call('putDefinition', {
      params: { studyId },
      body: {
        diaries: [
          {
            displayName: 'Evening "diary"',
            questions: [
              { text: 'Pain, or none?', type: 'BOOLEAN', values: ['YES', 'NO'] },
              { text: 'Where?', type: 'MULTIPLECHOICE', values: ['Head', 'Back, low'] },
            ],
          },
        ],
      },
    });
    expect(study.diaries).toEqual([]);
    const [diary] = (await api.client.call('getStudy', { params: { studyId } })).diaries;
    const [pain, where] = diary!.questions;
    const subject = { actor: { type: 'SUBJECT', id: place(1).subjectId } } as const;
    api.clock.advance(1000);
    const report = await api.store.annotations.reportTask(
      {
        ...place(1),
        taskId: diary!.id,
        startTs: START_MS,
        stopTs: START_MS + 5000,
        answers: [
          { questionId: pain!.id, value: 'YES' },
          { questionId: where!.id, value: 'Head' },
          { questionId: where!.id, value: 'Back, "low"' },
        ],
      },
      subject,
    );
    const params = { studyId, annotationId: report.id };
    const { items, size } = await api.client.call('listAnswers', { params });
    expect(size).toBe(3);
    const times = { createdTs: api.clock.now() };
    expect(items).toEqual([
      { id: expect.any(String), ...times, question: 'Pain, or none?', answer: 'YES', type: 'BOOLEAN' },
      { id: expect.any(String), ...times, question: 'Where?', answer: 'Head', type: 'MULTIPLECHOICE' },
      { id: expect.any(String), ...times, question: 'Where?', answer: 'Back, "low"', type: 'MULTIPLECHOICE' },
    ]);
    const asAnnotations = await api.client.call('listAnnotations', { params: place(1), query: { type: 'question' } });
    expect(asAnnotations.items.map(({ id, value }) => [id, value])).toEqual(
      items.map(({ id, answer }) => [id, answer]),
    );
    const label = (await list({ type: 'recording' }))[0]!;
    expect(await api.client.call('listAnswers', { params: { studyId, annotationId: label.id } })).toEqual({
      items: [],
      size: 0,
    });
  });
});

describe('annotations CSV', () => {
  const csv = async (subject: number) => {
    const response = await api.client.fetch('downloadAnnotationsCsv', { params: place(subject) });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    return await response.text();
  };
  const HEADER =
    '"Timestamp (ms)","AnnotationId","EventType","AuthorId","Start Timestamp (ms)","Stop Timestamp (ms)","Value"';

  it('quotes every cell, lists answers after their task and puts the answer into Value', async () => {
    const [task, answer] = await list();
    const author = api.subjectIds[0];
    const [start, stop] = [START_MS, START_MS + 30_000];
    const lines = (await csv(0)).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      HEADER,
      `"${task!.createdTs}","Activity:Stand up","Stand up","${author}","${start}","${stop}",""`,
      `"${answer!.createdTs}","ActivityQuestion:How hard?","How hard?","${author}","${start}","${stop}","7"`,
    ]);
    const at = START_MS + 60_000;
    expect(
      lines
        .slice(3, 5)
        .map((line) => line.replace(/^"\d+",/, ''))
        .sort(),
    ).toEqual([
      `"Recording:Artefact","Artefact","${api.admin.userId}","${at}","${at}",""`,
      `"Subject:N","N","","${at}","${at}","normal beat"`,
    ]);
    expect(lines.slice(5)).toEqual(['']);
  });

  it('doubles quotes and names the kind of a survey', async () => {
    const lines = (await csv(1)).split('\n');
    const cells = lines.map((line) => line.split(',"'));
    expect(cells.slice(1, -1).map((line) => line[1])).toEqual([
      'Diary:Evening ""diary"""',
      'DiaryQuestion:Pain, or none?"',
      'DiaryQuestion:Where?"',
      'DiaryQuestion:Where?"',
    ]);
    expect(lines[4]!.endsWith(',"Back, ""low"""')).toBe(true);
  });

  it('is an export, which monitors may not make', async () => {
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials });
    await expect(monitor.fetch('downloadAnnotationsCsv', { params: place() })).rejects.toMatchObject({ status: 403 });
  });
});

describe('labels by staff', () => {
  const create = (body: Record<string, unknown>, subject = 0) =>
    api.client.call('createLabel', { params: place(subject), body: body as never });
  const auditOf = (entityId: string) => api.store.audit.list({ entityType: 'annotation', entityId });

  it('are created, changed and deleted, and the audit records who, what and why', async () => {
    const { id, links } = await create({ displayName: ' Noise ', startTs: 1000, value: 'motion' });
    const { studyId, subjectId } = place();
    expect(links).toEqual([{ href: `/v1/studies/${studyId}/subjects/${subjectId}/annotations/${id}`, rel: 'self' }]);
    const label = await (await api.client.follow(links[0]!.href)).json();
    expect(label).toEqual({
      id,
      studyId,
      subjectId,
      authorId: api.admin.userId,
      createdTs: api.clock.now(),
      displayName: 'Noise',
      startTs: 1000,
      stopTs: 1000,
      value: 'motion',
    });
    expect((await list({ type: 'recording' })).map((one) => one.id)).toContain(id);
    const params = { ...place(), annotationId: id };
    await api.client.call('updateLabel', { params, body: { stopTs: 2000, value: null, reason: 'Longer' } });
    const { value: _, ...without } = label;
    expect(await api.client.call('getAnnotation', { params })).toEqual({ ...without, stopTs: 2000 });
    await api.client.call('deleteLabel', { params, query: { reason: 'Wrong subject' } });
    await expect(api.client.call('getAnnotation', { params })).rejects.toMatchObject({ status: 404 });
    await expect(api.client.call('deleteLabel', { params })).rejects.toMatchObject({ status: 404 });
    const actor = { type: 'USER', id: api.admin.userId };
    expect(await auditOf(id)).toMatchObject([
      { action: 'annotation.delete', actor, reason: 'Wrong subject', changes: { displayName: { old: 'Noise' } } },
      { action: 'annotation.update', actor, reason: 'Longer', changes: { stopTs: { old: 1000, new: 2000 } } },
      { action: 'annotation.label', actor, changes: { displayName: { new: 'Noise' } } },
    ]);
  });

  it('accept a DELETE with an empty JSON body', async () => {
    const { id } = await create({ displayName: 'Short-lived', startTs: 1 });
    const url = api.client.url('deleteLabel', { params: { ...place(), annotationId: id } });
    const headers = { authorization: api.authorization, 'content-type': 'application/json' };
    expect((await fetch(url, { method: 'DELETE', headers, body: '{}' })).status).toBe(204);
  });

  it('reject invalid changes and stay unchanged', async () => {
    const before = await list();
    const bad: [Record<string, unknown>, string][] = [
      [{ displayName: ' ', startTs: 1 }, 'displayName'],
      [{ displayName: 'x' }, 'startTs'],
      [{ displayName: 'x', startTs: 1.5 }, 'startTs'],
      [{ displayName: 'x', startTs: 2, stopTs: 1 }, 'stopTs'],
      [{ displayName: 'x', startTs: 1, recordingId: 'nowhere' }, 'recordingId'],
    ];
    for (const [body, path] of bad) {
      await expect(create(body)).rejects.toMatchObject({ status: 400, errors: [expect.objectContaining({ path })] });
    }
    const label = before.find((one) => one.displayName === 'Artefact')!;
    const params = { ...place(), annotationId: label.id };
    await expect(api.client.call('updateLabel', { params, body: { stopTs: 1 } })).rejects.toMatchObject({
      status: 400,
    });
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials });
    await expect(monitor.call('deleteLabel', { params })).rejects.toMatchObject({ status: 403 });
    await expect(monitor.call('updateLabel', { params, body: { displayName: 'x' } })).rejects.toMatchObject({
      status: 403,
    });
    await expect(
      api.client.call('deleteLabel', { params: { ...place(1), annotationId: label.id } }),
    ).rejects.toMatchObject({ status: 404 });
    expect(await list()).toEqual(before);
  });

  it('never change what a subject reported', async () => {
    const before = await list();
    for (const { id } of before.filter((one) => one.event)) {
      const params = { ...place(), annotationId: id };
      await expect(api.client.call('updateLabel', { params, body: { displayName: 'x' } })).rejects.toMatchObject({
        status: 400,
      });
      await expect(api.client.call('deleteLabel', { params })).rejects.toMatchObject({ status: 400 });
    }
    expect(await list()).toEqual(before);
  });
});

describe('raw data over an annotation', () => {
  it('returns the data of all sensors from its start to its stop, paged by links', async () => {
    const { studyId, subjectId } = place(1);
    const second = { udid: 'AA:BB:CC:00:00:02', durationSeconds: 900 };
    await addTestRecording(api.store, api.deps.signalsDir, place(1));
    await addTestRecording(api.store, api.deps.signalsDir, place(1), second);
    const span = { startTs: START_MS + 10, stopTs: START_MS + 900_000 };
    const params = { ...place(1) };
    const { id: annotationId } = await api.client.call('createLabel', {
      params,
      body: { displayName: 'All', ...span },
    });
    const one = { studyId, annotationId };

    const pages = [await api.client.call('getAnnotationData', { params: one, query: { tsMicros: true } })];
    while (pages.at(-1)!.links) {
      const { href } = pages.at(-1)!.links!.at(-1)!;
      expect(href.startsWith(`/v1/studies/${studyId}/subjects/${subjectId}/data?`)).toBe(true);
      pages.push((await (await api.client.follow(href)).json()) as RawDataPage);
    }
    expect(pages.length).toBeGreaterThan(1);
    const ecgTimes = (udid: string) =>
      pages.flatMap(({ channels }) =>
        channels
          .filter(({ type, recording }) => type === 'ECG' && recording.udid === udid)
          .flatMap(({ times }) => times),
      );
    const first = START_MS * 1000 + 12_000;
    expect(ecgTimes('AA:BB:CC:00:00:01')).toEqual(Array.from({ length: 15_000 - 3 }, (_, i) => first + 4000 * i));
    expect(ecgTimes('AA:BB:CC:00:00:02')).toHaveLength(900 * 250 - 3);

    const query = { deviceId: second.udid };
    const { channels } = await api.client.call('getAnnotationData', { params: one, query });
    expect(new Set(channels.map(({ recording }) => recording.udid))).toEqual(new Set([second.udid]));
    expect(channels.at(-1)!.times[0]).toBe(START_MS + 12);
  });
});

describe('annotations that overlap a span', () => {
  it('are found by their end, also where they last longer than a day', async () => {
    const subjectId = (
      await api.client.call('createSubject', {
        params: { studyId: api.studyId },
        body: { displayName: 'Long labels', timezone: 'UTC' },
      })
    ).id;
    const add = async (displayName: string, startTs: number, stopTs: number) =>
      await api.store.annotations.addLabels(
        [{ studyId: api.studyId, subjectId, type: 'subject', displayName, startTs, stopTs }],
        SYSTEM,
      );
    await add('before', START_MS - 10 * DAY_MS, START_MS - 1);
    await add('across', START_MS - DAY_MS / 2, START_MS);
    await add('inside', START_MS + 5, START_MS + 5);
    await add('after', START_MS + 11, START_MS + 20);
    const params = { studyId: api.studyId, subjectId };
    const namesOf = async (query: { endFrom: number; from?: number; to?: number }) =>
      (await api.client.call('listAnnotations', { params, query })).items.map(({ displayName }) => displayName);
    const span = { endFrom: START_MS, to: START_MS + 10 };
    expect(await namesOf(span)).toEqual(['across', 'inside']);
    expect(await namesOf({ ...span, from: START_MS })).toEqual(['inside']);
    await add('week', START_MS - 7 * DAY_MS, START_MS + 1);
    expect(await namesOf(span)).toEqual(['week', 'across', 'inside']);
  });
});

describe('thousands of labels', () => {
  it('are returned complete and in order, as JSON and as CSV', async () => {
    const label = { ...place(1), type: 'subject', displayName: 'N' } as const;
    // Eight beats share each instant, some of them the instant of a task with answers.
    const labels = Array.from({ length: 2500 }, (_, i) => {
      const startTs = START_MS - 100_000 + Math.floor(i / 8) * 1000;
      return { ...label, startTs, stopTs: startTs };
    });
    await api.store.annotations.addLabels(labels, SYSTEM);
    const { items, size } = await api.client.call('listAnnotations', { params: place(1) });
    const expected = await api.store.annotations.list(place(1).subjectId);
    expect(size).toBe(expected.length);
    expect(items.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const at = items.findIndex(({ event }) => event?.type === 'diary');
    expect(items.slice(at + 1, at + 4).map(({ event }) => event?.type)).toEqual(Array(3).fill('question'));
    const csv = await (await api.client.fetch('downloadAnnotationsCsv', { params: place(1) })).text();
    expect(csv.trimEnd().split('\n')).toHaveLength(size + 1);
  });
});

/** Runs last in this file, because it ends the study. */
describe('labels of a complete study', () => {
  it('change only with a reason, which the audit records', async () => {
    const { client, studyId, store } = api;
    const label = { displayName: 'Seen late', startTs: 1000 };
    const { id } = await client.call('createLabel', { params: place(), body: label });
    const studies = { params: { studyId } };
    if ((await client.call('getStudy', studies)).lifecycleState === 'INITIALIZED')
      await client.call('startStudy', studies);
    await client.call('stopStudy', studies);
    const params = { ...place(), annotationId: id };
    const refused = { status: 409, code: 'STUDY_STATE', errors: [{ path: 'reason' }] };
    for (const reason of [undefined, '  ']) {
      await expect(client.call('createLabel', { params: place(), body: { ...label, reason } })).rejects.toMatchObject(
        refused,
      );
      await expect(client.call('updateLabel', { params, body: { value: 'x', reason } })).rejects.toMatchObject(refused);
      await expect(client.call('deleteLabel', { params, query: { reason } })).rejects.toMatchObject(refused);
    }
    const made = await client.call('createLabel', { params: place(), body: { ...label, reason: 'Second reader' } });
    await client.call('updateLabel', { params, body: { value: 'x', reason: 'Agreed' } });
    await client.call('deleteLabel', { params, query: { reason: 'Doubled' } });
    const reasons = async (entityId: string) =>
      (await store.audit.list({ entityType: 'annotation', entityId })).map(({ reason }) => reason);
    expect(await reasons(id)).toEqual(['Doubled', 'Agreed', undefined]);
    expect(await reasons(made.id)).toEqual(['Second reader']);
  });
});
