import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inboxFile } from '../../files/inbox.ts';
import type { ImportPayload } from '../../study/jobs.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const params = () => ({ studyId: api.studyId, subjectId: api.subjectIds[1]! });

function form(parts: Record<string, string>, files: Record<string, string>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(parts)) body.append(name, value);
  for (const [name, content] of Object.entries(files)) body.append('file', new Blob([content]), name);
  return body;
}

describe('import', () => {
  it('stores every file under its name and queues one job with the options', async () => {
    const body = form(
      { location: 'MEDIAL_CHEST', side: 'NONE', startTs: '1700000000000', somethingElse: 'ignored' },
      { '100.hea': 'header', '100.dat': 'x'.repeat(300_000) },
    );
    const job = await api.client.call('importRecordings', { params: params(), body });
    expect(job).toMatchObject({ kind: 'import', state: 'queued', ...params() });
    const payload = api.jobs.rows[0]!.payload as ImportPayload;
    expect(payload.options).toEqual({
      location: 'MEDIAL_CHEST',
      side: 'NONE',
      timeZone: 'Asia/Tokyo',
      defaultStartUs: 1.7e15,
    });
    // The audit and events attribute the recordings and labels of the job to the caller.
    expect(payload.requestedBy).toEqual({ type: 'USER', id: api.admin.userId });
    expect(payload.paths.map((path) => basename(path))).toEqual(['100.hea', '100.dat']);
    expect((await readFile(inboxFile(api.deps.inboxDir, payload.paths[1]!), 'utf8')).length).toBe(300_000);
    expect(new Set(payload.paths.map((path) => dirname(path))).size).toBe(1);
  });

  it('leaves no files or jobs when it rejects a request', async () => {
    const before = await readdir(api.deps.inboxDir);
    const jobs = api.jobs.rows.length;
    const refuse = async (body: FormData, path: string) => {
      await expect(api.client.call('importRecordings', { params: params(), body })).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ path })],
      });
    };
    await refuse(form({}, {}), 'file');
    await refuse(form({ startTs: 'noon' }, { 'a.edf': 'x' }), 'startTs');
    await refuse(form({}, { '.hidden': 'x' }), 'file');
    // Shown as `night-exe.edf` without this check.
    await refuse(form({}, { 'night-\u202efde.exe': 'x' }), 'file');
    // One file on Windows and macOS.
    await refuse(form({}, { 'Night.edf': 'x', 'night.EDF': 'y' }), 'file');
    const unknownConfig = form({ deviceConfigId: crypto.randomUUID() }, { 'a.edf': 'x' });
    await expect(api.client.call('importRecordings', { params: params(), body: unknownConfig })).rejects.toMatchObject({
      status: 404,
    });
    const json = await fetch(api.client.url('importRecordings', { params: params(), body: new FormData() }), {
      method: 'POST',
      headers: { authorization: api.authorization, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(json.status).toBe(415);
    const cut = await fetch(json.url, {
      method: 'POST',
      headers: { authorization: api.authorization, 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a.edf"\r\n\r\nno end',
    });
    expect(cut.status).toBe(400);
    expect(await readdir(api.deps.inboxDir)).toEqual(before);
    expect(api.jobs.rows.length).toBe(jobs);
  });

  it('never writes outside the inbox', async () => {
    const body = form({}, { '../../evil.edf': 'x' });
    await api.client.call('importRecordings', { params: params(), body });
    const [path] = (api.jobs.rows[0]!.payload as ImportPayload).paths;
    expect(path).toMatch(/^inbox\/[0-9a-f-]{36}\/evil\.edf$/);
    expect(await readFile(inboxFile(api.deps.inboxDir, path!), 'utf8')).toBe('x');
  });
});

it('keeps names that every system can keep, so that the folder of the site can move to Windows', async () => {
  const files = { 'NUL.edf': '1', 'ECG 10:30.txt': '2', [`${'記'.repeat(200)}.csv`]: '3' };
  await api.client.call('importRecordings', { params: params(), body: form({}, files) });
  const { paths } = api.jobs.rows[0]!.payload as ImportPayload;
  expect(paths.map((path) => basename(path))).toEqual(['_NUL.edf', 'ECG 10-30.txt', `${'記'.repeat(72)}.csv`]);
  const contents = paths.map((path) => readFile(inboxFile(api.deps.inboxDir, path), 'utf8'));
  expect(await Promise.all(contents)).toEqual(['1', '2', '3']);
});

describe('jobs', () => {
  it('are listed newest first without paths, filtered, read and cancelled', async () => {
    const { id } = await api.client.call('importRecordings', { params: params(), body: form({}, { 'b.edf': 'x' }) });
    const all = await api.client.call('listJobs');
    expect(all.items[0]!.id).toBe(id);
    expect(JSON.stringify(all)).not.toContain(api.deps.inboxDir);
    expect((await api.client.call('listJobs', { query: { state: ['done', 'failed'] } })).size).toBe(0);
    const analyses = (await api.client.call('listJobs', { query: { kind: 'analyse' } })).items;
    expect(analyses).toEqual(all.items.filter(({ kind }) => kind === 'analyse'));
    expect(analyses).toHaveLength(1);
    expect((await api.client.call('listJobs', { query: { studyId: crypto.randomUUID() } })).size).toBe(0);
    await api.client.call('cancelJob', { params: { jobId: id } });
    expect(await api.client.call('getJob', { params: { jobId: id } })).toMatchObject({ state: 'cancelled' });
    await expect(api.client.call('cancelJob', { params: { jobId: id } })).rejects.toMatchObject({ status: 409 });
    await expect(api.client.call('getJob', { params: { jobId: crypto.randomUUID() } })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('a job that failed', () => {
  it('is queued again by one retry', async () => {
    const { id } = await api.client.call('importRecordings', { params: params(), body: form({}, { 'c.edf': 'x' }) });
    const retry = () => api.client.call('retryJob', { params: { jobId: id } });
    await expect(retry()).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    Object.assign(api.jobs.rows[0]!, { state: 'parked', error: { code: 'INTERNAL', message: 'Broken.' } });
    expect(await retry()).toMatchObject({ id, state: 'queued' });
    await expect(retry()).rejects.toMatchObject({ status: 409 });
  });

  it('lists its actions: a cancelled analysis can be retried, an import cannot', async () => {
    const { id } = await api.client.call('importRecordings', { params: params(), body: form({}, { 'c.edf': 'x' }) });
    const get = () => api.client.call('getJob', { params: { jobId: id } });
    const row = api.jobs.rows.find((job) => job.id === id)!;
    expect((await get()).actions).toEqual(['cancel']);
    for (const [kind, actions] of [
      ['import', []],
      ['analyse', ['retry']],
      ['receive', ['retry']],
    ] as const) {
      Object.assign(row, { kind, state: 'cancelled' });
      expect([kind, (await get()).actions]).toEqual([kind, actions]);
    }
    Object.assign(row, { kind: 'analyse', state: 'parked' });
    expect((await get()).actions).toEqual(['cancel', 'retry']);
    Object.assign(row, { state: 'cancelled' });
    expect(await api.client.call('retryJob', { params: { jobId: id } })).toMatchObject({ state: 'queued' });
    Object.assign(row, { state: 'done' });
    expect((await get()).actions).toEqual([]);
  });
});

describe('live changes', () => {
  it('reach users who may see them until their credentials end', async () => {
    const stop = new AbortController();
    const live = api.client.live(stop.signal);
    const next = live.next();
    await expect.poll(() => api.logLines.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const created = await api.client.call('createSubject', {
      params: { studyId: api.studyId },
      body: { displayName: 'Live', timezone: 'US/Eastern' },
    });
    expect((await next).value).toEqual({
      topic: 'subject',
      id: created.id,
      studyId: api.studyId,
      subjectId: created.id,
    });
    const job = live.next();
    await api.client.call('importRecordings', { params: params(), body: form({}, { 'c.edf': 'x' }) });
    expect((await job).value).toEqual({ topic: 'job', id: api.jobs.rows[0]!.id, ...params() });
    stop.abort();
    await expect(live.next()).rejects.toThrow();
  });

  it('exclude studies that the reader is not a member of', async () => {
    const { createClient } = await import('../contract/client.ts');
    const stop = new AbortController();
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials });
    const live = monitor.live(stop.signal);
    const next = live.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await api.client.call('createStudy', { params: { accountId: api.accountId }, body: { displayName: 'Secret' } });
    await api.client.call('updateStudy', { params: { studyId: api.studyId }, body: { title: 'Seen' } });
    expect((await next).value).toMatchObject({ topic: 'study', studyId: api.studyId });
    stop.abort();
  });
});
