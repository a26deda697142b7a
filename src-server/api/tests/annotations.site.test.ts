import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

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
  it('show tasks, their answers right behind them, and labels', async () => {
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

  it('are partitioned by type and cut by inclusive times', async () => {
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

  it('a completed task is an event by the subject', async () => {
    const { items } = await api.client.call('listEvents', { params: { studyId: api.studyId } });
    const [task] = await list({ type: 'activity' });
    expect(items.find((event) => event.action === 'ACTIVITY_COMPLETED')).toMatchObject({
      referenceId: task!.id,
      subjectId: api.subjectIds[0],
      author: { id: api.subjectIds[0], principalType: 'SUBJECT' },
    });
  });
});
