import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { DEFAULT_QUALITY_TARGETS } from '../../vocabulary/quality.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const CHOSEN = { wearHours: 16, validDays: 5, readablePercent: null, taskPercent: 90 };
const newStudy = async (displayName: string) =>
  (await api.client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName } })).id;
const definition = async (studyId: string) => await api.client.call('getDefinition', { params: { studyId } });

describe('the quality targets of a study', () => {
  it('are part of its definition: absent as defaults, exported, imported and audited', async () => {
    const params = { studyId: await newStudy('Targets') };
    const before = await definition(params.studyId);
    expect(before).not.toHaveProperty('qualityTargets');
    await api.client.call('putDefinition', { params, body: { qualityTargets: CHOSEN } });
    const exported = await definition(params.studyId);
    expect(exported.qualityTargets).toEqual(CHOSEN);
    const [entry] = await api.store.audit.list({
      entityId: params.studyId,
      actions: ['study.definition'],
      limit: 1,
    } as never);
    expect(entry).toMatchObject({ changes: { qualityTargets: { old: DEFAULT_QUALITY_TARGETS, new: CHOSEN } } });
    const other = await newStudy('Other targets');
    await api.client.call('importDefinition', { params: { studyId: other }, body: exported });
    expect((await definition(other)).qualityTargets).toEqual(CHOSEN);
    // A document without any leaves those of the study.
    await api.client.call('importDefinition', { params: { studyId: other }, body: before });
    expect((await definition(other)).qualityTargets).toEqual(CHOSEN);
    await api.client.call('importDefinition', {
      params: { studyId: other },
      body: { ...before, qualityTargets: DEFAULT_QUALITY_TARGETS },
    });
    expect(await definition(other)).not.toHaveProperty('qualityTargets');
  });

  it('change while the study runs, because no result depends on them', async () => {
    const params = { studyId: await newStudy('Running') };
    await api.client.call('startStudy', { params });
    await api.client.call('putDefinition', { params, body: { qualityTargets: CHOSEN } });
    expect((await definition(params.studyId)).qualityTargets).toEqual(CHOSEN);
  });

  it.each([
    [{ wearHours: 25 }, 'qualityTargets.wearHours'],
    [{ wearHours: null }, 'qualityTargets.wearHours'],
    [{ validDays: 8 }, 'qualityTargets.validDays'],
    [{ validDays: 3.5 }, 'qualityTargets.validDays'],
    [{ taskPercent: 0 }, 'qualityTargets.taskPercent'],
  ])('are rejected beyond their limits: %j', async (given, path) => {
    const params = { studyId: await newStudy(`${path} ${Object.values(given)[0]}`) };
    await expect(
      api.client.call('putDefinition', { params, body: { qualityTargets: given } as never }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', errors: [expect.objectContaining({ path })] });
  });
});
