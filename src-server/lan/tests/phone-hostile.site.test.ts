/** One phone that behaves badly, by fault or by intent, must not take the site from the others. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MINUTE_MS } from '../../durations.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

let site: TestPhoneSite;
let hostile: TestPhone;
let other: TestPhone;
beforeAll(async () => {
  site = await startTestPhoneSite(['Europe/London', 'Europe/London']);
  hostile = await site.signIn(0);
  other = await site.signIn(1);
  await other.sync({});
});
afterAll(async () => {
  await site.close();
});

it('lets others call while a batch of 200 reports is stored', async () => {
  const startTs = site.now() - 10 * MINUTE_MS;
  const reports = Array.from({ length: 200 }, () => hostile.report({ startTs }));
  const ended: string[] = [];
  const batch = hostile.sync({ reports }).then(({ reports: outcomes }) => {
    ended.push('batch');
    expect(outcomes.every(({ state }) => state === 'STORED')).toBe(true);
  });
  for (let i = 0; i < 5; i++) await other.sync({}).then(() => ended.push('other'));
  await batch;
  expect(ended).toEqual(['other', 'other', 'other', 'other', 'other', 'batch']);
});

it('leaves room for the long calls of others while it sends many slowly', async () => {
  const slow = Array.from({ length: 9 }, () => {
    const { hostname, port, host } = new URL(site.lan.lanUrl);
    const headers = {
      host,
      authorization: `Bearer ${hostile.token}`,
      'content-type': 'application/json',
      'content-length': 8_000_000,
    };
    const call = request({
      ...{ hostname, port, headers, path: '/api/v1/phone/sync', method: 'POST', rejectUnauthorized: false },
      agent: false,
    });
    const answered = new Promise<number | undefined>((resolve) => {
      call.on('response', (response) => resolve(response.statusCode));
      call.on('error', () => resolve(undefined));
    });
    call.write('{"clockTs":1,');
    return { call, answered };
  });
  // One too many was refused, so the others are being received.
  await Promise.race(slow.map(({ answered }) => answered));
  const text = other.batch({}).replace('{', `{${' '.repeat(2_000_000)}`);
  const answer = await other.post('/phone/sync', text);
  for (const { call } of slow) call.destroy();
  expect(answer).toMatchObject({ status: 200 });
});

it('cannot stop the site with objects that all differ, whose parsing takes seconds', async () => {
  const many = Array.from({ length: 5000 }, (_, i) => `{"k${i}":1,"l${i}":2}`);
  const answer = await hostile.post('/phone/sync', `{"clockTs":1,"reports":[${many.join(',')}]}`);
  expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_JSON' } });
  await other.sync({});
});

it('receives an error in words for a day beyond the calendar', async () => {
  for (const from of ['9999-12-31', '9999-12-01', '0000-01-01']) {
    const answer = await hostile.call(`/phone/program?from=${from}&days=31`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
  }
});

it('cannot put a picture or a report under the id of another subject', async () => {
  const [reportId, messageId, markId] = [randomUUID(), randomUUID(), randomUUID()];
  const startTs = site.now() - 10 * MINUTE_MS;
  await other.sync({
    reports: [other.report({ id: reportId, startTs } as never)],
    messages: [{ id: messageId, body: 'Mine' }],
  });
  const marks = [{ id: reportId, displayName: 'Calibration: standing', startTs, stopTs: startTs + 20_000 }];
  const answer = await hostile.sync({
    reports: [
      hostile.report({ id: reportId, startTs } as never),
      hostile.report({ id: markId, startTs, marks } as never),
    ],
    messages: [{ id: messageId, body: 'Mine' }],
    readIds: [messageId],
  });
  expect([...answer.reports, ...answer.messages].map(({ state, code }) => code ?? state)).toEqual([
    'CONFLICT',
    'STORED',
    'CONFLICT',
  ]);
  const stored = await site.store.annotations.require(reportId);
  expect([stored.subjectId, stored.type]).toEqual([other.place.subjectId, 'activity']);
  expect((await site.store.messages.get(messageId))?.isRead).toBe(false);
});
