/** Audit entries name their records, also after those were hidden or deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let place: { studyId: string; subjectId: string };
let queries = 0;
beforeAll(async () => {
  api = await startTestApi({ withRecording: true, onQuery: () => queries++ });
  place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
});
afterAll(() => api.close());

const study = async (query: object = {}) =>
  (await api.client.call('listStudyAudit', { params: { studyId: place.studyId }, query })).items;
const account = async (query: object = {}) =>
  (await api.client.call('listAccountAudit', { params: { accountId: api.accountId }, query })).items;

describe('audit', () => {
  it('names equipment and its holders instead of ids', async () => {
    const { accountId } = api;
    const body = { id: 'SN-9', type: 'SENSOR', displayName: 'Chest 9' } as const;
    await api.client.call('registerEquipment', { params: { accountId }, body });
    await api.client.call('assignEquipment', { params: { ...place, equipmentId: 'SN-9' } });
    const [entry] = await study({ entityType: 'equipment' });
    expect(entry).toMatchObject({
      action: 'equipment.assign',
      entity: { displayName: 'Chest 9' },
      subjectName: 'Subject 1',
      studyName: 'Test study',
      changes: [{ field: 'holder', new: place.subjectId, newName: 'Subject 1' }],
    });
  });

  it('names a recording by its start and its sensor', async () => {
    const [entry] = await study({ entityType: 'recording' });
    expect(entry?.entity).toMatchObject({ displayName: 'AA:BB:CC:00:00:01', startTs: expect.any(Number) });
  });

  it('names a hidden subject, and a label after it was deleted', async () => {
    const label = { displayName: 'Fall', startTs: 1000, stopTs: 2000 };
    const { id } = await api.client.call('createLabel', { params: place, body: label });
    await api.client.call('deleteLabel', { params: { ...place, annotationId: id }, query: {} });
    const labels = await study({ entityType: 'annotation', entityId: id });
    expect(labels.map(({ entity }) => entity)).toEqual(
      labels.map(() => ({ displayName: 'Fall', startTs: 1000, isGone: true })),
    );
    expect(labels.length).toBe(2);
    await api.client.call('updateSubject', { params: place, body: { isHidden: true } });
    const [hidden] = await study({ entityType: 'subject', entityId: place.subjectId });
    expect(hidden).toMatchObject({ entity: { displayName: 'Subject 1' } });
  });

  it('names users, members, settings and exports in the list of the account', async () => {
    await api.client.call('updateSiteSettings', { body: { webhooks: { allowLocalTargets: true } } });
    const entries = await account({ limit: '500' });
    const named = (type: string) => entries.find(({ entityType }) => entityType === type)?.entity?.displayName;
    for (const type of ['user', 'membership', 'study', 'subject', 'setting']) expect(named(type), type).toMatch(/\w/);
  });

  it('runs no more queries for more entries', async () => {
    const count = async (limit: string) => {
      queries = 0;
      await account({ limit });
      return queries;
    };
    const few = await count('20');
    expect(await count('500')).toBeLessThanOrEqual(few + 12);
  });
});
