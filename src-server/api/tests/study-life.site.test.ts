import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { DEFAULT_ANALYSIS_PARAMETERS } from '../../vocabulary/analysis-parameters.ts';
import { createClient } from '../contract/client.ts';
import { definitionDocument } from '../contract/resources/definition.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function makeStudy(displayName: string): Promise<{ studyId: string }> {
  const { id } = await api.client.call('createStudy', {
    params: { accountId: api.accountId },
    body: { displayName },
  });
  return { studyId: id };
}

/** A handwritten definition that uses every feature; its ids are plain words. */
const WRITTEN = {
  format: 'outpost-study-definition' as const,
  formatVersion: 1 as const,
  subjectMetadataFields: [
    { displayName: 'Arm', type: 'MULTIPLECHOICE' as const, values: ['A', 'B'] },
    { displayName: 'Smoker', type: 'BOOLEAN' as const, values: ['YES', 'NO'] },
  ],
  activities: [
    {
      id: 'walk',
      displayName: 'Six-minute walk',
      mode: 'UNSUPERVISED',
      pipelineIds: ['fdd051b8-d753-11e6-ab51-34363bc84032'],
      durationSec: 360,
      instructions: 'Walk.',
      questions: [{ text: 'How hard?', type: 'RANGE', values: ['0', '10'] }],
    },
  ],
  diaries: [
    { id: 'evening', displayName: 'Evening', mode: 'UNSUPERVISED', pipelineIds: [], questions: [] },
    { id: 'morning', displayName: 'Morning', mode: 'UNSUPERVISED', pipelineIds: [], questions: [] },
  ],
  deviceConfigs: [
    {
      id: 'chest',
      mode: 'UNSUPERVISED',
      pipelineIds: [],
      sourceId: '4e8a80fd-4778-11e6-a313-34363bc3dbe2',
      physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
      sensorConfig: { sensingType: 'MPU_ANALOG', afe: { gain: 6, rate: 250 }, accel: { range: 4, rate: 31.25 } },
    },
  ],
  program: {
    days: 7,
    tasks: [
      { taskId: 'walk', type: 'activity' as const, days: [0, 3], window: { start: '08:00', end: '12:00' } },
      { taskId: 'morning', type: 'diary' as const, days: 'daily' as const },
    ],
  },
};

type Document = Awaited<ReturnType<typeof exported>>;
const exported = (params: { studyId: string }) => api.client.call('getDefinition', { params });
const imported = (params: { studyId: string }, body: unknown) =>
  api.client.call('importDefinition', { params, body: body as Document });

/** The document with every id replaced by the name of its record. */
function withoutIds(document: Document | typeof WRITTEN) {
  const names = new Map([...document.activities, ...document.diaries].map((task) => [task.id, task.displayName]));
  const task = ({ id: _id, questions, ...rest }: Document['diaries'][number]) => ({
    ...rest,
    questions: questions.map(({ id: _question, ...question }) => question),
  });
  return {
    ...document,
    activities: document.activities.map(task),
    diaries: document.diaries.map(task),
    deviceConfigs: document.deviceConfigs.map(({ id: _id, ...config }) => config),
    program: {
      ...document.program,
      tasks: document.program!.tasks.map((entry) => ({ ...entry, taskId: names.get(entry.taskId) })),
    },
  };
}

describe('definition as a file', () => {
  it('survives the round trip of import, export, another study and back unchanged', async () => {
    const [first, second] = [await makeStudy('First'), await makeStudy('Second')];
    await imported(first, WRITTEN);
    const one = await exported(first);
    expect(withoutIds(one)).toEqual(withoutIds({ ...WRITTEN, analysisParameters: DEFAULT_ANALYSIS_PARAMETERS }));
    await imported(second, one);
    const two = await exported(second);
    expect(withoutIds(two)).toEqual(withoutIds(one));
    const ids = (document: Document) => [...document.activities, ...document.diaries].map(({ id }) => id);
    for (const id of ids(two)) expect(ids(one)).not.toContain(id);

    const versions = () => api.store.studies.definitionVersions(first.studyId);
    const before = await versions();
    await imported(first, one);
    expect(await exported(first)).toEqual(one);
    expect(await versions()).toEqual(before);
    expect((await api.client.call('getStudy', { params: first })).program.tasks.map(({ taskId }) => taskId)).toEqual([
      one.activities[0]!.id,
      one.diaries[1]!.id,
    ]);
  });

  it('updates the records of its own study when a name in it changes', async () => {
    const params = await makeStudy('Renaming');
    await imported(params, WRITTEN);
    const document = await exported(params);
    document.diaries[0]!.displayName = 'Late evening';
    await imported(params, document);
    const { diaries } = await api.client.call('getStudy', { params });
    expect(diaries[0]).toMatchObject({ id: document.diaries[0]!.id, displayName: 'Late evening' });
  });

  it('is rejected as a whole with the invalid path and leaves the study unchanged', async () => {
    const params = await makeStudy('Strict');
    await imported(params, WRITTEN);
    const before = await exported(params);
    const [walk] = WRITTEN.activities;
    const wrong: [object, string][] = [
      [{ ...WRITTEN, format: 'something-else' }, 'format'],
      [{ ...WRITTEN, formatVersion: 2 }, 'formatVersion'],
      [{ ...WRITTEN, activities: undefined }, 'activities'],
      [{ ...WRITTEN, activities: [walk, walk] }, 'activities.1.id'],
      [{ ...WRITTEN, activities: [] }, 'program.tasks.0.taskId'],
      [{ ...WRITTEN, program: { ...WRITTEN.program, days: 0 } }, 'program.days'],
      [
        { ...WRITTEN, subjectMetadataFields: [{ displayName: 'X', type: 'MULTIPLECHOICE' }] },
        'subjectMetadataFields.0.values',
      ],
    ];
    const asked = (type: string, values: string[]) => ({
      ...WRITTEN,
      activities: [{ ...walk, questions: [{ text: 'How hard?', type, values }] }],
    });
    const values = 'activities.0.questions.0.values';
    const windowOf = (start: string, end: string) => ({
      ...WRITTEN,
      program: { ...WRITTEN.program, tasks: [{ ...WRITTEN.program.tasks[0], window: { start, end } }] },
    });
    const [field] = WRITTEN.subjectMetadataFields;
    wrong.push(
      [asked('RANGE', ['10', '0']), values],
      [asked('RANGE', ['5', '5']), values],
      [asked('RANGE', ['low', 'high']), values],
      [asked('MULTIPLECHOICE', ['good', 'good']), values],
      [asked('MULTIPLECHOICE', []), values],
      [{ ...WRITTEN, subjectMetadataFields: [field, field] }, 'subjectMetadataFields.1.displayName'],
      [{ ...WRITTEN, subjectMetadataFields: [{ ...field, values: ['A', 'A'] }] }, 'subjectMetadataFields.0.values'],
      [windowOf('22:00', '06:00'), 'program.tasks.0.window'],
      [windowOf('08:00', '08:00'), 'program.tasks.0.window'],
    );
    for (const [document, path] of wrong) {
      await expect(imported(params, document), path).rejects.toMatchObject({ status: 400, errors: [{ path }] });
    }
    expect(await exported(params)).toEqual(before);
    const { diaries } = asked('RANGE', ['10', '0']);
    const body = {
      diaries: [{ ...diaries[0]!, id: undefined, questions: [{ text: '?', type: 'RANGE', values: ['3', '1'] }] }],
    };
    await expect(api.client.call('putDefinition', { params, body })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('A range needs exactly two values'),
      errors: [{ path: 'diaries.0.questions.0.values' }, { path: 'program.tasks.1.taskId' }],
    });
  });

  it('keeps a reversed range that an older version accepted, while other parts can change', async () => {
    const params = await makeStudy('Older');
    await imported(params, WRITTEN);
    await api.client.call('startStudy', { params });
    const database = new Database(api.store.path);
    database
      .prepare('UPDATE question SET choices = ? WHERE taskId IN (SELECT id FROM task WHERE studyId = ?)')
      .run('["10","0"]', params.studyId);
    database.close();
    const document = await exported(params);
    expect(document.activities[0]!.questions[0]!.values).toEqual(['10', '0']);
    const longer = { ...document, program: { ...document.program!, days: 9 } };
    await imported(params, longer);
    const wrong = {
      ...document.diaries[0]!,
      id: 'new',
      questions: [{ text: '?', type: 'RANGE', values: ['10', '0'] }],
    };
    await expect(imported(params, { ...longer, diaries: [...document.diaries, wrong] })).rejects.toMatchObject({
      errors: [{ path: 'diaries.2.questions.0.values' }],
    });
  });

  it('only grows while the study runs', async () => {
    const params = await makeStudy('Growing');
    await imported(params, WRITTEN);
    await api.client.call('startStudy', { params });
    const document = await exported(params);
    const { program: _program, ...less } = document;
    await expect(imported(params, less)).rejects.toMatchObject({ status: 409, code: 'STUDY_STATE' });
    await expect(imported(params, WRITTEN)).rejects.toMatchObject({ status: 409, code: 'STUDY_STATE' });
    document.diaries.push({ id: 'noon', displayName: 'Noon', mode: 'UNSUPERVISED', pipelineIds: [], questions: [] });
    document.program!.tasks.push({ taskId: 'noon', type: 'diary', days: 'daily' });
    await imported(params, document);
    expect(withoutIds(await exported(params))).toEqual(withoutIds(document));
  });

  it('has a public JSON Schema that states what is required', async () => {
    const response = await fetch(`${api.url}/api/v1/schemas/study-definition.json`);
    expect(response.status).toBe(200);
    const schema = (await response.json()) as { required: string[]; properties: Record<string, unknown> };
    expect(schema.required).toEqual(expect.arrayContaining(['format', 'formatVersion', 'activities', 'diaries']));
    expect(Object.keys(schema.properties)).toEqual(Object.keys(definitionDocument.shape));
  });
});

describe('the life of a study', () => {
  const state = async (params: { studyId: string }) => {
    const { lifecycleState, isArchived } = await api.client.call('getStudy', { params });
    return [lifecycleState, isArchived];
  };
  const refused = { status: 409, code: 'STUDY_STATE' };

  it('reopens only after a stop and with a reason, which the audit records', async () => {
    const params = await makeStudy('Reopening');
    const { client } = api;
    await expect(client.call('reopenStudy', { params, body: { reason: 'Early' } })).rejects.toMatchObject(refused);
    await client.call('startStudy', { params });
    await client.call('stopStudy', { params });
    for (const body of [{}, { reason: ' ' }, { reason: 7 }]) {
      await expect(client.call('reopenStudy', { params, body: body as { reason: string } })).rejects.toMatchObject({
        status: 400,
        errors: [{ path: 'reason' }],
      });
    }
    expect(await state(params)).toEqual(['COMPLETE', false]);
    await client.call('reopenStudy', { params, body: { reason: 'A visit was missing' } });
    expect(await state(params)).toEqual(['IN_PROGRESS', false]);
    const audit = await api.store.audit.list({ studyId: params.studyId, limit: 10 });
    expect(audit).toContainEqual(expect.objectContaining({ action: 'study.reopen', reason: 'A visit was missing' }));
    const { items } = await client.call('listEvents', { params });
    expect(items.map(({ action }) => action)).toEqual(['STUDY_STARTED', 'STUDY_STOPPED', 'STUDY_STARTED']);
  });

  it('allows archiving and restoring, but not archiving a running study or starting an archived one', async () => {
    const params = await makeStudy('Archiving');
    const { client } = api;
    await client.call('startStudy', { params });
    await expect(client.call('archiveStudy', { params })).rejects.toMatchObject(refused);
    await client.call('stopStudy', { params });
    await client.call('archiveStudy', { params });
    await client.call('archiveStudy', { params });
    expect(await state(params)).toEqual(['COMPLETE', true]);
    await expect(client.call('reopenStudy', { params, body: { reason: 'Again' } })).rejects.toMatchObject(refused);
    await client.call('unarchiveStudy', { params });
    expect(await state(params)).toEqual(['COMPLETE', false]);
    await client.call('reopenStudy', { params, body: { reason: 'Again' } });
    expect(await state(params)).toEqual(['IN_PROGRESS', false]);
  });

  it('allows only administrators to reopen and archive', async () => {
    const params = await makeStudy('Guarded');
    await api.store.studies.setMember(params.studyId, api.coordinator.userId, 'COORDINATOR', {
      actor: { type: 'USER', id: api.admin.userId },
    });
    const coordinator = createClient({
      baseUrl: api.url,
      credentials: api.coordinator.credentials,
      validateResponses: true,
    });
    await coordinator.call('startStudy', { params });
    await coordinator.call('stopStudy', { params });
    const forbidden = { status: 403, code: 'FORBIDDEN' };
    await expect(coordinator.call('archiveStudy', { params })).rejects.toMatchObject(forbidden);
    await expect(coordinator.call('unarchiveStudy', { params })).rejects.toMatchObject(forbidden);
    await expect(coordinator.call('reopenStudy', { params, body: { reason: 'x' } })).rejects.toMatchObject(forbidden);
  });
});
