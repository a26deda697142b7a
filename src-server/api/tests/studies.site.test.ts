import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const sensorConfig = {
  sensingType: 'MPU_ANALOG',
  afe: { gain: 6, rate: 250 },
  gyro: { mode: 'ACCEL', periodMs: 32, accelRange: 4, accelLowPower: false, gyroAutoCalib: false },
};

describe('studies', () => {
  it('are created, defined, started and stopped over HTTP alone', async () => {
    const { id, links } = await api.client.call('createStudy', {
      params: { accountId: api.accountId },
      body: { displayName: 'Walking', title: 'A walking study' },
    });
    expect(links).toEqual([{ href: `/v1/studies/${id}`, rel: 'self' }]);
    const params = { studyId: id };
    await api.client.call('putDefinition', {
      params,
      body: {
        subjectMetadataFields: [
          { displayName: 'Arm', type: 'MULTIPLECHOICE', values: ['A', 'B'] },
          { displayName: 'Smoker', type: 'BOOLEAN', values: ['YES', 'NO'] },
        ],
        activities: [
          {
            displayName: 'Stand up',
            durationSec: 30,
            instructions: 'Stand up.',
            questions: [{ text: 'How hard?', type: 'RANGE', values: ['0', '10'] }],
          },
        ],
        diaries: [{ displayName: 'Evening', questions: [{ text: 'Slept?', type: 'BOOLEAN', values: ['YES', 'NO'] }] }],
        deviceConfigs: [{ physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' }, sensorConfig }],
      },
    });
    const defined = await api.client.call('getStudy', { params });
    const [activity] = defined.activities;
    await api.client.call('putDefinition', {
      params,
      body: {
        program: {
          days: 7,
          tasks: [{ taskId: activity!.id, type: 'activity', days: 'daily', window: { start: '08:00', end: '12:00' } }],
        },
      },
    });
    await api.client.call('createSubject', { params, body: { displayName: 'W-1', timezone: 'US/Eastern' } });
    const ready = await api.client.call('getStudy', { params });
    expect(ready).toMatchObject({
      displayName: 'Walking',
      title: 'A walking study',
      lifecycleState: 'INITIALIZED',
      isArchived: false,
      activities: [
        {
          id: activity!.id,
          displayName: 'Stand up',
          durationSec: 30,
          order: expect.any(Number),
          questions: [{ text: 'How hard?', type: 'RANGE', values: ['0', '10'] }],
        },
      ],
      diaries: [{ displayName: 'Evening' }],
      deviceConfigs: [{ physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' }, sensorConfig }],
      pipelines: [{ id: 'fdd051b8-d753-11e6-ab51-34363bc84032' }],
      program: { days: 7, tasks: [{ taskId: activity!.id, days: 'daily' }] },
      subjects: [{ displayName: 'W-1' }],
    });

    await api.client.call('startStudy', { params });
    const running = await api.client.call('getStudy', { params });
    expect(running.lifecycleState).toBe('IN_PROGRESS');
    expect(running.subjects[0]!.programStartTs).toBe(api.clock.now());
    await expect(api.client.call('startStudy', { params })).rejects.toMatchObject({ status: 409, code: 'STUDY_STATE' });

    await api.client.call('stopStudy', { params });
    expect((await api.client.call('getStudy', { params })).lifecycleState).toBe('COMPLETE');
    const { items } = await api.client.call('listEvents', { params });
    expect(items.map((event) => event.action)).toEqual(['SUBJECT_CREATED', 'STUDY_STARTED', 'STUDY_STOPPED']);
    expect(items[1]).toMatchObject({ referenceId: id, author: { id: api.admin.userId, principalType: 'USER' } });
  });

  it('are listed as a bare array without the nested lists, oldest first', async () => {
    const studies = await api.client.call('listStudies', { params: { accountId: api.accountId } });
    expect(studies.map((study) => study.createdTs)).toEqual(
      studies.map((study) => study.createdTs).sort((a, b) => a - b),
    );
    for (const study of studies) expect(study).not.toHaveProperty('subjects');
  });

  it('are served at the legacy address', async () => {
    const response = await api.client.follow(`/v1/accounts/${api.accountId}/studies/${api.studyId}`);
    expect(await response.json()).toEqual(await api.client.call('getStudy', { params: { studyId: api.studyId } }));
    await expect(api.client.follow(`/v1/accounts/${crypto.randomUUID()}/studies/${api.studyId}`)).rejects.toMatchObject(
      { status: 404 },
    );
  });

  it("reject ids of another study's records and leave those unchanged", async () => {
    const make = async (displayName: string) =>
      (await api.client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName } })).id;
    const [mine, theirs] = [await make('Mine'), await make('Theirs')];
    await api.client.call('putDefinition', {
      params: { studyId: theirs },
      body: { diaries: [{ displayName: 'Theirs' }] },
    });
    const [diary] = (await api.client.call('getStudy', { params: { studyId: theirs } })).diaries;
    const body = { diaries: [{ id: diary!.id, displayName: 'Taken' }] };
    await expect(api.client.call('putDefinition', { params: { studyId: mine }, body })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'diaries.0.id' }],
    });
    expect((await api.client.call('getStudy', { params: { studyId: theirs } })).diaries).toEqual([diary]);
  });

  it('reject a program that names an unknown task', async () => {
    const body = {
      program: { days: 3, tasks: [{ taskId: crypto.randomUUID(), type: 'diary' as const, days: 'daily' as const }] },
    };
    await expect(api.client.call('putDefinition', { params: { studyId: api.studyId }, body })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('subjects', () => {
  const params = () => ({ studyId: api.studyId });

  it('are created, listed, read, updated and hidden', async () => {
    const body = {
      displayName: 'S-100',
      timezone: 'Asia/Tokyo',
      age: 44,
      gender: 'FEMALE' as const,
      height: 1.64,
      weight: 58.5,
    };
    const { id, links } = await api.client.call('createSubject', { params: params(), body });
    expect(links).toEqual([{ href: `/v1/studies/${api.studyId}/subjects/${id}`, rel: 'self' }]);
    const subject = await (await api.client.follow(links[0]!.href)).json();
    expect(subject).toMatchObject({
      ...body,
      id,
      studyId: api.studyId,
      accountId: api.accountId,
      isHidden: false,
      metadataFields: [],
      devices: [],
      recordings: [],
    });
    await api.client.call('updateSubject', {
      params: { ...params(), subjectId: id },
      body: { isHidden: true, weight: 60, reason: 'left the study' },
    });
    const { items } = await api.client.call('listSubjects', { params: params() });
    expect(items.find((one) => one.id === id)).toMatchObject({ isHidden: true, weight: 60, displayName: 'S-100' });
  });

  it('can move to another zone in the past, which queues their days for analysis again', async () => {
    const { id } = await api.client.call('createSubject', {
      params: params(),
      body: { displayName: 'S-travel', timezone: 'Asia/Tokyo' },
    });
    const subject = { ...params(), subjectId: id };
    const at = api.clock.now() - 10 * 86_400_000;
    const move = (timezone: string | undefined, timezoneFromTs: number) =>
      api.client.call('updateSubject', { params: subject, body: { timezone, timezoneFromTs } });
    const zones = async () => (await api.client.call('getSubject', { params: subject })).timezones;
    const jobs = () => api.jobs.rows.filter(({ kind }) => kind === 'analyse');
    const before = jobs().length;
    await move('Europe/London', at);
    expect(await zones()).toEqual([
      { fromTs: 0, timezone: 'Asia/Tokyo' },
      { fromTs: at, timezone: 'Europe/London' },
    ]);
    expect(jobs().length).toBe(before);

    const row = await addTestRecording(api.store, api.deps.signalsDir, subject, { startUs: (at + 3_600_000) * 1000 });
    await move('Asia/Tokyo', at + 2 * 86_400_000);
    // The recording ended before the move, so none of its days change.
    expect(jobs().length).toBe(before);
    // The return is corrected to a later time, then removed.
    const back = at + 3 * 86_400_000;
    await move('Asia/Tokyo', back);
    expect((await zones()).slice(1)).toEqual([
      { fromTs: at, timezone: 'Europe/London' },
      { fromTs: back, timezone: 'Asia/Tokyo' },
    ]);
    await move(undefined, at - 60_000);
    expect(await zones()).toEqual([{ fromTs: 0, timezone: 'Asia/Tokyo' }]);
    expect(jobs()[0]?.payload).toMatchObject({ subjectId: id, recordingIds: [row.id] });
    const { fromMs, toMs } = jobs()[0]!.payload as { fromMs: number; toMs: number };
    expect([fromMs < at, toMs > at + 3_600_000]).toEqual([true, true]);
    await expect(move('Europe/London', api.clock.now() + 1)).rejects.toMatchObject({ status: 400 });

    // When the analysis cannot be queued, the zone stays as it was: both are one transaction.
    const database = new Database(api.store.path);
    const queued = database.prepare("SELECT count(*) FROM job WHERE kind = 'analyse' AND subjectId = ?").pluck();
    const stop = "BEGIN SELECT RAISE(ABORT, 'no power'); END";
    database.exec(
      `CREATE TRIGGER noJob BEFORE INSERT ON job ${stop}; CREATE TRIGGER noWider BEFORE UPDATE ON job ${stop}`,
    );
    const countQueued = queued.get(id);
    await expect(move('Europe/London', at)).rejects.toMatchObject({ status: 409 });
    expect(await zones()).toEqual([{ fromTs: 0, timezone: 'Asia/Tokyo' }]);
    database.exec("DROP TRIGGER noJob; DROP TRIGGER noWider; UPDATE job SET state = 'done'");
    await move('Europe/London', at);
    expect((await zones()).at(-1)).toEqual({ fromTs: at, timezone: 'Europe/London' });
    expect(queued.get(id)).toBe(Number(countQueued) + 1);
    database.close();
  });

  it.each([
    ['displayName', { displayName: '   ' }],
    ['displayName', { displayName: undefined }],
    ['timezone', { timezone: 'Nowhere/City' }],
    ['age', { age: 17 }],
    ['age', { age: 30.5 }],
    ['age', { age: '30' }],
    ['gender', { gender: 'female' }],
    ['height', { height: 0 }],
    ['weight', { weight: -1 }],
    ['metadataFields', { metadataFields: [{ displayName: 'Unknown', value: 'x' }] }],
  ])('reject an invalid %s and name it: %j', async (field, change) => {
    const body = { displayName: 'S-bad', timezone: 'US/Eastern', ...change } as never;
    const error = await api.client.call('createSubject', { params: params(), body }).catch((thrown) => thrown);
    expect(error).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(error.errors.some(({ path }: { path: string }) => path === field || path.startsWith(`${field}.`))).toBe(
      true,
    );
    expect(
      (await api.client.call('listSubjects', { params: params() })).items.some((one) => one.displayName === 'S-bad'),
    ).toBe(false);
  });

  it('reject unknown annotation types and list the valid ones', async () => {
    const query = { type: ['activity', 'mood'] } as never;
    await expect(
      api.client.call('listAnnotations', { params: { ...params(), subjectId: api.subjectIds[0]! }, query }),
    ).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'type', message: '`type` must be one of activity, diary, question, recording, subject.' }],
    });
    expect(
      await api.client.call('listAnnotations', { params: { ...params(), subjectId: api.subjectIds[0]! } }),
    ).toEqual({ items: [], size: 0 });
  });

  it('have displayNames that are unique within the study', async () => {
    await api.client.call('createSubject', { params: params(), body: { displayName: 'Twin', timezone: 'US/Eastern' } });
    await expect(
      api.client.call('createSubject', { params: params(), body: { displayName: 'Twin', timezone: 'US/Eastern' } }),
    ).rejects.toMatchObject({ status: 409, code: 'DUPLICATE_NAME' });
  });
});

describe('events', () => {
  const list = (query: Record<string, number | string>) =>
    api.client.call('listEvents', { params: { studyId: api.studyId }, query });

  it('include a new subject at once, with the caller as author', async () => {
    const { id } = await api.client.call('createSubject', {
      params: { studyId: api.studyId },
      body: { displayName: 'S-event', timezone: 'US/Eastern' },
    });
    const event = (await list({})).items.find((one) => one.referenceId === id);
    expect(event).toMatchObject({
      action: 'SUBJECT_CREATED',
      subjectId: id,
      author: { id: api.admin.userId, principalType: 'USER' },
    });
    expect(event!.reportedTs).toBe(api.clock.now());
  });

  it('have an inclusive window of at most 24 hours, with either bound optional', async () => {
    const now = api.clock.now();
    const day = 24 * 3600 * 1000;
    await expect(list({ from: now - day - 1, to: now })).rejects.toMatchObject({
      status: 400,
      errors: [{ path: 'to' }],
    });
    await expect(list({ from: now, to: now - 1 })).rejects.toMatchObject({ status: 400, errors: [{ path: 'from' }] });
    await expect(list({ from: 'yesterday' })).rejects.toMatchObject({ status: 400, errors: [{ path: 'from' }] });
    const { items } = await list({ from: now - day, to: now });
    expect(items.length).toBeGreaterThan(0);
    const last = items.at(-1)!.reportedTs;
    expect((await list({ from: last, to: last })).size).toBeGreaterThan(0);
    expect((await list({ from: last + 1 })).size).toBe(0);
    expect((await list({ to: new Date(last).toISOString() })).items).toEqual(
      (await list({ from: last - day, to: last })).items,
    );
  });
});

describe('equipment', () => {
  it('is registered, assigned to one subject at a time, listed, and returned', async () => {
    const [first, second] = api.subjectIds;
    const assign = (subjectId: string) =>
      api.client.call('assignEquipment', { params: { studyId: api.studyId, subjectId, equipmentId: 'd5la7xna' } });
    const created = await api.client.call('registerEquipment', {
      params: { accountId: api.accountId },
      body: { id: 'd5la7xna', type: 'SENSOR', displayName: 'Sensor 7', udid: 'AA:BB:CC:00:00:07' },
    });
    expect(created.id).toBe('d5la7xna');
    await assign(first!);
    await expect(assign(second!)).rejects.toMatchObject({ status: 409 });
    const subject = await api.client.call('getSubject', { params: { studyId: api.studyId, subjectId: first! } });
    expect(subject.devices).toMatchObject([
      { id: 'd5la7xna', type: 'SENSOR', state: 'ASSIGNED', displayName: 'Sensor 7' },
    ]);
    api.clock.advance(1000);
    await api.client.call('unassignEquipment', {
      params: { studyId: api.studyId, subjectId: first!, equipmentId: 'd5la7xna' },
    });
    const { items } = await api.client.call('listEquipment', { params: { studyId: api.studyId, subjectId: first! } });
    expect(items).toMatchObject([{ id: 'd5la7xna', state: 'UNASSIGNED', faults: [] }]);
    await assign(second!);
  });
});
