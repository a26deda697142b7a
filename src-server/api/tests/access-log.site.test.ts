import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let writes = 0;
beforeAll(async () => {
  api = await startTestApi({
    withRecording: true,
    onQuery: ({ sql }) => {
      if (/^\s*(?:insert|update|delete)/i.test(sql)) writes += 1;
    },
  });
});
afterAll(() => api.close());

const ofAccount = async (query: Record<string, string> = {}) =>
  (await api.client.call('listAccountAccess', { params: { accountId: api.accountId }, query })).items;
const ofStudy = async (query: Record<string, string> = {}) =>
  (await api.client.call('listStudyAccess', { params: { studyId: api.studyId }, query })).items;
const logIn = (email: string, password: string) =>
  fetch(`${api.url}/api/v1/users/login/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });

describe('sign-ins', () => {
  it('are noted with their outcome, and a password in the field of the name is not', async () => {
    await logIn(api.coordinator.email, api.coordinator.password);
    await logIn(api.coordinator.email, 'wrong password');
    await logIn('My-Secret-Passw0rd', 'x');
    const client = await api.signIn(api.coordinator.email);
    await client.call('logout');
    const [out, , unknown, wrong, right] = await ofAccount();
    const who = { user: { id: api.coordinator.userId, displayName: 'Test COORDINATOR' }, address: '127.0.0.1' };
    expect(right).toMatchObject({ kind: 'SIGN_IN', detail: 'PASSWORD', ...who });
    expect(wrong).toMatchObject({ kind: 'SIGN_IN_FAILED', detail: 'PASSWORD', ...who });
    expect(unknown).toMatchObject({ kind: 'SIGN_IN_FAILED', detail: 'NAME', nameHash: expect.any(String) });
    expect(out).toMatchObject({ kind: 'SIGN_OUT', detail: 'OWN', ...who });
    expect(JSON.stringify(await ofAccount())).not.toMatch(/passw0rd/i);
    const rows = await api.store.accessLog.list({ limit: 500 });
    expect(JSON.stringify(rows)).not.toMatch(/passw0rd/i);
    expect(api.logLines.join()).not.toMatch(/passw0rd/i);
  });

  it('of another account are not shown', async () => {
    await logIn(api.otherAccount.email, api.otherAccount.password);
    expect((await ofAccount()).map(({ user }) => user?.id)).not.toContain(api.otherAccount.userId);
    const foreign = { params: { accountId: api.otherAccount.accountId } };
    await expect(api.client.call('listAccountAccess', foreign)).rejects.toMatchObject({ status: 404 });
  });
});

describe('reads and files', () => {
  it('name who opened which subject, once per page and ten minutes, without a write of their own', async () => {
    const [subjectId] = api.subjectIds;
    const params = { studyId: api.studyId, subjectId: subjectId! };
    const reader = await api.signIn(api.monitor.email);
    await ofAccount();
    api.clock.advance(20 * MINUTE_MS);
    await reader.call('getSubject', { params });
    await api.deps.accessLog.flush();
    writes = 0;
    for (let i = 0; i < 30; i++) await reader.call('getSubject', { params });
    expect(writes).toBe(0);
    await reader.call('listSubjects', { params: { studyId: api.studyId } });
    const entries = await ofStudy({ userId: api.monitor.userId });
    expect(entries.slice(0, 2)).toMatchObject([
      { kind: 'READ', detail: 'SUBJECTS', study: { id: api.studyId, displayName: 'Test study' } },
      { kind: 'READ', detail: 'SUBJECT', subject: { id: subjectId, displayName: 'Subject 1' } },
    ]);
    expect(
      entries.filter(({ detail, timeTs }) => detail === 'SUBJECT' && timeTs > api.clock.now() - MINUTE_MS),
    ).toHaveLength(1);
    api.clock.advance(11 * MINUTE_MS);
    await api.deps.accessLog.flush();
    const ofSubject = await ofStudy({ subjectId: subjectId! });
    expect(ofSubject.filter(({ detail }) => detail === 'SUBJECT')[0]).toMatchObject({ count: 31 });
    // Reading the log of a subject is a read as well.
    expect(ofSubject[0]).toMatchObject({ detail: 'HISTORY', user: { id: api.admin.userId } });
  });

  it('that were refused are not reads', async () => {
    const stranger = await api.signIn(api.coordinator.email);
    const params = { studyId: api.studyId, subjectId: api.subjectIds[1]! };
    await expect(stranger.call('getSubject', { params })).rejects.toMatchObject({ status: 404 });
    expect(await ofStudy({ userId: api.coordinator.userId })).toEqual([]);
  });

  it('cannot name a subject of another study', async () => {
    const query = { subjectId: '0197a000-0000-7000-8000-000000000000' };
    await api.client.call('listStudyAudit', { params: { studyId: api.studyId }, query });
    expect((await ofStudy({ kind: 'READ' }))[0]).not.toHaveProperty('subject');
  });

  it('that leave the site are downloads of who requested the address', async () => {
    const params = { studyId: api.studyId, recordingId: api.recordingId };
    const { href } = await api.client.call('getRecordingExport', { params, query: { format: 'edf' } });
    await (await fetch(href)).arrayBuffer();
    expect((await ofStudy({ kind: 'DOWNLOAD' }))[0]).toMatchObject({
      ...{ kind: 'DOWNLOAD', detail: 'RECORDING', user: { id: api.admin.userId }, study: { id: api.studyId } },
    });
    await api.client.call('exportStudyAudit', { params: { studyId: api.studyId }, body: {} });
    expect((await ofStudy({ kind: 'EXPORT' }))[0]).toMatchObject({ detail: 'HISTORY' });
  });
});

describe('the list', () => {
  it('of a study is for its members, and of the account for administrators', async () => {
    const monitor = await api.signIn(api.monitor.email);
    await monitor.call('listStudyAccess', { params: { studyId: api.studyId } });
    const account = { params: { accountId: api.accountId } };
    await expect(monitor.call('listAccountAccess', account)).rejects.toMatchObject({ status: 403 });
    const stranger = await api.signIn(api.coordinator.email);
    const study = { params: { studyId: api.studyId } };
    await expect(stranger.call('listStudyAccess', study)).rejects.toMatchObject({ status: 404 });
  });

  it('is filtered by kind, person, period and beginning of the address, and paged without gaps', async () => {
    const all = await ofAccount({ limit: '500' });
    for (const kind of ['SIGN_IN', 'SIGN_IN_FAILED', 'READ', 'DOWNLOAD']) {
      const found = await ofAccount({ kind, limit: '500' });
      expect(found.map(({ sequence }) => sequence)).toEqual(
        all.filter((entry) => entry.kind === kind).map(({ sequence }) => sequence),
      );
      expect(found.length).toBeGreaterThan(0);
    }
    expect(await ofAccount({ address: '10.' })).toEqual([]);
    expect((await ofAccount({ address: '127.0', limit: '500' })).length).toBeGreaterThan(0);
    expect(await ofAccount({ to: String(api.clock.now() - DAY_MS) })).toEqual([]);
    const paged: number[] = [];
    let before: string | undefined;
    do {
      const page = await api.client.call('listAccountAccess', {
        params: { accountId: api.accountId },
        query: { limit: '3', ...(before !== undefined && { before }) },
      });
      paged.push(...page.items.map(({ sequence }) => sequence));
      before = page.links && String(page.items.at(-1)!.sequence);
    } while (before !== undefined);
    const now = new Set(paged);
    for (const { sequence } of all) expect(now.has(sequence)).toBe(true);
    expect(paged).toEqual([...paged].sort((a, b) => b - a));
  });

  it('is exported as CSV whole, in cells that no spreadsheet runs, and the export is an entry', async () => {
    await api.store.users.update(api.monitor.userId, { firstName: '=cmd()' }, { actor: { type: 'SYSTEM' } });
    const response = await fetch(`${api.url}/api/v1/studies/${api.studyId}/access/csv`, {
      headers: { authorization: api.authorization },
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^SEQUENCE,FIRST \(UTC\),LAST \(UTC\),COUNT,KIND,DETAIL,USER,/);
    expect(lines.join('\n')).toContain(",'=cmd() MONITOR,");
    const rows = await ofStudy({ limit: '500' });
    expect(lines).toHaveLength(rows.length + 1);
    expect(rows[0]).toMatchObject({ kind: 'DOWNLOAD', detail: 'ACCESS' });
  });

  it('keeps who, and forgets of whom, when a subject is erased', async () => {
    const subjectId = api.subjectIds[1]!;
    await api.client.call('getSubject', { params: { studyId: api.studyId, subjectId } });
    expect(await ofStudy({ subjectId })).not.toEqual([]);
    // One more, which is not stored yet when the subject is gone.
    api.clock.advance(20 * MINUTE_MS);
    await api.client.call('getSubject', { params: { studyId: api.studyId, subjectId } });
    const { erasures } = api.store;
    const change = { actor: { type: 'USER', id: api.admin.userId }, reason: 'At the wish of the person.' } as const;
    const { id } = await erasures.order({ studyId: api.studyId, subjectId, confirmation: 'Subject 2' }, change);
    await erasures.eraseRows(id);
    const all = await ofStudy({ limit: '500' });
    expect(JSON.stringify(all)).not.toContain(subjectId);
    const [read] = all.filter(({ kind, detail }) => kind === 'READ' && detail === 'SUBJECT');
    expect(read).toMatchObject({ user: { id: api.admin.userId }, study: { id: api.studyId } });
    expect(read).not.toHaveProperty('subject');
  });
});
