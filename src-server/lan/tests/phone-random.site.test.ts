/** Random batches of two phones, cut, repeated, reordered and doubled: each item arrives exactly once with its true times. */

import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../durations.ts';
import { Random } from '../../simulator/physiology/random.ts';
import { testJpeg } from '../../testing/test-jpeg.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';

const CUTS = 50;
const REPEATS = 5;
/** Another seed with OUTPOST_SEED. */
const seed = Number(process.env.OUTPOST_SEED ?? Date.now() % 2 ** 31);

let site: TestPhoneSite;
beforeAll(async () => {
  site = await startTestPhoneSite();
});
afterAll(async () => {
  await site.close();
});

interface Sent {
  phone: TestPhone;
  reports: { id: string; trueTs: number; value: string | undefined }[];
  messages: { id: string; body: string; hasPicture: boolean }[];
  text: string;
}

/** Makes a batch as the phone would send it; the true time of each report is kept beside it. */
function makeBatch(phone: TestPhone, random: Random): Sent {
  const below = (limit: number) => random.uint32() % limit;
  const [question] = site.walk.questions;
  const offsetMs = -phone.clockAheadMs;
  const reports = Array.from({ length: 1 + below(6) }, () => {
    const trueTs = site.now() - MINUTE_MS * (7 + below(30 * 60));
    const value = below(3) === 0 ? undefined : String(below(11));
    const questionId = question?.id ?? '';
    const answers = value === undefined ? [{ questionId, skipped: true }] : [{ questionId, value }];
    const clock = { offsetMs, uncertaintyMs: below(200), state: 'MEASURED' };
    return { trueTs, value, item: phone.report({ startTs: trueTs - offsetMs, answers, clock }) };
  });
  const messages = Array.from({ length: below(3) }, () => {
    const picture = below(2) === 0 ? [] : [testJpeg({ sizeBytes: 1000 + below(20_000), fill: below(256) })];
    const images = picture.map((bytes) => ({
      id: randomUUID(),
      mimeType: 'image/jpeg',
      base64: bytes.toString('base64'),
    }));
    return { id: randomUUID(), body: `Note ${below(1e9)}`, images };
  });
  return {
    phone,
    reports: reports.map(({ trueTs, value, item }) => ({ id: item.id, trueTs, value })),
    messages: messages.map(({ id, body, images }) => ({ id, body, hasPicture: images.length > 0 })),
    text: phone.batch({ reports: reports.map(({ item }) => item), messages }),
  };
}

it(`stores each item once with its times, whatever happens on the way (seed ${seed})`, {
  timeout: 120_000,
}, async () => {
  const random = new Random(seed);
  const below = (limit: number) => random.uint32() % limit;
  const phones = [await site.signIn(0), await site.signIn(1)];
  phones[0]!.clockAheadMs = 3 * HOUR_MS;
  phones[1]!.clockAheadMs = -40 * MINUTE_MS;
  for (const phone of phones) await phone.sync({});
  const sent: Sent[] = [];
  for (let round = 0; round < CUTS / 2; round++) {
    const batches = phones.map((phone) => makeBatch(phone, random));
    sent.push(...batches);
    // Both at once, each cut at any byte of its body, the last one included.
    await Promise.all(
      batches.map(({ phone, text }) =>
        phone.post('/phone/sync', text, { cutAfterBytes: 1 + below(Buffer.byteLength(text)) }).catch(() => undefined),
      ),
    );
  }
  // Out of order, and some of them doubled at the same moment.
  const order = sent.map((batch) => ({ batch, at: random.uint32() })).sort((a, b) => a.at - b.at);
  const send = async ({ phone, text, reports, messages }: Sent) => {
    const { status, body } = await phone.post('/phone/sync', text);
    expect(status, JSON.stringify(body)).toBe(200);
    const outcomes = body as { reports: { id: string; state: string }[]; messages: { id: string; state: string }[] };
    expect(outcomes.reports.map(({ id }) => id)).toEqual(reports.map(({ id }) => id));
    expect(outcomes.messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    return [...outcomes.reports, ...outcomes.messages].map(({ state }) => state);
  };
  const stored = new Map<string, number>();
  const count = ({ reports, messages }: Sent, states: string[]) => {
    for (const [at, { id }] of [...reports, ...messages].entries()) {
      expect(['STORED', 'KNOWN']).toContain(states[at]);
      if (states[at] === 'STORED') stored.set(id, (stored.get(id) ?? 0) + 1);
    }
  };
  for (const { batch } of order) {
    const times = below(3) === 0 ? 2 : 1;
    for (const states of await Promise.all(Array.from({ length: times }, () => send(batch)))) count(batch, states);
  }
  for (let turn = 1; turn < REPEATS; turn++) {
    const states = await Promise.all(order.map(({ batch }) => send(batch)));
    expect(new Set(states.flat())).toEqual(new Set(['KNOWN']));
  }
  expect([...stored.values()].every((times) => times === 1)).toBe(true);

  for (const { place } of phones) {
    const mine = sent.filter(({ phone }) => phone.place.subjectId === place.subjectId);
    const reports = new Map(mine.flatMap((batch) => batch.reports).map((report) => [report.id, report]));
    const { items } = await site.client.call('listTaskReports', { params: place, query: {} });
    expect(items.map(({ id }) => id).sort()).toEqual([...reports.keys()].sort());
    for (const { id, startTs, skipped, phoneClock } of items) {
      expect([startTs, phoneClock?.state]).toEqual([reports.get(id)?.trueTs, 'MEASURED']);
      expect(skipped === undefined).toBe(reports.get(id)?.value !== undefined);
    }
    const { items: annotations } = await site.client.call('listAnnotations', {
      params: place,
      query: { type: ['question'] },
    });
    const values = [...reports.values()].flatMap(({ value }) => value ?? []);
    expect(annotations.map(({ value }) => value).sort()).toEqual(values.sort());
    const messages = mine.flatMap((batch) => batch.messages);
    const { items: conversation } = await site.client.call('listMessages', { params: place, query: {} });
    expect(conversation.map(({ id, body, image }) => [id, body, image !== undefined]).sort()).toEqual(
      messages.map(({ id, body, hasPicture }) => [id, body, hasPicture]).sort(),
    );
  }
  // No picture is left over from calls that were cut or came second.
  const pictures = sent.flatMap(({ messages }) => messages).filter(({ hasPicture }) => hasPicture).length;
  expect(readdirSync(site.lan.site.folder.imagesDir)).toHaveLength(pictures);
});
