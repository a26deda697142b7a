import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
const asked: string[] = [];
beforeAll(async () => {
  api = await startTestApi({ onQuery: ({ name }) => asked.push(name) });
});
afterAll(() => api.close());

const newStudy = async (body: Parameters<typeof create>[0]) => (await create(body)).id;
const create = (body: {
  displayName: string;
  from?: { studyId: string } | { templateId: string; language?: 'en' | 'ja' };
}) => api.client.call('createStudy', { params: { accountId: api.accountId }, body });

describe('the library of questionnaires', () => {
  it('scores a survey that asks one in its original words, also in a copy of the study', async () => {
    const library = await api.client.call('listQuestionnaires', {});
    const phq = library.find(({ id }) => id === 'phq-9.en')!;
    expect(phq).toMatchObject({ min: 0, max: 27, licence: expect.stringContaining('Public domain') });
    const first = await newStudy({ displayName: 'Screened' });
    const questions = phq.questions.map(({ text, values }) => ({
      text,
      type: 'MULTIPLECHOICE',
      values,
      isMultiple: false,
    }));
    await api.client.call('putDefinition', {
      params: { studyId: first },
      body: { diaries: [{ displayName: 'Mood', questions }] },
    });
    const studyId = await newStudy({ displayName: 'Screened again', from: { studyId: first } });
    const { diaries } = await api.client.call('getStudy', { params: { studyId } });
    const [diary] = diaries;
    const { id: subjectId } = await api.client.call('createSubject', {
      params: { studyId },
      body: { displayName: 'P-1', timezone: 'Asia/Tokyo' },
    });
    const report = async (choices: (number | null)[]) => {
      const startTs = api.clock.now();
      await api.store.annotations.reportTask(
        {
          studyId,
          subjectId,
          taskId: diary!.id,
          startTs,
          stopTs: startTs,
          answers: diary!.questions.map(({ id: questionId, values }, index) => {
            const choice = choices[index];
            return choice == null ? { questionId, skipped: true } : { questionId, value: values[choice]! };
          }),
        },
        { actor: { type: 'SUBJECT', id: subjectId } },
      );
      api.clock.advance(60_000);
    };
    await report([1, 1, 1, 2, 2, 3, 3, 3, 0, 2]);
    await report([2, 2, 2, 1, 1, 1, 1, null, null]);
    await report([1, null, null, null, 1, 1, 1, 1, 1]);
    const { items } = await api.client.call('listTaskReports', { params: { studyId, subjectId } });
    expect(items.map(({ scores }) => scores)).toEqual([
      [{ questionnaireId: 'phq-9.en', name: 'PHQ-9', value: 16, min: 0, max: 27, answered: 9, items: 9 }],
      [{ questionnaireId: 'phq-9.en', name: 'PHQ-9', value: 13, min: 0, max: 27, answered: 7, items: 9 }],
      [{ questionnaireId: 'phq-9.en', name: 'PHQ-9', min: 0, max: 27, answered: 6, items: 9 }],
    ]);

    await api.client.call('putDefinition', { params: { studyId }, body: { diaries: [] } });
    asked.length = 0;
    const later = await api.client.call('listTaskReports', { params: { studyId, subjectId } });
    expect(later.items.map(({ scores }) => scores?.[0]?.value)).toEqual([16, 13, undefined]);
    expect(asked).toContain('annotations.answersOf');
  });

  it('reads no answers of a study that never asked one', async () => {
    const { store, client } = api;
    const studyId = await newStudy({ displayName: 'Not screened' });
    const questions = [{ text: 'Any pain?', type: 'BOOLEAN', values: [] }];
    const body = { diaries: [{ displayName: 'Evening', questions }] };
    await client.call('putDefinition', { params: { studyId }, body });
    const [diary] = (await client.call('getDefinition', { params: { studyId } })).diaries;
    const { id: subjectId } = await client.call('createSubject', {
      params: { studyId },
      body: { displayName: 'P-1', timezone: 'Asia/Tokyo' },
    });
    const times = { startTs: api.clock.now(), stopTs: api.clock.now() };
    const answers = [{ questionId: diary!.questions[0]!.id!, value: 'NO' }];
    const actor = { type: 'SUBJECT', id: subjectId } as const;
    await store.annotations.reportTask({ ...times, studyId, subjectId, taskId: diary!.id, answers }, { actor });
    asked.length = 0;
    const { items } = await client.call('listTaskReports', { params: { studyId, subjectId } });
    expect(items).toHaveLength(1);
    expect(asked).not.toContain('annotations.answersOf');
  });
});

describe('a new study', () => {
  it('begins with a copy of the definition of another one, and with none of its subjects', async () => {
    const { client, studyId: source } = api;
    await client.call('putDefinition', {
      params: { studyId: source },
      body: {
        subjectMetadataFields: [{ displayName: 'Ward', type: 'FREETEXT', values: [] }],
        diaries: [{ displayName: 'Evening', questions: [{ text: 'Any pain?', type: 'BOOLEAN', values: [] }] }],
      },
    });
    const evening = (await client.call('getDefinition', { params: { studyId: source } })).diaries.at(-1)!;
    await client.call('putDefinition', {
      params: { studyId: source },
      body: { program: { days: 5, tasks: [{ taskId: evening.id, type: 'diary', days: [1, 3] }] } },
    });
    const studyId = await newStudy({ displayName: 'Again', from: { studyId: source } });
    const [before, after] = [
      await client.call('getStudy', { params: { studyId: source } }),
      await client.call('getStudy', { params: { studyId } }),
    ];
    expect(before.subjects.length).toBeGreaterThan(0);
    expect(after).toMatchObject({ lifecycleState: 'INITIALIZED', subjects: [], program: { days: 5 } });
    expect(after.diaries).toMatchObject([{ displayName: 'Evening', questions: [{ text: 'Any pain?' }] }]);
    expect(after.program.tasks).toEqual([{ taskId: after.diaries[0]!.id, type: 'diary', days: [1, 3] }]);
    expect(after.diaries[0]!.id).not.toBe(evening.id);
    expect(after.subjectMetadataFields).toEqual(before.subjectMetadataFields);
    // A change of one leaves the other as it is.
    await client.call('putDefinition', { params: { studyId }, body: { diaries: [], program: { days: 1, tasks: [] } } });
    expect((await client.call('getStudy', { params: { studyId: source } })).diaries).toHaveLength(
      before.diaries.length,
    );
  });

  it.each(['en', 'ja'] as const)('begins with each template in %s', async (language) => {
    for (const { id: templateId, days, countDiaries } of await api.client.call('listStudyTemplates', {
      query: { language },
    })) {
      const studyId = await newStudy({ displayName: templateId, from: { templateId, language } });
      const study = await api.client.call('getStudy', { params: { studyId } });
      expect(study.program.days).toBe(days);
      expect(study.program.tasks.length).toBeGreaterThan(0);
      expect(study.diaries).toHaveLength(countDiaries);
      expect(study.deviceConfigs.length).toBeGreaterThan(0);
    }
  });

  it('is not made from a study or template that is not there', async () => {
    const before = (await api.client.call('listStudies', { params: { accountId: api.accountId } })).length;
    for (const from of [{ studyId: api.accountId }, { templateId: 'none' }]) {
      await expect(newStudy({ displayName: 'Nothing', from })).rejects.toMatchObject({
        status: 400,
        code: 'INVALID_INPUT',
      });
    }
    expect(await api.client.call('listStudies', { params: { accountId: api.accountId } })).toHaveLength(before);
  });
});
