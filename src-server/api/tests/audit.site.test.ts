import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { zipContents } from '../../testing/zip-contents.ts';
import { createClient } from '../contract/client.ts';
import type { AuditEntry } from '../contract/index.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const study = () => ({ studyId: api.studyId });

async function allPages(query: Record<string, string>): Promise<AuditEntry[]> {
  const first = new URLSearchParams(query);
  let href: string | undefined = `/v1/studies/${api.studyId}/audit?${first}`;
  const items: AuditEntry[] = [];
  while (href !== undefined) {
    const response = await fetch(`${api.url}/api${href}`, { headers: { authorization: api.authorization } });
    const page = (await response.json()) as { items: AuditEntry[]; links?: { href: string }[] };
    items.push(...page.items);
    href = page.links?.[0]?.href;
  }
  return items;
}

describe('the audit', () => {
  it('records who changed a record, the old and new values, when and why', async () => {
    const params = { ...study(), subjectId: api.subjectIds[0]! };
    api.clock.advance(1000);
    await api.client.call('updateSubject', { params, body: { age: 44 } });
    await api.client.call('updateSubject', { params, body: { age: 45, displayName: 'Renamed' } });
    const { items } = await api.client.call('listStudyAudit', {
      params: study(),
      query: { entityType: 'subject', entityId: params.subjectId },
    });
    expect(items.map(({ action }) => action)).toEqual(['subject.update', 'subject.update', 'subject.create']);
    expect(items[0]).toMatchObject({
      timeTs: api.clock.now(),
      actor: { type: 'USER', id: api.admin.userId, displayName: 'Test ADMIN' },
      subjectId: params.subjectId,
      changes: [
        { field: 'age', old: 44, new: 45 },
        { field: 'displayName', old: 'Subject 1', new: 'Renamed' },
      ],
    });
    expect(items[1]!.changes).toEqual([{ field: 'age', new: 44 }]);
    await api.client.call('stopStudy', { params: study() }).catch(() => undefined);
  });

  it('pages newest first without losing or repeating an entry under concurrent writes', async () => {
    const whole = await allPages({ limit: '500' });
    expect(whole.length).toBeGreaterThan(5);
    expect(whole.map(({ sequence }) => sequence)).toEqual(
      whole.map(({ sequence }) => sequence).toSorted((a, b) => b - a),
    );
    expect(await allPages({ limit: '2' })).toEqual(whole);
  });

  it('filters by subject, user and time', async () => {
    const [subjectId] = api.subjectIds;
    const ofSubject = await allPages({ subjectId: subjectId! });
    expect(new Set(ofSubject.map((entry) => entry.subjectId))).toEqual(new Set([subjectId]));
    const byAdmin = await allPages({ userId: api.admin.userId });
    expect(new Set(byAdmin.map(({ actor }) => actor.id))).toEqual(new Set([api.admin.userId]));
    const last = ofSubject[0]!.timeTs;
    const recent = await allPages({ from: String(last) });
    expect(recent.length).toBeGreaterThan(0);
    expect(recent.every(({ timeTs }) => timeTs >= last)).toBe(true);
    const older = await allPages({ to: String(last - 1) });
    expect(older.length + recent.length).toBe((await allPages({})).length);
    for (const query of ['limit=0', 'limit=501', 'before=x', 'from=2&to=1']) {
      const response = await fetch(`${api.url}/api/v1/studies/${api.studyId}/audit?${query}`, {
        headers: { authorization: api.authorization },
      });
      expect(response.status).toBe(400);
    }
  });

  it('of an account covers its own users and settings and is for administrators only', async () => {
    const params = { accountId: api.accountId };
    const { items } = await api.client.call('listAccountAudit', { params, query: { limit: '500' } });
    const ids = items.map(({ entityId }) => entityId);
    expect(ids).toContain(api.monitor.userId);
    expect(ids).toContain(api.studyId);
    expect(ids).not.toContain(api.otherAccount.userId);
    expect(ids).not.toContain(api.otherAccount.accountId);
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });
    await expect(monitor.call('listAccountAudit', { params, query: {} })).rejects.toMatchObject({ status: 403 });
    expect((await monitor.call('listStudyAudit', { params: study(), query: {} })).size).toBeGreaterThan(0);
  });

  it('never shows a secret', async () => {
    const params = { accountId: api.accountId };
    await api.store.audit.note(
      { actor: { type: 'SYSTEM' } },
      {
        action: 'setting.set',
        entityType: 'setting',
        entityId: 'x',
        changes: {
          value: { old: null, new: { host: 'mail', password: 'hunter2hunter2' } },
          accessToken: { new: 'abcdef' },
        },
      },
    );
    await api.client.call('createSubjectToken', { params: { ...study(), subjectId: api.subjectIds[0]! } });
    const { items } = await api.client.call('listAccountAudit', { params, query: { limit: '500' } });
    const text = JSON.stringify(items);
    for (const secret of ['hunter2', 'abcdef', 'passwordHash', 'argon2', 'tokenHash'])
      expect(text).not.toContain(secret);
    expect(text).toContain('"host":"mail"');
  });

  it('is exported by people who may export, and of a site with several accounts only the own part', async () => {
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });
    const coordinator = createClient({ baseUrl: api.url, credentials: api.coordinator.credentials });
    const account = { params: { accountId: api.accountId }, body: {} };
    const forbidden = { status: 403 };
    await expect(monitor.call('exportStudyAudit', { params: study(), body: {} })).rejects.toMatchObject(forbidden);
    await expect(coordinator.call('exportAccountAudit', account)).rejects.toMatchObject(forbidden);
    expect((await api.client.call('exportStudyAudit', { params: study(), body: {} })).isWhole).toBe(false);
    const own = await api.client.call('exportAccountAudit', account);
    expect(own.isWhole).toBe(false);
    const csv = String((await zipContents(Buffer.from(await (await fetch(own.href)).arrayBuffer()))).get('audit.csv'));
    expect(csv).toContain(api.monitor.userId);
    expect(csv).not.toContain(api.otherAccount.userId);
    await expect(
      api.client.call('exportStudyAudit', { params: study(), body: { from: 2, to: 1 } }),
    ).rejects.toMatchObject({ status: 400 });
  });
});
