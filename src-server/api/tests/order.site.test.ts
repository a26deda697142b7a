import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, SYSTEM } from '../../db/index.ts';
import { QUESTIONNAIRES } from '../../study/questionnaires/library.ts';
import { prepareStudy } from '../../testing/fuzz/known.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { SEARCH_KINDS } from '../../vocabulary/search.ts';
import { fillPath } from '../contract/addresses.ts';
import { type Annotation, type Answer, type RouteId, routes } from '../contract/index.ts';
import type { RouteContract } from '../contract/route.ts';

type Item = Record<string, unknown>;

let api: TestApi;
let params: Record<string, string>;

/** Several records of each type, created out of order, some at the same instant. */
beforeAll(async () => {
  api = await startTestApi({ timeZones: ['US/Eastern', 'Asia/Tokyo', 'US/Pacific'] });
  const { client, store, clock } = api;
  const known = await prepareStudy(client, api);
  const [subjectId] = api.subjectIds as [string];
  const place = { studyId: api.studyId, subjectId };
  const bySubject = { actor: { type: 'SUBJECT', id: subjectId } } as const;
  const start = clock.now();
  for (const minutes of [50, 10, 30, 30]) {
    await addTestRecording(store, api.deps.signalsDir, place, {
      startUs: (start - minutes * 60_000) * 1000,
      durationSeconds: 5,
      udid: `AA:BB:CC:00:00:${minutes}${(await store.recordings.listForSubject(subjectId)).length}`,
    });
  }
  const { activities } = await client.call('getStudy', { params: { studyId: api.studyId } });
  const activity = activities[0]!;
  for (const [turn, minutes] of [20, 5, 5].entries()) {
    const startTs = start - minutes * 60_000;
    const answers = [{ questionId: activity.questions[0]!.id, value: 'YES' }];
    await store.annotations.reportTask(
      { ...place, taskId: activity.id, startTs, stopTs: startTs + 1, answers },
      bySubject,
    );
    const definition = { studyId: api.studyId, kind: 'study-definition', targetId: api.studyId } as const;
    const { sha256: contentSha256 } = await store.signatures.contentOf(definition);
    const signer = (await store.users.get(api.admin.userId))!;
    await store.signatures.sign({ ...definition, meaning: 'REVIEWED', contentSha256 }, signer, SYSTEM);
    const label = { displayName: `Label ${turn}`, startTs };
    await client.call('createLabel', { params: place, body: label });
    await store.messages.post({ ...place, body: `Message ${turn}` }, bySubject);
    const named = { params: { accountId: api.accountId }, body: { displayName: `Study ${turn}` } };
    const { id: studyId } = await client.call('createStudy', named);
    const [userId] = known.userId as [string];
    await client.call('setStudyMember', { params: { studyId, userId }, body: { role: 'MONITOR' } });
    const user = {
      accountId: api.accountId,
      firstName: 'A',
      lastName: 'B',
      locale: 'en_US',
      timezone: 'Etc/GMT',
    } as const;
    const email = `order-${turn}@example.org`;
    await client.call('createUser', { body: { email, user: { ...user, email } } });
    const address = `192.0.2.${turn}`;
    await store.refusals.note({
      ...{ kind: 'TOKEN', code: 'UNAUTHORIZED', message: 'Unknown.', aboutId: '', address },
      ...{ attempts: 1, sinceTs: start, lastTs: start + turn },
    });
    const serial = `sensor-${9 - turn}`;
    const udid = `AA:BB:CC:DD:EE:0${turn}`;
    await client.call('registerEquipment', {
      params: { accountId: api.accountId },
      body: { id: serial, type: 'SENSOR', udid },
    });
    await client.call('assignEquipment', { params: { ...place, equipmentId: serial } });
    await store.uploads.add(
      {
        ...{ id: newId(), accountId: api.accountId, credentialId: 'hub', deviceId: 'hub', sensorId: 'sensor-9' },
        ...{ recordingId: newId(), sizeBytes: 9, sha256: '0'.repeat(64), formatVersion: 1, startUs: 0, syncPoints: [] },
      },
      SYSTEM,
    );
    await api.jobs.enqueue('analyse', { ...place, fromMs: 0, toMs: turn, recordingIds: [] });
    const run = { name: `Run ${turn}`, reason: 'To compare' };
    await client.call('createAnalysisRun', { params: { studyId: api.studyId }, body: run });
    const corrections = [{ id: newId(), kind: 'NOT_WORN' as const, startTs: start - turn, stopTs: start + 1 }];
    await client.call('addCorrections', { params: place, body: { corrections } });
    await client.call('openQuery', {
      params: place,
      body: { target: 'DAY', date: '2026-01-15', text: `Why ${turn}?` },
    });
    const followUpDate = new Date(start + (9 - turn) * 86_400_000).toISOString().slice(0, 10);
    await client.call('putMessageTemplate', {
      params: { studyId: place.studyId, templateId: newId() },
      body: { displayName: `Template ${9 - turn}`, texts: { en: 'Hello' } },
    });
    await client.call('putSavedFilter', {
      params: { accountId: api.accountId, filterId: newId() },
      body: { table: 'equipment', displayName: `Filter ${9 - turn}`, search: { state: 'out' } },
    });
    await client.call('addSubjectNote', { params: place, body: { kind: 'NOTE', body: `Note ${turn}`, followUpDate } });
    if (turn > 0) clock.advance(1000);
  }
  await client.call('unassignEquipment', { params: { ...place, equipmentId: 'sensor-9' } });
  await store.subjects.update(api.subjectIds[1]!, { isHidden: true }, SYSTEM);
  params = {
    ...Object.fromEntries(Object.entries(known).map(([name, values]) => [name, values[0] ?? ''])),
    equipmentId: 'sensor-9',
    udid: 'AA:BB:CC:DD:EE:00',
    annotationId: (await client.call('listAnnotations', { params: place, query: { type: 'activity' } })).items[0]!.id,
  };
  for (const seconds of [3, 1, 2, 2]) {
    const fault = { ...place, faultTs: start - seconds * 1000, faultFlag: 'LOW_BATTERY', faultType: 'SENSOR' };
    const sensor = { mobileAppVersion: '', sensorFirmwareId: '', sensorId: 'AA:BB:CC:00:00:FF' };
    await store.faults.add([{ ...fault, ...sensor }], SYSTEM);
  }
  clock.advance(3 * 86_400_000);
  for (const body of ['Late', 'Later']) await store.messages.post({ ...place, body }, bySubject);
});
afterAll(() => api.close());

/** What lists cannot be read without. Studies and events begin so. */
const QUERIES: Partial<Record<RouteId, string>> = { search: '?text=st' };

async function itemsOf<T = Item>(id: RouteId): Promise<T[]> {
  const route: RouteContract = routes[id];
  const url = `${api.url}/api/v1${fillPath(route.path, params)}${QUERIES[id] ?? ''}`;
  const answer = await (await fetch(url, { headers: { authorization: api.authorization } })).json();
  return Array.isArray(answer) ? answer : answer.items;
}

/** Negative when `a` comes first by the members named, `-` before one that descends. */
function compare(a: Item, b: Item, order: readonly string[]): number {
  for (const member of order) {
    const name = member.replace('-', '');
    const [left, right] = member.startsWith('-') ? [b[name], a[name]] : [a[name], b[name]];
    if (left !== right) return (left as number) < (right as number) ? -1 : 1;
  }
  return 0;
}

const inSubjectOrder = async (items: Item[]) => {
  const ids = (await itemsOf('listSubjects')).map(({ id }) => id);
  const places = items.map(({ subjectId }) => ids.indexOf(subjectId));
  expect(places).toEqual([...places].sort((a, b) => a - b));
};
const newestFirst = async (items: Item[]) => {
  for (const [i, item] of items.entries())
    if (i > 0) expect(compare(items[i - 1]!, item, ['-createdTs'])).toBeLessThanOrEqual(0);
};

const byReason = async (items: Item[]) => {
  const reasons = ['NO_DATA', 'MISSED_TASKS', 'UNREAD_MESSAGE', 'BACKUP_OVERDUE', 'WEBHOOK_FAILING'];
  const ranked = items.map((item) => ({ ...item, rank: reasons.indexOf(item.reason as string) }));
  expect(ranked).toEqual([...ranked].sort((a, b) => compare(a, b, ['rank', 'sinceTs'])));
};

/** Orders that are described in words, each with its check. */
const IN_WORDS: Partial<Record<RouteId, (items: Item[]) => Promise<void>>> = {
  listProgramStats: inSubjectOrder,
  listRecordingStats: inSubjectOrder,
  getFaultStats: inSubjectOrder,
  listAdherence: inSubjectOrder,
  listQuality: inSubjectOrder,
  listDailyValues: inSubjectOrder,
  listTimeZones: async (items) => expect(items.slice(0, 2)).toEqual(['Asia/Tokyo', 'US/Alaska']),
  listQuestionnaires: async (items) => expect(items.map(({ id }) => id)).toEqual(QUESTIONNAIRES.map(({ id }) => id)),
  listStudyTemplates: async (items) => expect(items.map(({ id }) => id)).toEqual(['movement', 'heart', 'well-being']),
  getSensorName: async (items) => expect(items).toHaveLength(1),
  listEquipment: async (items) =>
    expect(items.map(({ id }) => id)).toEqual(['hub-1', 'sensor-8', 'sensor-9', 'sensor-7']),
  listAnswers: async (items) => expect(items).toHaveLength(1),
  listAnnotations: async () => {
    const items = await itemsOf<Annotation>('listAnnotations');
    const isAnswer = ({ event }: Annotation) => event?.type === 'question';
    for (const [i, item] of items.entries()) {
      const before = items[i - 1];
      if (before) expect(before.startTs).toBeLessThanOrEqual(item.startTs);
      if (isAnswer(item))
        expect(item.event!.relationship!.id).toBe(before!.event!.relationship?.id ?? before!.event!.id);
    }
    const others = items.filter((item) => !isAnswer(item));
    expect(others).toEqual([...others].sort((a, b) => compare(a, b, ['startTs', 'id'])));
    const answers = await itemsOf<Answer>('listAnswers');
    const at = items.findIndex(({ id }) => id === params.annotationId);
    expect(items.slice(at + 1, at + 1 + answers.length).map(({ id }) => id)).toEqual(answers.map(({ id }) => id));
  },
  listCorrections: async (items) =>
    expect(items.map(({ createdTs }) => createdTs)).toEqual(items.map(({ createdTs }) => createdTs).sort()),
  listStudyPeople: async (items) => {
    const users = (await itemsOf('listUsers')).map(({ id }) => id);
    const places = items.map(({ id }) => users.indexOf(id));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  },
  listFollowUps: async (items) => {
    const dates = items.map(({ followUp }) => (followUp as { date: string }).date);
    expect(dates).toEqual([...dates].sort());
  },
  search: async (items) => {
    const ranked = items.map((item) => ({ ...item, rank: (SEARCH_KINDS as readonly unknown[]).indexOf(item.kind) }));
    expect(new Set(ranked.map(({ rank }) => rank)).size).toBeGreaterThan(1);
    expect(ranked).toEqual([...ranked].sort((a, b) => compare(a, b, ['rank', '-ts'])));
  },
  listAttention: byReason,
  listStudyAttention: byReason,
  listBackups: newestFirst,
  listSecondFactors: async (items) => {
    const users = await itemsOf('listUsers');
    expect(items.map(({ userId }) => userId)).toEqual(users.map(({ id }) => id));
  },
  // Nothing is plugged in here.
  listTransfers: async (items) => expect(items).toEqual([]),
  listWebhookDeliveries: newestFirst,
  listOutbox: newestFirst,
};

const lists = (Object.entries(routes) as [RouteId, RouteContract][]).filter(
  ([, { access, order, response }]) => access === 'user' && order && response,
);
/** Lists that stay empty here; their own suites cover them. */
const MAY_BE_EMPTY = /Metrics|Backup|LostFiles|Webhook|Export|Pairing|Device|PhoneAddresses|Transfers|Sessions/;

describe('lists have the order that their description states', () => {
  it.each(lists)('%s', async (id, { order, path }) => {
    if ([...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => !params[name!])) return;
    const items = await itemsOf(id);
    if (!MAY_BE_EMPTY.test(id)) expect(items.length).toBeGreaterThan(0);
    if (typeof order === 'string') {
      const check = IN_WORDS[id];
      expect(check, `${id} tells its order in words: add a check of it`).toBeDefined();
      await check?.(items);
      return;
    }
    for (const [i, item] of items.entries()) {
      for (const member of order!) expect(item, `${id} ${member}`).toHaveProperty(member.replace('-', ''));
      if (i > 0) expect(compare(items[i - 1]!, item, order!), `${id} at ${i}`).toBeLessThanOrEqual(0);
    }
  });
});
