import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const mail = { host: 'mail.example.org', port: 587, security: 'STARTTLS' as const, user: 'clinic', from: 'a@b.org' };
const settings = () => api.client.call('getSiteSettings');
const update = (body: Parameters<typeof api.client.call<'updateSiteSettings'>>[1]['body']) =>
  api.client.call('updateSiteSettings', { body });
const hasPassword = async () => (await settings()).mail?.hasPassword;

describe('settings of the site', () => {
  it('have default values', async () => {
    expect(await settings()).toEqual({
      displayName: 'Test site',
      docks: { isOn: true, action: 'OFFER', timeZone: null, folders: [] },
      webhooks: { allowLocalTargets: false },
      lan: { deskOpen: false },
      deskLock: { afterMinutes: 15 },
      sessions: { maxHours: 336 },
      accessLog: { days: 730 },
      scrub: { everyDays: 30 },
      backup: { schedule: { isEnabled: true, timeOfDay: '02:00', keepDaily: 7, keepWeekly: 4, folder: null } },
    });
  });

  it('change individually, are audited, and rename the site', async () => {
    await update({ displayName: 'North clinic', lan: { deskOpen: true } });
    await update({ webhooks: { allowLocalTargets: true } });
    expect(await settings()).toMatchObject({
      displayName: 'North clinic',
      webhooks: { allowLocalTargets: true },
      lan: { deskOpen: true },
    });
    expect(await api.client.call('getSite')).toMatchObject({ displayName: 'North clinic', lockAfterMinutes: 15 });
    const audit = await api.store.audit.list({ entityType: 'setting' });
    expect(audit.map(({ entityId }) => entityId)).toEqual(['webhooks.policy', 'lan.deskOpen', 'site.displayName']);
    expect(audit[1]).toMatchObject({
      actor: { type: 'USER', id: api.admin.userId },
      changes: { value: { old: false, new: true } },
    });
  });

  it('have the time of the desk lock, which everybody may read', async () => {
    await update({ deskLock: { afterMinutes: null } });
    expect((await settings()).deskLock).toEqual({ afterMinutes: null });
    expect((await api.client.call('getSite')).lockAfterMinutes).toBeNull();
    await expect(update({ deskLock: { afterMinutes: 0 } })).rejects.toMatchObject({ status: 400 });
    await update({ deskLock: { afterMinutes: 30 } });
    expect((await api.client.call('getSite')).lockAfterMinutes).toBe(30);
  });

  it('never return the mail server password and keep it only for that server', async () => {
    await update({ mail: { ...mail, password: 'hunter2-hunter2' } });
    expect((await settings()).mail).toEqual({ ...mail, hasPassword: true });
    await update({ mail: { ...mail, from: 'other@b.org' } });
    expect(await hasPassword()).toBe(true);
    const stored = await api.store.settings.get('mail.password');
    const audit = JSON.stringify(await api.store.audit.list());
    for (const text of [JSON.stringify(await settings()), audit, stored, api.logLines.join('')]) {
      expect(text).not.toContain('hunter2');
    }
    expect(audit).toContain('"entityId":"mail.password"');
    await update({ mail: { ...mail, host: 'mail.elsewhere.org' } });
    expect(await hasPassword()).toBe(false);
    await update({ mail: { ...mail, password: 'again-again' } });
    await update({ mail: { ...mail, password: null } });
    expect(await hasPassword()).toBe(false);
    await update({ mail: null });
    expect((await settings()).mail).toBeUndefined();
  });

  it('reject invalid values, name the field and change nothing', async () => {
    const before = await settings();
    const tries = [
      [{ mail: { ...mail, port: 0 } }, 'mail.port'],
      [{ mail: { ...mail, security: 'SSL' } }, 'mail.security'],
      [{ mail: { ...mail, from: 'a@b\r\nBcc: x@y' } }, 'mail.from'],
      [
        { displayName: 'New', backup: { schedule: { ...before.backup.schedule, timeOfDay: '24:00' } } },
        'backup.schedule.timeOfDay',
      ],
      [{ lan: { deskOpen: 'yes' } }, 'lan.deskOpen'],
    ] as const;
    for (const [body, path] of tries) {
      const refusal = update(body as never);
      await expect(refusal).rejects.toMatchObject({ status: 400, errors: [{ path }] });
    }
    expect(await settings()).toEqual(before);
  });

  it('are restricted to administrators', async () => {
    for (const { credentials } of [api.coordinator, api.monitor]) {
      const client = createClient({ baseUrl: api.url, credentials });
      await expect(client.call('getSiteSettings')).rejects.toMatchObject({ status: 403 });
      await expect(client.call('updateSiteSettings', { body: {} })).rejects.toMatchObject({ status: 403 });
    }
  });
});
