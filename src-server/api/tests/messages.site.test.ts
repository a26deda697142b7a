import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { createClient } from '../contract/client.ts';

/** A PNG of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const place = (subject = 0) => ({ studyId: api.studyId, subjectId: api.subjectIds[subject]! });
const list = async (subject = 0) => (await api.client.call('listMessages', { params: place(subject) })).items;
const unread = async () =>
  (await api.client.call('listUnreadMessages', { params: { accountId: api.accountId } })).items.map(({ id }) => id);
const pictures = () => readdir(api.deps.imagesDir);

function form(parts: Record<string, string | Blob>): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(parts)) body.append(name, value);
  return body;
}
const send = (parts: Record<string, string | Blob>, subject = 0) =>
  api.client.call('sendMessage', { params: place(subject), body: form(parts) });

/** Writes a message as the subject's phone does. */
const write = (body: string, where = place()) =>
  api.store.messages.post({ ...where, body }, { actor: { type: 'SUBJECT', id: where.subjectId } });

describe('send message', () => {
  it.each(['/api/v1', '/v1', ''])('accepts the form below "%s"', async (root) => {
    const { studyId, subjectId } = place();
    const response = await fetch(`${api.url}${root}/studies/${studyId}/subjects/${subjectId}/messages`, {
      method: 'POST',
      headers: { authorization: api.authorization },
      body: form({ body: `Below "${root}"\nこんにちは 🦆`, other: 'ignored', file: new Blob(['ignored']) }),
    });
    expect(response.status).toBe(201);
    const { id, links } = (await response.json()) as { id: string; links: unknown };
    const href = `/v1/studies/${studyId}/subjects/${subjectId}/messages/${id}`;
    expect(links).toEqual([{ href, rel: 'self' }]);
    const message = await (await api.client.follow(href)).json();
    expect(message).toEqual({
      id,
      studyId,
      subjectId,
      author: {
        id: api.admin.userId,
        displayName: 'Test ADMIN',
        parentId: api.accountId,
        principalType: 'USER',
      },
      body: `Below "${root}"\nこんにちは 🦆`,
      createdTs: api.clock.now(),
      isRead: false,
    });
    expect((await list()).at(-1)).toEqual(message);
    const { items: events } = await api.client.call('listEvents', { params: { studyId } });
    expect(events.at(-1)).toMatchObject({
      action: 'MESSAGE_POSTED',
      referenceId: id,
      subjectId,
      author: message.author,
    });
  });

  it('requires credentials also without a prefix, and leaves other methods there to the desk', async () => {
    const address = `${api.url}/studies/${api.studyId}/subjects/${api.subjectIds[0]}/messages`;
    expect((await fetch(address, { method: 'POST', body: form({ body: 'x' }) })).status).toBe(401);
    expect((await fetch(address)).status).toBe(404);
  });

  it('accepts a text part that has a file name', async () => {
    const { id } = await send({ body: new Blob(['From a library ✓']) });
    expect((await list()).find((message) => message.id === id)?.body).toBe('From a library ✓');
  });

  it('rejects a missing, empty, blank or too long body and stores nothing', async () => {
    const before = (await list()).length;
    const bodies: Record<string, string | Blob>[] = [
      {},
      { body: '' },
      { body: ' \n\t' },
      { body: 'x'.repeat(10_001) },
      { other: 'x' },
      { body: new Blob([]) },
    ];
    for (const parts of bodies) {
      await expect(send({ ...parts, image: new Blob([PNG]) })).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ path: 'body' })],
      });
    }
    await expect(send({ body: 'x'.repeat(100_000) })).rejects.toMatchObject({ status: 400 });
    expect((await list()).length).toBe(before);
    expect(await pictures()).toEqual([]);
  });

  it('rejects other content types and truncated multipart', async () => {
    const before = (await list()).length;
    const url = api.client.url('sendMessage', { params: place(), body: form({}) });
    const post = async (type: string, body: string) =>
      (await fetch(url, { method: 'POST', headers: { authorization: api.authorization, 'content-type': type }, body }))
        .status;
    expect(await post('application/json', '{"body":"x"}')).toBe(415);
    expect(await post('application/x-www-form-urlencoded', 'body=x')).toBe(415);
    expect(await post('multipart/form-data', 'body=x')).toBe(400);
    const part = '--b\r\nContent-Disposition: form-data; name="body"\r\n\r\nhello';
    expect(await post('multipart/form-data; boundary=b', part)).toBe(400);
    expect(await post('multipart/form-data; boundary=b', `${part}\r\n--b--\r\n`)).toBe(201);
    expect((await list()).length).toBe(before + 1);
  });

  it('leaves no file when the sender disconnects halfway', async () => {
    const before = [(await list()).length, await pictures()];
    const { port } = new URL(api.url);
    const { studyId, subjectId } = place();
    const lines = [
      `POST /api/v1/studies/${studyId}/subjects/${subjectId}/messages HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: ${api.authorization}`,
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Length: 100000',
      '',
      '--b\r\nContent-Disposition: form-data; name="body"\r\n\r\nhello',
    ];
    for (const part of ['name="image"; filename="x.png"', 'name="other"; filename="x"']) {
      const logged = api.logLines.length;
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\n--b\r\nContent-Disposition: form-data; ${part}\r\n\r\n\x89PNG`);
      setTimeout(() => socket.destroy(), 50);
      await vi.waitFor(() => expect(api.logLines.length).toBeGreaterThan(logged));
    }
    expect([(await list()).length, await pictures()]).toEqual(before);
  });

  it('answers below 500 for any combination of parts', async () => {
    const url = api.client.url('sendMessage', { params: place(1), body: form({}) });
    const piece = fc.oneof(
      fc.constantFrom(
        '--b',
        '--b--',
        '\r\n',
        '\r\n\r\n',
        'Content-Disposition: form-data; name="body"',
        'name="image"; filename="x.png"',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const response = await fetch(url, {
          method: 'POST',
          headers: { authorization: api.authorization, 'content-type': 'multipart/form-data; boundary=b' },
          body: pieces.join(''),
        });
        expect(response.status).toBeLessThan(500);
        await response.arrayBuffer();
      }),
      { numRuns: 150 },
    );
  });

  it('is rejected in a complete study and leaves no picture', async () => {
    const params = { accountId: api.accountId };
    const { id: studyId } = await api.client.call('createStudy', { params, body: { displayName: 'Done' } });
    const body = { displayName: 'D', timezone: 'US/Eastern' };
    const { id: subjectId } = await api.client.call('createSubject', { params: { studyId }, body });
    await api.client.call('startStudy', { params: { studyId } });
    await api.client.call('stopStudy', { params: { studyId } });
    const before = await pictures();
    const message = form({ body: 'Late', image: new Blob([PNG]) });
    await expect(
      api.client.call('sendMessage', { params: { studyId, subjectId }, body: message }),
    ).rejects.toMatchObject({ status: 409, code: 'STUDY_STATE' });
    expect(await pictures()).toEqual(before);
  });
});

describe('pictures', () => {
  it('are served at a signed address that needs no credentials', async () => {
    const { id } = await send({ body: 'Look', image: new Blob([PNG]) });
    const message = await api.client.call('getMessage', { params: { ...place(), messageId: id } });
    const { studyId, subjectId } = place();
    expect(message.image).toEqual({
      href: `/v1/studies/${studyId}/subjects/${subjectId}/messages/${id}/image`,
      mimeType: 'image/png',
      sizeBytes: PNG.length,
    });
    const signed = (await (await api.client.follow(message.image!.href)).json()) as {
      href: string;
      expiration: number;
    };
    expect(signed.expiration).toBe(api.clock.now() + 3_600_000);
    const file = await fetch(signed.href);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('image/png');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    expect(Buffer.from(await file.arrayBuffer())).toEqual(PNG);
    const range = await fetch(signed.href, { headers: { range: 'bytes=1-3' } });
    expect(range.status).toBe(206);
    expect(await range.text()).toBe('PNG');
    for (const href of [signed.href.replace(id, 'x'), signed.href.replace(/.$/, '!'), signed.href.split('?')[0]!]) {
      expect((await fetch(href)).status).toBeGreaterThanOrEqual(400);
    }
    api.clock.advance(3_600_000);
    expect((await fetch(signed.href)).status).toBe(403);
  });

  it('are recognized by their bytes; unsafe and too large ones are rejected', async () => {
    const before = await pictures();
    const named = (content: BlobPart) => new Blob([content], { type: 'image/png' });
    await expect(send({ body: 'x', image: named('<svg xmlns="http://www.w3.org/2000/svg"/>') })).rejects.toMatchObject({
      status: 400,
      errors: [expect.objectContaining({ path: 'image' })],
    });
    const large = Buffer.concat([PNG, Buffer.alloc(10 * 1024 * 1024)]);
    await expect(send({ body: 'x', image: named(large) })).rejects.toMatchObject({ status: 413 });
    expect(await pictures()).toEqual(before);
    const { id } = await send({ body: 'x', image: new Blob([Buffer.from('ffd8ffe0', 'hex')], { type: 'text/html' }) });
    expect((await api.client.call('getMessage', { params: { ...place(), messageId: id } })).image?.mimeType).toBe(
      'image/jpeg',
    );
  });

  it('answer 404 for a message without one', async () => {
    const { id } = await send({ body: 'No picture', image: new Blob([]) });
    const params = { ...place(), messageId: id };
    expect(await api.client.call('getMessage', { params })).not.toHaveProperty('image');
    await expect(api.client.call('getMessageImage', { params })).rejects.toMatchObject({ status: 404 });
  });
});

describe('unread messages of the account', () => {
  it('are exactly the unread messages of subjects across studies', async () => {
    expect(await unread()).toEqual([]);
    await send({ body: 'To the subject' });
    const first = await write('One');
    const params = { accountId: api.accountId };
    const { id: studyId } = await api.client.call('createStudy', { params, body: { displayName: 'Second' } });
    const body = { displayName: 'S', timezone: 'US/Eastern' };
    const { id: subjectId } = await api.client.call('createSubject', { params: { studyId }, body });
    api.clock.advance(1);
    const second = await write('Two', { studyId, subjectId });
    expect(await unread()).toEqual([first.id, second.id]);

    const ofMonitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });
    const seen = await ofMonitor.call('listUnreadMessages', { params });
    expect(seen.items.map(({ id }) => id)).toEqual([first.id]);

    const messageOne = { ...place(), messageId: first.id };
    await api.client.call('markMessageRead', { params: messageOne, body: { isRead: true } });
    await api.client.call('markMessageRead', { params: messageOne, body: { isRead: true } });
    expect(await unread()).toEqual([second.id]);
    expect((await list()).find(({ id }) => id === first.id)).toMatchObject({
      isRead: true,
      author: { id: api.subjectIds[0], parentId: api.studyId, principalType: 'SUBJECT', displayName: 'Subject 1' },
    });
    const audited = await api.store.audit.list({ entityType: 'message', entityId: first.id });
    expect(audited.map(({ action }) => action)).toEqual(['message.read', 'message.post']);
    expect(audited[0]!.actor).toEqual({ type: 'USER', id: api.admin.userId });
  });

  it('reject read marks by staff on messages of staff, and by monitors on any', async () => {
    const ours = await send({ body: 'Ours' });
    const mark = (client: typeof api.client, messageId: string) =>
      client.call('markMessageRead', { params: { ...place(), messageId }, body: { isRead: true } });
    await expect(mark(api.client, ours.id)).rejects.toMatchObject({ status: 409 });
    const theirs = await write('Theirs');
    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials });
    await expect(mark(monitor, theirs.id)).rejects.toMatchObject({ status: 403 });
    expect(await unread()).toContain(theirs.id);
  });

  it('are found only through their own subject', async () => {
    const { id: messageId } = await write('Mine');
    const params = { ...place(1), messageId };
    await expect(api.client.call('getMessage', { params })).rejects.toMatchObject({ status: 404 });
    await expect(api.client.call('markMessageRead', { params, body: { isRead: true } })).rejects.toMatchObject({
      status: 404,
    });
    await expect(api.client.call('getMessageImage', { params })).rejects.toMatchObject({ status: 404 });
  });
});

describe('conversations of the account', () => {
  const conversations = async (client: Pick<typeof api.client, 'call'> = api.client) =>
    (await client.call('listConversations', { params: { accountId: api.accountId } })).items;

  it('count unread messages of the subject and show the newest message, newest conversation first', async () => {
    const params = { accountId: api.accountId };
    const { id: studyId } = await api.client.call('createStudy', { params, body: { displayName: 'Talk' } });
    const body = { timezone: 'US/Eastern' };
    const subject = async (displayName: string) =>
      (await api.client.call('createSubject', { params: { studyId }, body: { ...body, displayName } })).id;
    const [one, two] = [await subject('One'), await subject('Two')];
    await subject('Silent');
    const ofStudy = async () => (await conversations()).filter((item) => item.studyId === studyId);
    expect(await ofStudy()).toEqual([]);

    const first = await write('Is the sensor wet?', { studyId, subjectId: one });
    await write('Again', { studyId, subjectId: one });
    api.clock.advance(1);
    const ours = await api.client.call('sendMessage', {
      params: { studyId, subjectId: two },
      body: form({ body: 'Hello' }),
    });
    expect(await ofStudy()).toMatchObject([
      { subjectId: two, messageCount: 1, unreadCount: 0, lastMessage: { id: ours.id, body: 'Hello' } },
      { subjectId: one, messageCount: 2, unreadCount: 2, lastMessage: { body: 'Again' } },
    ]);
    const message = { studyId, subjectId: one, messageId: first.id };
    await api.client.call('markMessageRead', { params: message, body: { isRead: true } });
    expect((await ofStudy())[1]).toMatchObject({ subjectId: one, unreadCount: 1 });

    // Of all conversations, whatever the page holds.
    const unreadOf = async (client: Pick<typeof api.client, 'call'>, limit: string) =>
      (await client.call('listConversations', { params, query: { limit } })).unreadCount;
    const unread = (await conversations()).reduce((sum, { unreadCount }) => sum + unreadCount, 0);
    expect([await unreadOf(api.client, '1'), await unreadOf(api.client, '500')]).toEqual([unread, unread]);

    const monitor = createClient({ baseUrl: api.url, credentials: api.monitor.credentials, validateResponses: true });
    const theirs = (await conversations(monitor)).reduce((sum, { unreadCount }) => sum + unreadCount, 0);
    expect(await unreadOf(monitor, '1')).toBe(theirs);
    expect(theirs).toBeLessThan(unread);
    expect((await conversations(monitor)).some((item) => item.studyId === studyId)).toBe(false);
  });
});
