import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../db/index.ts';
import { STUDY_EXPORT_WRITERS } from '../../exporters/study-export/writers.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import type { PlannedVisit, StudyPlan } from '../../vocabulary/participation.ts';
import { type Client, createClient } from '../contract/client.ts';

const DAY_MS = 86_400_000;
const PDF = Buffer.from('%PDF-1.7\nsigned form of the subject\n%%EOF');

let api: TestApi;
let study: { studyId: string };
let coordinator: Client;
let monitor: Client;

const visit = (id: string, offsetDays: number, more: Partial<PlannedVisit> = {}): PlannedVisit => ({
  ...{ id, displayName: id, anchor: 'ENROLLED', offsetDays, windowBefore: 2, windowAfter: 2 },
  ...{ isOptional: false, isReminded: true, ...more },
});
const PLAN: StudyPlan = {
  consentForms: [{ version: '1', isRequired: true }],
  groups: [
    { id: 'a', displayName: 'Intervention' },
    { id: 'b', displayName: 'Control' },
  ],
  strata: [{ id: 's', displayName: 'Over 60' }],
  visits: [visit('Baseline', 0), visit('Week 1', 7), visit('Month 1', 28, { isOptional: true })],
};

beforeAll(async () => {
  api = await startTestApi();
  study = { studyId: api.studyId };
  const clientOf = ({ credentials }: { credentials: TestApi['admin']['credentials'] }) =>
    createClient({ baseUrl: api.url, credentials, validateResponses: true });
  coordinator = clientOf(api.coordinator);
  monitor = clientOf(api.monitor);
  const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
  await api.store.studies.setMember(api.studyId, api.coordinator.userId, 'COORDINATOR', change);
  await coordinator.call('setStudyPlan', { params: study, body: { version: 0, ...PLAN } });
});
afterAll(() => api.close());

const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => undefined,
    (thrown: { code?: string }) => thrown.code,
  );
const dateIn = (days: number) => new Date(api.clock.now() + days * DAY_MS).toISOString().slice(0, 10);
let names = 0;
const create = async (status?: 'SCREENING' | 'ENROLLED'): Promise<{ studyId: string; subjectId: string }> => {
  names += 1;
  const body = { displayName: `New ${names}`, timezone: 'Etc/UTC', ...(status && { status }) };
  return { ...study, subjectId: (await coordinator.call('createSubject', { params: study, body })).id };
};
type Place = Awaited<ReturnType<typeof create>>;
const get = (params: Place) => coordinator.call('getParticipation', { params });
const setStatus = (params: Place, status: string, more: object = {}, client = coordinator) =>
  client.call('setSubjectStatus', { params, body: { status, date: dateIn(0), ...more } as never });
const consent = (params: Place, fields: { version?: string; document?: Buffer; id?: string; name?: string } = {}) => {
  const form = new FormData();
  form.set('version', fields.version ?? '1');
  form.set('date', dateIn(0));
  if (fields.id) form.set('id', fields.id);
  if (fields.document) form.set('document', new Blob([new Uint8Array(fields.document)]), fields.name ?? 'form.pdf');
  return coordinator.call('addConsent', { params, body: form as never });
};
const setVisit = (params: Place, visitId: string, state: string, more: object = {}) =>
  coordinator.call('setVisit', { params, body: { visitId, state, ...more } as never });
const visitOf = async (params: Place, id: string) => (await get(params)).visits.find(({ visitId }) => visitId === id);
const enrol = async (): Promise<Place> => {
  const place = await create();
  await consent(place);
  await setStatus(place, 'ENROLLED');
  return place;
};
const today = async () => (await coordinator.call('listStudyAttention', { params: study })).items;
const itemsOf = async ({ subjectId }: Place) =>
  (await today()).filter((item) => item.subjectId === subjectId).map(({ reason, sentence }) => [reason, sentence]);

describe('subjects of a site that had no statuses', () => {
  it('are enrolled at their creation', async () => {
    const place = { ...study, subjectId: api.subjectIds[0]! };
    expect(await get(place)).toMatchObject({ status: 'ENROLLED', steps: [{ status: 'ENROLLED' }] });
    const { items } = await coordinator.call('listSubjects', { params: study, query: { summary: true } });
    expect(items[0]!.summary).toMatchObject({ status: 'ENROLLED', isConsentDue: true });
  });
});

describe('a status', () => {
  it('begins in screening where consent is needed, and enrolment waits for it', async () => {
    const place = await create();
    expect(await get(place)).toMatchObject({ status: 'SCREENING', isConsentDue: true, visits: [] });
    expect(await codeOf(create('ENROLLED'))).toBe('CONFLICT');
    expect(await codeOf(setStatus(place, 'ENROLLED'))).toBe('CONFLICT');
    await consent(place);
    await setStatus(place, 'ENROLLED');
    const now = await get(place);
    expect(now).toMatchObject({
      ...{ status: 'ENROLLED', enrolledDate: dateIn(0), isConsentDue: false, consent: { version: '1' } },
      visits: [{ visitId: 'Baseline' }, { visitId: 'Week 1' }, { visitId: 'Month 1' }],
    });
    expect(now.steps.map(({ kind, status }) => status ?? kind)).toEqual(['ENROLLED', 'CONSENT', 'SCREENING']);
    expect(now.steps[0]!.author).toMatchObject({ id: api.coordinator.userId });
  });

  it('is set by those who run the study, once for each id, and is in the audit trail', async () => {
    const place = await enrol();
    const id = newId();
    expect(await codeOf(setStatus(place, 'COMPLETED', { id }, monitor))).toBe('FORBIDDEN');
    for (const _ of [1, 2]) await setStatus(place, 'COMPLETED', { id });
    expect(await codeOf(setStatus(place, 'COMPLETED', { id, reason: 'another' }))).toBe('CONFLICT');
    const query = { entityType: 'participation', subjectId: place.subjectId };
    const { items } = await api.client.call('listStudyAudit', { params: study, query });
    const moves = items.filter(({ action }) => action === 'participation.status');
    expect(moves.map(({ changes }) => changes.find(({ field }) => field === 'status'))).toEqual([
      { field: 'status', old: 'ENROLLED', new: 'COMPLETED' },
      { field: 'status', old: 'SCREENING', new: 'ENROLLED' },
    ]);
  });

  it('of withdrawal ends program, visits and phones, and asks for the equipment; a correction takes that back', async () => {
    await api.store.studies
      .move(api.studyId, 'start', { actor: { type: 'USER', id: api.admin.userId } })
      .catch(() => 0);
    const place = await enrol();
    const { subjectId } = place;
    const serial = `W-${names}`;
    const change = { actor: { type: 'USER', id: api.admin.userId } } as const;
    await api.store.equipment.register({ accountId: api.accountId, id: serial, type: 'SENSOR' }, change);
    await api.store.equipment.assign(serial, place, change);
    await api.addDevice('PHONE', `phone-${names}`, subjectId);
    await setVisit(place, 'Week 1', 'SCHEDULED', { date: dateIn(7) });
    expect((await get(place)).hasPhone).toBe(true);
    const withdrawal = { reason: 'Moved away', dataDecision: 'KEEP_UNTIL', isPhoneRevoked: true };
    await setStatus(place, 'WITHDRAWN', withdrawal);
    const now = await get(place);
    expect(now).toMatchObject({ status: 'WITHDRAWN', hasPhone: false, heldEquipment: 1, dataDecision: 'KEEP_UNTIL' });
    expect(now.visits.every(({ isStopped, reminderTs }) => isStopped && reminderTs === undefined)).toBe(true);
    expect((await api.store.subjects.require(subjectId)).programStopTs).toBe(api.clock.now());
    expect((await itemsOf(place)).map(([reason]) => reason)).toEqual(['NOT_RETURNED']);
    expect(await codeOf(setVisit(place, 'Month 1', 'SCHEDULED', { date: dateIn(9) }))).toBe('CONFLICT');
    await setStatus(place, 'ENROLLED', { isCorrection: true, reason: 'Wrong subject' });
    expect((await api.store.subjects.require(subjectId)).programStopTs).toBeUndefined();
    expect(await visitOf(place, 'Week 1')).toMatchObject({ state: 'SCHEDULED', isStopped: false, date: dateIn(7) });
  });
});

describe('a consent', () => {
  it('has a document of a known format, which staff and monitors open', async () => {
    const place = await create();
    const { id: stepId } = await consent(place, { document: PDF, name: 'C:\\scans\\Form 12.pdf' });
    const [step] = (await get(place)).steps;
    expect(step!.consent!.document).toMatchObject({
      ...{ displayName: 'Form 12.pdf', mimeType: 'application/pdf', sizeBytes: PDF.length },
    });
    const { href } = await monitor.call('getConsentDocument', { params: { ...place, stepId } });
    expect(Buffer.from(await (await fetch(href)).arrayBuffer())).toEqual(PDF);
    expect(await codeOf(consent(place, { document: Buffer.from('<html><script>1</script>') }))).toBe('INVALID_INPUT');
    expect(await codeOf(consent(place, { version: '7', document: PDF }))).toBe('INVALID_INPUT');
    const { imagesDir } = api.deps;
    // What was refused left no file.
    expect((await readdir(imagesDir)).filter((name) => name.endsWith('.pdf'))).toHaveLength(1);
    expect([...(await api.store.messages.imageFiles())].every((name) => existsSync(join(imagesDir, name)))).toBe(true);
  });

  it('has a document whose name and hash only those get who may open it', async () => {
    const place = await create();
    const { id: stepId } = await consent(place, { document: PDF, name: 'Tanaka Hanako.pdf' });
    const become = (role: 'ANALYST' | 'MONITOR') =>
      api.store.studies.setMember(api.studyId, api.monitor.userId, role, {
        actor: { type: 'USER', id: api.admin.userId },
      });
    await become('ANALYST');
    expect(await codeOf(monitor.call('getConsentDocument', { params: { ...place, stepId } }))).toBe('FORBIDDEN');
    const seen = await monitor.call('getParticipation', { params: place });
    await become('MONITOR');
    expect(seen.steps[0]).toMatchObject({ id: stepId, consent: { version: '1', state: 'GIVEN' } });
    expect(JSON.stringify(seen)).not.toMatch(/Tanaka|sha256/);
    for (const client of [coordinator, monitor, api.client])
      expect(JSON.stringify(await client.call('getParticipation', { params: place }))).toContain('Tanaka');
  });

  it('is stored once when its request is repeated', async () => {
    const place = await create();
    const id = newId();
    const before = (await readdir(api.deps.imagesDir)).length;
    for (const _ of [1, 2]) await consent(place, { id, document: PDF });
    expect((await get(place)).steps.filter(({ kind }) => kind === 'CONSENT')).toHaveLength(1);
    expect(await readdir(api.deps.imagesDir)).toHaveLength(before + 1);
  });

  it('is due again when a new version is required', async () => {
    const place = await enrol();
    const plan = await coordinator.call('getStudyPlan', { params: study });
    const consentForms = [...plan.consentForms, { version: `v${plan.version}`, isRequired: true }];
    await coordinator.call('setStudyPlan', {
      params: study,
      body: { version: plan.version, ...PLAN, consentForms },
    });
    expect((await get(place)).isConsentDue).toBe(true);
    expect(await itemsOf(place)).toContainEqual([
      'CONSENT_DUE',
      'The subject consented to version 1 of the form and has to consent again.',
    ]);
    await consent(place, { version: `v${plan.version}` });
    expect((await get(place)).isConsentDue).toBe(false);
    await coordinator.call('voidConsent', {
      params: place,
      body: { version: `v${plan.version}`, date: dateIn(0), reason: 'Not signed' },
    });
    expect(await get(place)).toMatchObject({ isConsentDue: true, consent: { version: '1' } });
    // What subjects consented to stays in the plan; the required version goes back.
    const now = await coordinator.call('getStudyPlan', { params: study });
    const lost = { version: now.version, ...PLAN, consentForms: consentForms.slice(1) };
    expect(await codeOf(coordinator.call('setStudyPlan', { params: study, body: lost }))).toBe('CONFLICT');
    await coordinator.call('setStudyPlan', { params: study, body: { version: now.version, ...PLAN } });
    expect((await get(place)).isConsentDue).toBe(false);
  });
});

describe('groups', () => {
  it('are assigned with author and time, shown in lists, and change with a reason only', async () => {
    const place = await enrol();
    const set = (body: object) => coordinator.call('setSubjectGroup', { params: place, body });
    await set({ groupId: 'a', stratumId: 's' });
    expect(await codeOf(set({ groupId: 'b', stratumId: 's' }))).toBe('INVALID_INPUT');
    expect(await codeOf(set({ groupId: 'x', reason: 'none' }))).toBe('INVALID_INPUT');
    await set({ groupId: 'b', stratumId: 's', reason: 'Misread' });
    const { steps } = await get(place);
    expect(steps.slice(0, 2).map(({ group }) => group?.displayName)).toEqual(['Control', 'Intervention']);
    const { items } = await coordinator.call('listSubjects', { params: study, query: { summary: true } });
    expect(items.find(({ id }) => id === place.subjectId)?.summary).toMatchObject({
      ...{ status: 'ENROLLED', group: { displayName: 'Control' }, stratum: { displayName: 'Over 60' } },
    });
    const plan = await coordinator.call('getStudyPlan', { params: study });
    const lost = { version: plan.version, ...PLAN, groups: PLAN.groups.slice(0, 1) };
    expect(await codeOf(coordinator.call('setStudyPlan', { params: study, body: lost }))).toBe('CONFLICT');
  });
});

describe('visits', () => {
  it('reach Today seven days before their window where the subject is, and no day earlier', async () => {
    const setVisits = async (visits: PlannedVisit[]) => {
      const { version } = await coordinator.call('getStudyPlan', { params: study });
      await coordinator.call('setStudyPlan', { params: study, body: { version, ...PLAN, visits } });
    };
    await setVisits([...PLAN.visits, visit('Day 9', 9), visit('Day 10', 10)]);
    const place = await enrol();
    const shown = async () =>
      (await itemsOf(place)).flatMap(([, sentence]) => /The visit (Day \d+)/.exec(String(sentence))?.[1] ?? []);
    expect(await shown()).toEqual(['Day 9']);
    api.clock.advance(DAY_MS);
    expect(await shown()).toEqual(['Day 9', 'Day 10']);
    api.clock.advance(-DAY_MS);
    await setVisits(PLAN.visits);
  });

  it('are scheduled, moved, done and missed, and reach Today when somebody has to act', async () => {
    const place = await enrol();
    expect(await itemsOf(place)).toEqual([
      ['VISIT_TO_SCHEDULE', `The visit Baseline needs a date between ${dateIn(-2)} and ${dateIn(2)}.`],
      ['VISIT_TO_SCHEDULE', `The visit Week 1 needs a date between ${dateIn(5)} and ${dateIn(9)}.`],
    ]);
    await setVisit(place, 'Baseline', 'SCHEDULED', { date: dateIn(0), time: '14:00' });
    expect(await itemsOf(place)).toContainEqual(['VISIT_DUE', 'The visit Baseline is today at 14:00.']);
    await setVisit(place, 'Baseline', 'DONE', { date: dateIn(0) });
    await setVisit(place, 'Week 1', 'SCHEDULED', { date: dateIn(7) });
    await setVisit(place, 'Week 1', 'SCHEDULED', { date: dateIn(11), reason: 'On holiday' });
    expect(await visitOf(place, 'Week 1')).toMatchObject({ date: dateIn(11), isOutOfWindow: true });
    expect(await itemsOf(place)).toEqual([]);
    const at = api.clock.now();
    api.clock.advance(12 * DAY_MS);
    expect(await itemsOf(place)).toContainEqual(['VISIT_OVERDUE', `The visit Week 1 is overdue since ${dateIn(-1)}.`]);
    await setVisit(place, 'Week 1', 'MISSED', { reason: 'Did not come' });
    expect((await itemsOf(place)).filter(([reason]) => String(reason).startsWith('VISIT'))).toEqual([]);
    api.clock.advance(at - api.clock.now());
    const { items } = await api.client.call('listStudyAudit', {
      params: study,
      query: { entityType: 'participation', subjectId: place.subjectId },
    });
    expect(items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['participation.move-visit', 'participation.miss-visit', 'participation.complete-visit']),
    );
  });

  it('are reminded of on the phone once, in its language, and not when they are cancelled', async () => {
    const remind = () =>
      api.store.participation.remind((problem) => {
        throw problem;
      });
    const messages = async ({ subjectId }: Place) =>
      (await coordinator.call('listMessages', { params: { ...study, subjectId } })).items.map(({ body }) => body);
    const [going, cancelled, withdrawn, without] = [await enrol(), await enrol(), await enrol(), await enrol()];
    for (const place of [going, cancelled, withdrawn]) {
      const { id } = await api.addDevice('PHONE', `p-${place.subjectId}`, place.subjectId);
      await api.store.devices.recordContact(id, { address: '10.0.0.1', language: 'ja' });
    }
    for (const place of [going, cancelled, withdrawn, without])
      await setVisit(place, 'Week 1', 'SCHEDULED', { date: dateIn(6), time: '09:00' });
    await setVisit(going, 'Week 1', 'SCHEDULED', { date: dateIn(7), time: '09:30' });
    await setVisit(cancelled, 'Week 1', 'CANCELLED');
    await setStatus(withdrawn, 'WITHDRAWN', { reason: 'No time', dataDecision: 'KEEP_ALL' });
    expect(await remind()).toBe(0);
    const at = api.clock.now();
    api.clock.advance(6 * DAY_MS);
    for (const sent of [1, 0]) expect(await remind()).toBe(sent);
    api.clock.advance(DAY_MS);
    expect(await remind()).toBe(0);
    expect((await visitOf(going, 'Week 1'))?.remindedTs).toBe(at + 6 * DAY_MS);
    api.clock.advance(at - api.clock.now());
    expect(await messages(going)).toEqual([expect.stringMatching(/^来院のお知らせ：「Week 1」は.*09:30です/)]);
    for (const place of [cancelled, withdrawn, without]) expect(await messages(place)).toEqual([]);
  });

  it('cost Today what it shows, not how many subjects there are', async () => {
    const rows = await api.store.participation.visitsNeedingAttention([api.studyId], dateIn(-30));
    expect(rows).toEqual([]);
    const plan = await api.store.session.db
      .selectFrom('visit')
      .selectAll()
      .where('studyId', 'in', [api.studyId])
      .where('attentionDate', 'is not', null)
      .where('attentionDate', '<=', dateIn(0))
      .explain(undefined, sql`QUERY PLAN`);
    expect(JSON.stringify(plan)).toContain('visitByAttention');
  });
});

describe('exports', () => {
  it('hold what withdrawn subjects allow, and say in the manifest what was left out', async () => {
    const { signalsDir, exportsDir } = api.deps;
    const [all, until, none] = [await enrol(), await enrol(), await enrol()];
    const startMs = api.clock.now() - DAY_MS;
    const recordings: Record<string, string[]> = {};
    for (const place of [all, until, none]) {
      const made = [];
      for (const days of [0, 3])
        made.push(await addTestRecording(api.store, signalsDir, place, { startUs: (startMs + days * DAY_MS) * 1000 }));
      recordings[place.subjectId] = made.map(({ id }) => id);
    }
    await coordinator.call('setSubjectGroup', { params: all, body: { groupId: 'a' } });
    const withdraw = (place: Place, dataDecision: string) =>
      setStatus(place, 'WITHDRAWN', { reason: 'Personal', dataDecision });
    await withdraw(all, 'KEEP_ALL');
    await withdraw(until, 'KEEP_UNTIL');
    await withdraw(none, 'DO_NOT_USE');
    const source = { store: api.store, signalsDir };
    const write = async (format: 'ARCHIVE' | 'PARQUET' | 'BIDS', name: string, options: object = {}) =>
      (
        await unpackStudyExport(STUDY_EXPORT_WRITERS[format], source, join(exportsDir, name), {
          ...{ studyId: api.studyId, subjectIds: [all, until, none].map(({ subjectId }) => subjectId) },
          ...options,
        })
      ).members;
    const archive = await write('ARCHIVE', 'named');
    const csv = (name: string) => archive.get(name)!.toString();
    expect(JSON.parse(csv('manifest.json')).withdrawals).toEqual(
      [
        { subjectId: until.subjectId, dataDecision: 'KEEP_UNTIL' },
        { subjectId: none.subjectId, dataDecision: 'DO_NOT_USE' },
      ].sort((a, b) => (a.subjectId < b.subjectId ? -1 : 1)),
    );
    expect(csv('subjects.csv')).toContain('Intervention');
    for (const id of recordings[all.subjectId]!) expect(csv('recordings.csv')).toContain(id);
    expect(csv('recordings.csv')).toContain(recordings[until.subjectId]![0]);
    expect(csv('recordings.csv')).not.toContain(recordings[until.subjectId]![1]);
    for (const [name, content] of archive)
      if (name !== 'manifest.json') expect(content.includes(none.subjectId), name).toBe(false);
    expect(csv('participation.csv')).toContain('KEEP_UNTIL');
    expect(csv('visits.csv')).toContain('Week 1');

    const coded = await write('ARCHIVE', 'coded', { deidentify: testDeidentifier });
    const text = ['subjects.csv', 'participation.csv', 'visits.csv'].map((name) => coded.get(name)!.toString()).join();
    for (const word of ['Intervention', 'Personal', 'Week 1', dateIn(0), until.subjectId])
      expect(text).not.toContain(word);
    const words = await write('ARCHIVE', 'words', {
      ...{ deidentify: testDeidentifier, words: { fields: [], definition: true } },
    });
    expect(words.get('subjects.csv')!.toString()).toContain('Intervention');

    const parquet = await write('PARQUET', 'parquet');
    expect([...parquet.keys()].filter((name) => name.startsWith('participation/'))).toHaveLength(2);
    const raw = [...parquet.keys()].filter((name) => name.startsWith('raw/'));
    expect(raw).toHaveLength(3);
    const bids = await write('BIDS', 'bids');
    expect(bids.get('participants.tsv')!.toString()).toMatch(/\tgroup\t/);
    expect(bids.get('participants.tsv')!.toString()).toContain('Intervention');
    expect(JSON.parse(bids.get('outpost.json')!.toString()).withdrawals).toHaveLength(2);

    const since = write('ARCHIVE', 'since', { sinceTs: api.clock.now() - 1 });
    expect(await codeOf(since)).toBe('CONFLICT');
  });
});
