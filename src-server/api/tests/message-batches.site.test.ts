import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { dateInWords } from '../../vocabulary/message-placeholders.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const params = () => ({ studyId: api.studyId });
const enrol = async (displayName: string, timezone = 'Asia/Tokyo') =>
  (await api.client.call('createSubject', { params: params(), body: { displayName, timezone } })).id;
const send = (body: { id?: string; body?: string; subjectIds: string[]; isPreview?: boolean }) =>
  api.client.call('sendMessages', {
    params: params(),
    body: { id: randomUUID(), language: 'en', body: 'Hello', ...body },
  });
const messagesOf = async (subjectId: string) =>
  (await api.client.call('listMessages', { params: { ...params(), subjectId } })).items;

describe('message templates', () => {
  it('are stored under the id of the caller, changed, listed by name and deleted', async () => {
    const templateId = randomUUID();
    const put = (displayName: string, texts: { en?: string; ja?: string }) =>
      api.client.call('putMessageTemplate', { params: { ...params(), templateId }, body: { displayName, texts } });
    await put('Charge', { en: 'Please charge, {name}.' });
    await put('Charge', { en: 'Please charge, {name}.', ja: '{name}：充電してください。' });
    const { items } = await api.client.call('listMessageTemplates', { params: params() });
    expect(items).toMatchObject([
      { id: templateId, displayName: 'Charge', texts: { ja: '{name}：充電してください。' } },
    ]);
    await expect(put('Charge', { en: 'Hello {nmae}' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ path: 'texts.en', message: '{nmae} is no placeholder. Use {name}, {date} or {study}.' }],
    });
    await expect(put('Charge', {})).rejects.toMatchObject({ status: 400 });
    for (let time = 0; time < 2; time++)
      await api.client.call('deleteMessageTemplate', { params: { ...params(), templateId } });
    expect((await api.client.call('listMessageTemplates', { params: params() })).items).toEqual([]);
    const audit = await api.client.call('listStudyAudit', {
      params: params(),
      query: { entityType: 'messageTemplate' },
    });
    expect(audit.items.map(({ action }) => action).sort()).toEqual([
      'message-template.delete',
      'message-template.put',
      'message-template.put',
    ]);
  });
});

describe('messages to many subjects', () => {
  it('reach each subject once with its own text, however often the request is repeated', async () => {
    const [first, second, hidden] = [await enrol('M-1'), await enrol('M-2', 'America/New_York'), await enrol('M-3')];
    await api.client.call('updateSubject', { params: { ...params(), subjectId: hidden }, body: { isHidden: true } });
    // 02:00 in Tokyo is still the day before in New York.
    const dayMs = 86_400_000;
    api.clock.advance(dayMs + 17 * 3_600_000 - (api.clock.now() % dayMs));
    const utcDate = new Date(api.clock.now()).toISOString().slice(0, 10);
    const nextDate = new Date(api.clock.now() + dayMs).toISOString().slice(0, 10);
    const batch = {
      id: randomUUID(),
      body: '{name}: wear it from {date}.',
      subjectIds: [first, second, first, hidden, randomUUID()],
    };
    const preview = await send({ ...batch, isPreview: true });
    expect(preview.sent).toBe(2);
    expect(await messagesOf(first)).toEqual([]);
    const answers = await Promise.all([send(batch), send(batch)]);
    answers.push(await send(batch));
    for (const { sent, items } of answers) {
      expect(sent).toBe(2);
      expect(items.map(({ outcome, body }) => [outcome, body])).toEqual([
        ['SENT', `M-1: wear it from ${dateInWords(nextDate, 'en')}.`],
        ['SENT', `M-2: wear it from ${dateInWords(utcDate, 'en')}.`],
        ['HIDDEN', undefined],
        ['NO_SUBJECT', undefined],
      ]);
    }
    expect(new Set(answers.map(({ items }) => items[0]!.messageId)).size).toBe(1);
    for (const id of [first, second]) expect(await messagesOf(id)).toHaveLength(1);
    expect(await messagesOf(hidden)).toEqual([]);
    // A subject that is shown again later gets nothing from a repeated request.
    await api.client.call('updateSubject', { params: { ...params(), subjectId: hidden }, body: { isHidden: false } });
    expect((await send(batch)).items[2]).toEqual({ subjectId: hidden, outcome: 'NOT_SENT' });
    expect(await messagesOf(hidden)).toEqual([]);
  });

  it('do not reach a subject who withdrew', async () => {
    const [staying, leaving] = [await enrol('W-1'), await enrol('W-2', 'Etc/UTC')];
    const date = new Date(api.clock.now()).toISOString().slice(0, 10);
    await api.client.call('setSubjectStatus', {
      params: { ...params(), subjectId: leaving },
      body: { status: 'WITHDRAWN', date, reason: 'Moved away', dataDecision: 'KEEP_ALL' },
    });
    const { sent, items } = await send({ subjectIds: [staying, leaving] });
    expect(sent).toBe(1);
    expect(items.map(({ outcome }) => outcome)).toEqual(['SENT', 'NOT_TAKING_PART']);
    expect(await messagesOf(leaving)).toEqual([]);
  });

  it('are refused as a whole for another text under the same id, and for a wrong placeholder', async () => {
    const subject = await enrol('M-4');
    const batch = { id: randomUUID(), body: 'Hello', subjectIds: [subject] };
    await send(batch);
    await expect(send({ ...batch, body: 'Good-bye' })).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(send({ body: '{Name}', subjectIds: [subject] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(send({ body: ' ', subjectIds: [subject] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await messagesOf(subject)).toHaveLength(1);
  });

  it('are answered as they were sent when the request is repeated after the study was completed', async () => {
    const subject = await enrol('M-5');
    const batch = { id: randomUUID(), body: 'Thank you, {name}', subjectIds: [subject] };
    const sent = await send(batch);
    expect(sent.items).toMatchObject([{ outcome: 'SENT', body: 'Thank you, M-5' }]);
    await api.client.call('startStudy', { params: params() });
    await api.client.call('stopStudy', { params: params() });
    expect(await send(batch)).toEqual(sent);
    expect(await messagesOf(subject)).toHaveLength(1);
    await expect(send({ ...batch, body: 'Good-bye' })).rejects.toMatchObject({ code: 'CONFLICT' });
    for (const other of [{ id: randomUUID() }, { isPreview: true }])
      await expect(send({ ...batch, ...other })).rejects.toMatchObject({ code: 'STUDY_STATE' });
  });
});
