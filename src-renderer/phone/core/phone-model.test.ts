import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src-server/durations.ts';
import { type KeptClock, MOST_EPOCHS } from '../clock/phone-clock.ts';
import type { PhoneSnapshot } from '../model.ts';
import { deleteDatabase, openDatabase } from '../store/database.ts';
import { MemoryStorage, stubPage } from '../testing/fake-page.ts';
import { FakeSite } from '../testing/fake-site.ts';
import { localDate } from './local-date.ts';
import { StoredPhoneModel } from './phone-model.ts';

let storage: MemoryStorage;
let site: FakeSite;
let models: StoredPhoneModel[];
const worker = {
  isTrusted: false,
  isReady: false,
  updateWaits: false,
  applyUpdate: () => undefined,
};

const TZ = 'Asia/Tokyo';
const question = (id: string) => ({ id, text: id, type: 'RANGE', values: ['0', '10'] });

beforeEach(() => {
  storage = new MemoryStorage();
  models = [];
  stubPage(storage);
  site = new FakeSite();
  const date = localDate(Date.now(), TZ);
  site.program = {
    days: [
      { date, dayNumber: 0, tasks: [{ taskId: 'walk', type: 'activity', displayName: 'Walk', completed: false }] },
    ],
  };
  site.tasks = [
    {
      id: 'walk',
      type: 'activity',
      displayName: 'Walk',
      durationSec: 60,
      questions: [question('q1'), question('q2'), question('q3')],
    },
  ];
});
afterEach(async () => {
  for (const model of models) model.close();
  await deleteDatabase();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function open(): Promise<StoredPhoneModel> {
  const model = new StoredPhoneModel({
    calls: site.client,
    worker,
    installOffer: { canInstall: false, install: async () => undefined },
    version: '1',
    onGone: () => undefined,
  });
  models.push(model);
  await model.start();
  return model;
}

/** The page dies: nothing of it is asked. */
async function reopened(model: StoredPhoneModel): Promise<StoredPhoneModel> {
  model.close();
  return await open();
}

async function signedIn(): Promise<StoredPhoneModel> {
  const model = await open();
  await model.actions.signIn({ token: 'ABCDEFGHIJKLMNOPQRST' });
  return model;
}

/** Single values of the database, without the clock, which is of the phone and not of the subject. */
async function storedState(): Promise<Record<string, unknown>> {
  const database = await openDatabase();
  const [keys, values] = await Promise.all([database.getAllKeys('state'), database.getAll('state')]);
  database.close();
  const { clock: _clock, ...state } = Object.fromEntries(keys.map((key, index) => [key, values[index]]));
  return state;
}

const today = ({ today: date }: PhoneSnapshot) => date;
const taskOf = (model: StoredPhoneModel) => model.snapshot().days[0]?.tasks[0];
const until = (what: () => unknown) => vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 3000, interval: 5 });

describe('a subject', () => {
  it('signs in, and has the day before the first screen asks for it', async () => {
    const model = await open();
    expect(model.snapshot().phase).toBe('SIGNED_OUT');
    await model.actions.signIn({ link: 'https://192.168.1.20:8481/phone#1&s=site-1&n=Harbour&t=ABC&e=1' });
    const snapshot = model.snapshot();
    expect(snapshot).toMatchObject({
      phase: 'READY',
      subjectName: 'P-001',
      studyName: 'Heart',
      timeZone: TZ,
      isRunning: true,
    });
    expect(snapshot.clock.state).toBe('MEASURED');
    expect(taskOf(model)).toMatchObject({ taskId: 'walk', state: 'DUE' });
    expect((await reopened(model)).snapshot()).toMatchObject({ phase: 'READY', subjectName: 'P-001' });
  });

  it.each([
    [{ link: 'https://example.org/' }, 'LINK_INVALID'],
    [{ link: 'https://10.0.0.9:8481/phone#1&s=s&n=n&t=ABC&e=1' }, 'WRONG_SITE'],
    [{ token: 'outpost://sign-in/2#t=a' }, 'LINK_INVALID'],
  ])('learns what is wrong with %o', async (input, code) => {
    const model = await open();
    await expect(model.actions.signIn(input)).rejects.toMatchObject({ code });
    expect(site.calls).toBe(0);
  });

  it('may repeat a sign-in whose answer was lost, with the same id of the phone', async () => {
    const ids: string[] = [];
    const { signIn } = site.client;
    site.client.signIn = (body) => {
      ids.push(body.phoneId);
      return signIn(body);
    };
    site.nextFault = (call) => (call === 'signIn' && ids.length === 1 ? 'AFTER' : 'NONE');
    const model = await open();
    await expect(model.actions.signIn({ token: 'ABC' })).rejects.toMatchObject({ code: 'NETWORK' });
    const again = await reopened(model);
    await again.actions.signIn({ token: 'ABC' });
    expect(ids[0]).toBe(ids[1]);
    expect(again.snapshot().phase).toBe('READY');
  });

  it('keeps every answer of a half-finished survey over killed pages, and reports it once', async () => {
    let model = await signedIn();
    site.nextFault = () => 'BEFORE';
    const draftId = await model.actions.open('walk', today(model.snapshot()));
    await model.actions.startTimer(draftId);
    model = await reopened(model);
    expect(taskOf(model)).toMatchObject({ state: 'STARTED', draftId });
    expect(await model.actions.open('walk', today(model.snapshot()))).toBe(draftId);
    await model.actions.stopTimer(draftId);
    await model.actions.answer(draftId, 'q1', { values: ['3'] }, 1);
    model = await reopened(model);
    expect(model.snapshot().drafts[draftId]).toMatchObject({ position: 1, answers: { q1: { values: ['3'] } } });
    await model.actions.answer(draftId, 'q2', { isSkipped: true }, 2);
    await model.actions.complete(draftId);
    expect(taskOf(model)?.state).toBe('WAITING_TO_SEND');
    model = await reopened(model);
    expect(model.snapshot()).toMatchObject({ drafts: {}, waiting: [{ kind: 'REPORT', title: 'Walk', id: draftId }] });
    site.nextFault = () => 'NONE';
    model = await reopened(model);
    await until(() => model.snapshot().waiting.length === 0);
    expect(site.stored).toMatchObject([
      {
        id: draftId,
        answers: [
          { questionId: 'q1', value: '3' },
          { questionId: 'q2', skipped: true },
          { questionId: 'q3', skipped: true },
        ],
      },
    ]);
  });

  it('reports a question that was not asked neither as answered nor as skipped', async () => {
    const showIf = { questionId: 'fell', values: ['YES'] };
    site.tasks = site.tasks.map((task) => ({
      ...task,
      questions: [{ ...question('fell'), type: 'BOOLEAN' }, { ...question('when'), showIf }, question('mood')],
    }));
    const model = await signedIn();
    const draftId = await model.actions.open('walk', today(model.snapshot()));
    await model.actions.answer(draftId, 'fell', { values: ['YES'] }, 1);
    await model.actions.answer(draftId, 'when', { values: ['2026-01-19'] }, 2);
    await model.actions.answer(draftId, 'fell', { values: ['NO'] }, 3);
    await model.actions.complete(draftId);
    await until(() => site.stored.length === 1);
    expect(site.stored[0]?.answers).toEqual([
      { questionId: 'fell', value: 'NO' },
      { questionId: 'mood', skipped: true },
    ]);
  });

  it('completes a task once from two tabs, and sees in one what the other did', async () => {
    const [one, two] = [await signedIn(), await open()];
    const draftId = await one.actions.open('walk', today(one.snapshot()));
    await until(() => two.snapshot().drafts[draftId]);
    await Promise.all([
      one.actions.answer(draftId, 'q1', { values: ['1'] }, 1),
      two.actions.answer(draftId, 'q2', { values: ['2'] }, 2),
    ]);
    await until(() => Object.keys(one.snapshot().drafts[draftId]?.answers ?? {}).length === 2);
    const results = await Promise.allSettled([one.actions.complete(draftId), two.actions.complete(draftId)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await until(() => site.reports.size === 1);
    await until(() => one.snapshot().waiting.length === 0 && two.snapshot().waiting.length === 0);
    expect(site.stored[0]?.answers).toHaveLength(3);
  });

  it('writes with pictures, one in a message', async () => {
    const model = await signedIn();
    site.nextFault = () => 'BEFORE';
    const picture = new Blob([new Uint8Array([1, 2, 3])], { type: 'image/jpeg' });
    await model.actions.sendMessage({ body: ' Hello ', pictures: [picture, picture] });
    await model.actions.reportProblem({ kind: 'SKIN', body: '', pictures: [] });
    const seen = () =>
      model
        .snapshot()
        .messages.map(({ body, pictures, state, isProblem }) => [body, pictures.length, state, isProblem]);
    // Each message starts a round, which fails.
    await vi.waitFor(() =>
      expect(seen()).toEqual([
        ['Hello', 1, 'WAITING', undefined],
        ['', 1, 'WAITING', undefined],
        ['', 0, 'WAITING', true],
      ]),
    );
    await expect(model.actions.sendMessage({ body: ' ', pictures: [] })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    site.nextFault = () => 'NONE';
    const again = await reopened(model);
    await until(() => site.messages.size === 3);
    const sent = [...site.messages.values()].map((text) => JSON.parse(text) as Record<string, unknown>);
    expect(sent[0]).toMatchObject({ body: 'Hello', images: [{ mimeType: 'image/jpeg', base64: 'AQID' }] });
    expect(sent[2]).toMatchObject({ body: '', problem: { kind: 'SKIN' } });
    await until(() => again.snapshot().waiting.length === 0);
  });

  it('keeps what is being written over a killed page, until it is sent or the phone is wiped', async () => {
    let model = await signedIn();
    const picture = new Blob([new Uint8Array([1, 2, 3])], { type: 'image/jpeg' });
    await model.actions.keepWriting('MESSAGE', { body: 'The strap', pictures: [picture] });
    await model.actions.keepWriting('PROBLEM', { body: 'Red skin', pictures: [], kind: 'SKIN', sensorSerial: 'S-1' });
    model = await reopened(model);
    expect(await model.actions.writing('MESSAGE')).toMatchObject({ body: 'The strap', pictures: [{ size: 3 }] });
    expect(await model.actions.writing('PROBLEM')).toMatchObject({
      body: 'Red skin',
      kind: 'SKIN',
      sensorSerial: 'S-1',
    });

    await model.actions.sendMessage({ body: 'The strap itches.', pictures: [picture] });
    expect(await model.actions.writing('MESSAGE')).toBeUndefined();
    expect(await model.actions.writing('PROBLEM')).toBeDefined();
    await model.actions.keepWriting('PROBLEM', undefined);
    expect(await model.actions.writing('PROBLEM')).toBeUndefined();

    await model.actions.keepWriting('MESSAGE', { body: 'And', pictures: [] });
    await model.actions.signOut();
    expect(await model.actions.writing('MESSAGE')).toBeUndefined();
    await expect(model.actions.keepWriting('MESSAGE', { body: 'And', pictures: [] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('shows when a task was completed, before and after it was sent', async () => {
    let nowMs = Date.UTC(2026, 0, 20, 3);
    const beganMs = nowMs;
    vi.spyOn(Date, 'now').mockImplementation(() => nowMs);
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs - beganMs);
    const date = '2026-01-20';
    const walk = { taskId: 'walk', type: 'activity' as const, displayName: 'Walk', completed: false };
    site.program = { days: [{ date, dayNumber: 0, tasks: [walk] }] };
    const model = await signedIn();
    site.nextFault = () => 'BEFORE';
    const draftId = await model.actions.open('walk', date);
    await model.actions.answer(draftId, 'q1', { values: ['1'] }, 1);
    nowMs += 40 * MINUTE_MS;
    await model.actions.complete(draftId);
    expect(taskOf(model)).toMatchObject({ state: 'WAITING_TO_SEND', completedTs: nowMs });
    // The program does not arrive, so the phone's own note counts.
    site.nextFault = (call) => (call === 'program' ? 'BEFORE' : 'NONE');
    await model.actions.syncNow();
    expect(taskOf(model)).toMatchObject({ state: 'DONE', completedTs: nowMs });
  });

  it('has read a message at once, and the site knows later', async () => {
    site.teamMessages = [{ id: 'm1', from: 'TEAM', authorName: 'Ann', body: 'Hi', createdTs: 1, isRead: false }];
    const model = await signedIn();
    expect(model.snapshot().unreadMessages).toBe(1);
    await model.actions.markRead(['m1']);
    expect(model.snapshot().unreadMessages).toBe(0);
    await until(() => site.readIds.has('m1'));
  });
});

describe('a phone that loses the network right after its sign-in', () => {
  it('does not claim the time of a message as certain when its clock was set while the app was closed', async () => {
    let trueMs = Date.UTC(2026, 0, 20, 3);
    let aheadMs = 0;
    const beganMs = trueMs;
    vi.spyOn(Date, 'now').mockImplementation(() => trueMs + aheadMs);
    vi.spyOn(performance, 'now').mockImplementation(() => trueMs - beganMs);
    site.now = () => trueMs;
    site.nextFault = (call) => (call === 'signIn' ? 'NONE' : 'BEFORE');
    let model = await signedIn();
    expect(model.snapshot().clock).toMatchObject({ state: 'MEASURED', offsetMs: 0 });
    trueMs += MINUTE_MS;
    // Closed and opened again without a change, out of reach of the site.
    model = await reopened(model);
    await model.actions.sendMessage({ body: 'The strap itches.', pictures: [] });
    await model.actions.syncNow();
    trueMs += MINUTE_MS;
    model.close();
    aheadMs = 3 * HOUR_MS;
    site.nextFault = () => 'NONE';
    model = await reopened(model);
    await until(() => site.messages.size === 1);
    const [text = ''] = site.messages.values();
    const { clock } = JSON.parse(text) as { clock: { state: string; offsetMs: number; uncertaintyMs: number } };
    expect(clock).toMatchObject({ state: 'CHANGED', offsetMs: 0 });
    expect(clock.uncertaintyMs).toBeGreaterThan(2.9 * HOUR_MS);
  });
});

describe('the timer', () => {
  it('counts the runs and not the pauses, through a jump of the clock and a killed page', async () => {
    let wallMs = Date.UTC(2026, 0, 20, 3);
    let monotonicMs = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => wallMs);
    vi.spyOn(performance, 'now').mockImplementation(() => monotonicMs);
    const pass = (ms: number) => {
      wallMs += ms;
      monotonicMs += ms;
    };
    site.now = () => wallMs;
    let model = await signedIn();
    site.nextFault = () => 'BEFORE';
    const id = await model.actions.open('walk', '2026-01-20');
    const draft = () => model.snapshot().drafts[id]!;
    const running = () => {
      const { clock } = model.snapshot();
      return wallMs + (clock.offsetMs ?? 0) - (draft().runningSinceTs ?? Number.NaN);
    };
    await model.actions.startTimer(id);
    pass(MINUTE_MS);
    await model.actions.pauseTimer(id);
    expect(draft()).toMatchObject({ elapsedMs: MINUTE_MS });
    pass(MINUTE_MS);
    await model.actions.startTimer(id);
    pass(MINUTE_MS);
    wallMs += 3 * HOUR_MS;
    await model.actions.answer(id, 'q1', { values: ['1'] }, 1);
    expect(running()).toBe(MINUTE_MS);
    await model.actions.pauseTimer(id);
    expect(draft().elapsedMs).toBe(2 * MINUTE_MS);
    await model.actions.startTimer(id);
    pass(MINUTE_MS);
    monotonicMs = 5;
    model = await reopened(model);
    expect(running()).toBe(MINUTE_MS);
    // Set back while the page is closed: the run cannot be known, what was counted stays.
    wallMs -= 5 * HOUR_MS;
    model = await reopened(model);
    expect(draft().runningSinceTs).toBeUndefined();
    expect(draft().elapsedMs).toBe(2 * MINUTE_MS);
  });
});

describe('a phone that is away for long', () => {
  it('keeps the clock of everything that waits over seventy reopenings', async () => {
    let trueMs = Date.UTC(2026, 0, 20, 3);
    let aheadMs = 2 * HOUR_MS;
    const beganMs = trueMs;
    vi.spyOn(Date, 'now').mockImplementation(() => trueMs + aheadMs);
    vi.spyOn(performance, 'now').mockImplementation(() => trueMs - beganMs);
    site.now = () => trueMs;
    let model = await signedIn();
    site.nextFault = () => 'BEFORE';
    const reopen = async (times: number) => {
      for (let visit = 0; visit < times; visit++) {
        trueMs += 10 * MINUTE_MS;
        model = await reopened(model);
      }
    };
    // Never known to the site: right only by the link from its epoch to the next.
    aheadMs = 7 * HOUR_MS;
    const firstTs = trueMs;
    const first = await model.actions.open('walk', '2026-01-20');
    await model.actions.complete(first);
    const second = await model.actions.open('walk', '2026-01-21');
    const openedTs = trueMs;
    trueMs += MINUTE_MS;
    aheadMs = 4 * HOUR_MS;
    await model.actions.answer(second, 'q1', { values: ['1'] }, 1);
    const startedTs = trueMs;
    await reopen(70);
    const completedTs = trueMs;
    await model.actions.complete(second);
    await reopen(70);
    expect(model.snapshot().waiting).toHaveLength(2);
    site.nextFault = () => 'NONE';
    await model.actions.syncNow();
    await until(() => site.reports.size === 2);
    const [one, two] = [first, second].map((id) => site.stored.find((report) => report.id === id)!);
    expect(one!.completedTs + one!.clock.offsetMs).toBe(firstTs);
    // By the size of a jump, which the site cannot check.
    expect(one!.clock.state).toBe('CHANGED');
    expect(one!.clock.uncertaintyMs).toBeLessThan(MINUTE_MS);
    expect(two!.clock.state).toBe('MEASURED');
    expect(two!.openedTs + two!.clock.offsetMs).toBe(openedTs);
    expect(two!.startTs + two!.clock.offsetMs).toBe(startedTs);
    expect(two!.completedTs + two!.clock.offsetMs).toBe(completedTs);
    const database = await openDatabase();
    const clock = (await database.get('state', 'clock')) as KeptClock;
    database.close();
    expect(clock.epochs.length).toBeLessThanOrEqual(MOST_EPOCHS);
  });
});

describe('what ends on the phone', () => {
  it.each([
    ['DEVICE_REVOKED', 401, 'REVOKED'],
    ['SUBJECT_ERASED', 403, 'SUBJECT_ERASED'],
  ])('%s wipes it in all tabs, and says what was not sent', async (code, status, reason) => {
    const [model, other] = [await signedIn(), await open()];
    site.nextFault = () => 'BEFORE';
    const id = await model.actions.open('walk', today(model.snapshot()));
    await model.actions.complete(id);
    site.nextFault = () => ({ status, code });
    await model.actions.syncNow();
    await until(() => other.snapshot().phase === 'WIPED');
    for (const one of [model, other]) {
      expect(one.snapshot()).toMatchObject({
        phase: 'WIPED',
        wipedBecause: reason,
        wipedUnsent: 1,
        waiting: [],
        days: [],
      });
      expect(JSON.stringify(one.snapshot())).not.toContain('P-001');
    }
    const database = await openDatabase();
    for (const name of ['days', 'tasks', 'messages', 'outbox', 'drafts', 'sensors'] as const)
      expect(await database.count(name)).toBe(0);
    expect(await database.get('state', 'session')).toBeUndefined();
    database.close();
    const again = await reopened(model);
    expect(again.snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: reason, wipedUnsent: 1 });
    site.nextFault = () => 'NONE';
    await again.actions.signIn({ token: 'NEW' });
    expect((await reopened(again)).snapshot().phase).toBe('READY');
  });

  it('a wipe that was interrupted continues', async () => {
    const model = await signedIn();
    model.close();
    storage.setItem('outpost.phone.wiped', JSON.stringify({ reason: 'REVOKED', unsent: 0 }));
    const again = await open();
    expect(again.snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: 'REVOKED' });
    expect(JSON.stringify(again.snapshot())).not.toContain('P-001');
  });

  it('an evicted database is reported, with the number of items that waited', async () => {
    const model = await signedIn();
    site.nextFault = () => 'BEFORE';
    await model.actions.complete(await model.actions.open('walk', today(model.snapshot())));
    model.close();
    await deleteDatabase();
    expect((await open()).snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: 'STORE_EVICTED', wipedUnsent: 1 });
  });

  it('signing out revokes the credential, and a second subject needs it', async () => {
    const model = await signedIn();
    await expect(model.actions.signIn({ token: 'OTHER' })).rejects.toMatchObject({ code: 'ALREADY_SIGNED_IN' });
    await model.actions.signOut();
    expect(model.snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: 'SIGNED_OUT', signOutWaits: false });
    expect(storage.values.has('outpost.phone.signedIn')).toBe(false);
    expect([...site.revoked]).toEqual(['token-1']);
    expect(await storedState()).toEqual({});
  });

  it('signs out at once without the site, keeps the token alone, and sends the sign-out at the next start', async () => {
    const model = await signedIn();
    await model.actions.complete(await model.actions.open('walk', today(model.snapshot())));
    site.nextFault = () => 'BEFORE';
    await model.actions.signOut();
    expect(model.snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: 'SIGNED_OUT', signOutWaits: true });
    expect(await storedState()).toEqual({ signOuts: ['token-1'] });
    const again = await reopened(model);
    expect(again.snapshot()).toMatchObject({ phase: 'WIPED', signOutWaits: true });
    site.nextFault = () => 'NONE';
    const later = await reopened(again);
    await until(() => !later.snapshot().signOutWaits);
    expect([...site.revoked]).toEqual(['token-1']);
    expect(Object.keys(await storedState())).not.toContain('signOuts');
  });

  it('sends a sign-out with the first contact of the next subject, whose own credential stays', async () => {
    const model = await signedIn();
    site.nextFault = () => 'BEFORE';
    await model.actions.signOut();
    site.nextFault = () => 'NONE';
    await model.actions.signIn({ token: 'OTHER' });
    expect(model.snapshot()).toMatchObject({ phase: 'READY', signOutWaits: false });
    expect([...site.revoked]).toEqual(['token-1']);
    expect((await storedState()).session).toMatchObject({ token: 'token-2' });
  });

  it('keeps the token of a sign-out that was killed before it removed anything', async () => {
    const model = await signedIn();
    model.close();
    storage.setItem('outpost.phone.wiped', JSON.stringify({ reason: 'SIGNED_OUT', unsent: 0 }));
    site.nextFault = () => 'BEFORE';
    expect((await open()).snapshot()).toMatchObject({ phase: 'WIPED', signOutWaits: true });
    expect(await storedState()).toEqual({ signOuts: ['token-1'] });
  });

  it.each([
    ['DEVICE_REVOKED', 401, false],
    ['SUBJECT_ERASED', 403, false],
    ['UNAUTHORIZED', 401, false],
    ['DEVICE_WRONG_SITE', 401, true],
    ['THROTTLED', 429, true],
    ['INTERNAL', 500, true],
  ])('a sign-out that is answered with %s %i leaves the token to be sent again: %s', async (code, status, stays) => {
    const model = await signedIn();
    site.nextFault = () => ({ status, code });
    await model.actions.signOut();
    expect(model.snapshot()).toMatchObject({ phase: 'WIPED', wipedBecause: 'SIGNED_OUT', signOutWaits: stays });
    expect(Object.hasOwn(await storedState(), 'signOuts')).toBe(stays);
  });
});

describe('the lock', () => {
  it('hides everything until the code is given, and slows down who guesses', async () => {
    let model = await signedIn();
    await model.actions.setLock('1234');
    expect(model.snapshot()).toMatchObject({ phase: 'READY', hasLock: true });
    model = await reopened(model);
    expect(model.snapshot()).toMatchObject({ phase: 'LOCKED', days: [], messages: [], hasLock: true });
    expect(JSON.stringify(model.snapshot())).not.toContain('P-001');
    for (let wrong = 0; wrong < 3; wrong++) expect(await model.actions.unlock('9999')).toBe(false);
    await expect(model.actions.unlock('1234')).rejects.toMatchObject({ code: 'LOCK_WAIT' });
    model = await reopened(model);
    await expect(model.actions.unlock('1234')).rejects.toMatchObject({ code: 'LOCK_WAIT' });
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 6000);
    expect(await model.actions.unlock('1234')).toBe(true);
    expect(model.snapshot().phase).toBe('READY');
    model.actions.lock();
    expect(model.snapshot().phase).toBe('LOCKED');
    await model.actions.unlock('1234');
    await model.actions.setLock(null);
    expect((await reopened(model)).snapshot().phase).toBe('READY');
  });
});

it('reports a full store, keeps what was there, and continues when there is room', async () => {
  const model = await signedIn();
  const id = await model.actions.open('walk', today(model.snapshot()));
  await model.actions.answer(id, 'q1', { values: ['1'] }, 1);
  const put = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  await expect(model.actions.answer(id, 'q2', { values: ['2'] }, 2)).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  await until(() => model.snapshot().storage.state === 'FULL');
  put.mockRestore();
  expect(Object.keys((await reopened(model)).snapshot().drafts[id]?.answers ?? {})).toEqual(['q1']);
  const again = models.at(-1)!;
  await again.actions.answer(id, 'q2', { values: ['2'] }, 2);
  await until(() => again.snapshot().storage.state === 'FINE');
});

it('says that nothing can be stored here', async () => {
  vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('denied', 'SecurityError');
  });
  const model = await open();
  expect(model.snapshot()).toMatchObject({ phase: 'SIGNED_OUT', storage: { state: 'UNAVAILABLE' } });
  await expect(model.actions.signIn({ token: 'A' })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' });
});

it('knows local dates without a table of zones', () => {
  const ms = Date.UTC(2026, 2, 28, 15, 30);
  expect([localDate(ms, 'Asia/Tokyo'), localDate(ms, 'UTC'), localDate(ms, 'US/Pacific')]).toEqual([
    '2026-03-29',
    '2026-03-28',
    '2026-03-28',
  ]);
});
