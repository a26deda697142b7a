import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diagnostic } from '../diagnostics.ts';
import { localDateIn } from '../study/day-windows.ts';
import { monthAndBit } from '../study/program.ts';
import {
  addTestStudy,
  openTestStore,
  TEST_NOW,
  type TestStore,
  type TestStudy,
  testRecording,
} from '../testing/test-store.ts';
import { hashPassword, newId, SYSTEM, verifyPassword } from './index.ts';

let site: TestStore;
let study: TestStudy;
beforeAll(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
});
afterAll(async () => {
  await site.close();
});

describe('users and tokens', () => {
  it('keeps e-mails unique regardless of letter case in any script', async () => {
    const person = {
      accountId: study.accountId,
      firstName: 'É',
      lastName: 'B',
      locale: 'en_US',
      timezone: 'UTC',
      role: 'MONITOR' as const,
    };
    const user = await site.store.users.create({ ...person, email: 'Élodie@Example.org' }, study.byUser);
    await expect(
      site.store.users.create({ ...person, email: 'élodie@example.ORG' }, study.byUser),
    ).rejects.toMatchObject({
      code: 'DUPLICATE_EMAIL',
    });
    await site.store.users.disable(user.id, study.byUser);
    await expect(
      site.store.users.create({ ...person, email: 'ÉLODIE@example.org' }, study.byUser),
    ).rejects.toMatchObject({
      code: 'DUPLICATE_EMAIL',
    });
    expect((await site.store.users.findForLogin('élodie@example.org'))?.user).toMatchObject({
      id: user.id,
      isDisabled: true,
    });
  });

  it('issues 16-character tokens that end by expiry, log-out or disabling the user', async () => {
    const { store, clock } = site;
    const user = await store.users.create(
      {
        accountId: study.accountId,
        email: 't@example.org',
        firstName: 'T',
        lastName: 'T',
        locale: 'ja_JP',
        timezone: 'Asia/Tokyo',
        role: 'ANALYST',
      },
      SYSTEM,
    );
    const first = await store.tokens.create(user.id);
    const second = await store.tokens.create(user.id);
    expect(first.accessToken).toMatch(/^[A-Za-z0-9+/]{16}$/);
    expect(first.expirationTs - clock.now).toBe(14 * 86_400_000);
    expect((await store.tokens.authenticate(user.id, first.accessToken))?.user.id).toBe(user.id);
    expect(await store.tokens.authenticate(study.userId, first.accessToken)).toBeUndefined();
    await store.tokens.revoke(user.id, first.accessToken);
    expect(await store.tokens.authenticate(user.id, first.accessToken)).toBeUndefined();
    expect(await store.tokens.authenticate(user.id, second.accessToken)).toBeDefined();
    // Shortened, and not made longer again.
    await store.tokens.shorten(user.id, second.accessToken, clock.now + 7 * 86_400_000);
    await store.tokens.shorten(user.id, second.accessToken, clock.now + 9 * 86_400_000);
    clock.now += 7 * 86_400_000 - 1;
    expect(await store.tokens.authenticate(user.id, second.accessToken)).toBeDefined();
    clock.now += 1;
    expect(await store.tokens.authenticate(user.id, second.accessToken)).toBeUndefined();
    clock.now = TEST_NOW;
    const third = await store.tokens.create(user.id);
    await store.users.disable(user.id, study.byUser);
    expect(await store.tokens.authenticate(user.id, third.accessToken)).toBeUndefined();
  });

  it('sets a password by a one-time code', async () => {
    const { store } = site;
    const { code } = await store.tokens.createPasswordCode(study.userId, study.byUser);
    await store.tokens.redeemPasswordCode(code.toLowerCase(), await hashPassword('correct horse'));
    const stored = (await store.users.findForLogin((await store.users.require(study.userId)).email))?.passwordHash;
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword('correct horse', stored)).toBe(true);
    expect(await verifyPassword('wrong horse', stored)).toBe(false);
    expect(await verifyPassword('anything', null)).toBe(false);
    await expect(store.tokens.redeemPasswordCode(code, 'x')).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
  });
});

describe('a study', () => {
  it('grows while it runs and is read-only when complete', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    await store.studies.move(own.studyId, 'start', own.byUser);
    expect((await store.subjects.require(own.subjectId)).programStartTs).toBe(TEST_NOW);
    const detail = await store.studies.getDetail(own.studyId);
    await expect(store.studies.putDefinition(own.studyId, { activities: [] }, own.byUser)).rejects.toMatchObject({
      code: 'STUDY_STATE',
    });
    expect(await store.studies.getDetail(own.studyId)).toEqual(detail);
    site.clock.now += 1000;
    const grown = await store.studies.putDefinition(
      own.studyId,
      {
        program: {
          days: 3,
          tasks: [...(detail?.program?.tasks ?? []), { taskId: own.diaryId, type: 'diary', days: 'daily' }],
        },
      },
      own.byUser,
    );
    expect(await store.studies.programHistory(grown)).toEqual([
      { fromTs: TEST_NOW, program: detail?.program },
      { fromTs: TEST_NOW + 1000, program: grown.program },
    ]);
    expect(grown.activities[0]!.questions).toEqual(detail?.activities[0]?.questions);
    expect((await store.studies.definitionVersions(own.studyId)).map((entry) => entry.version)).toEqual([2, 1]);
    await store.studies.move(own.studyId, 'stop', own.byUser);
    await expect(
      store.subjects.create(own.studyId, { displayName: 'late', timezone: 'UTC' }, own.byUser),
    ).rejects.toMatchObject({
      code: 'STUDY_STATE',
    });
    await expect(store.studies.move(own.studyId, 'reopen', own.byUser)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await store.studies.move(own.studyId, 'reopen', { ...own.byUser, reason: 'one more visit' });
    const events = await store.events.list(own.studyId, 0, TEST_NOW * 2);
    expect(events.map((event) => event.action)).toEqual([
      'SUBJECT_CREATED',
      'STUDY_STARTED',
      'STUDY_STOPPED',
      'STUDY_STARTED',
    ]);
    expect(events[0]!.author).toEqual({
      id: own.userId,
      displayName: 'Ada Byron',
      parentId: own.accountId,
      principalType: 'USER',
    });
    expect(events[1]).toMatchObject({ referenceId: own.studyId, subjectId: undefined });
  });

  it('rejects ids of records of another study', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    const config = { mode: 'x', physicalConfig: { location: 'SACRUM', side: 'NONE' }, sensorConfig: {} };
    await expect(
      store.studies.putDefinition(
        own.studyId,
        { deviceConfigs: [{ ...config, id: study.deviceConfigId }] },
        own.byUser,
      ),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await store.studies.deviceConfigs(own.studyId))[0]!.id).toBe(own.deviceConfigId);
    expect((await store.studies.deviceConfigs(study.studyId))[0]!.physicalConfig.location).toBe('MEDIAL_CHEST');
  });

  it('finds or adds the device config of a recording', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    const chest = {
      physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
      sensorConfig: { sensingType: 'MPU_ANALOG' },
    };
    expect((await store.studies.matchDeviceConfig(own.studyId, chest, SYSTEM)).id).toBe(own.deviceConfigId);
    const thigh = {
      physicalConfig: { location: 'ANTERIOR_THIGH', side: 'LEFT' },
      sensorConfig: { sensingType: 'MPU' },
    };
    const added = await store.studies.matchDeviceConfig(own.studyId, thigh, SYSTEM);
    expect(added.id).not.toBe(own.deviceConfigId);
    expect((await store.studies.matchDeviceConfig(own.studyId, thigh, SYSTEM)).id).toBe(added.id);
  });

  it('lists only the studies of a member', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    const monitor = await store.users.create(
      {
        accountId: own.accountId,
        email: `${newId()}@x.org`,
        firstName: 'M',
        lastName: 'M',
        locale: 'en_US',
        timezone: 'UTC',
        role: 'MONITOR',
      },
      SYSTEM,
    );
    expect(await store.studies.list(own.accountId, { memberId: monitor.id })).toEqual([]);
    await store.studies.setMember(own.studyId, monitor.id, 'MONITOR', own.byUser);
    expect((await store.studies.list(own.accountId, { memberId: monitor.id })).map((entry) => entry.id)).toEqual([
      own.studyId,
    ]);
    expect(await store.studies.membershipRole(own.studyId, monitor.id)).toBe('MONITOR');
    await store.studies.setMember(own.studyId, monitor.id, null, own.byUser);
    expect(await store.studies.membershipRole(own.studyId, monitor.id)).toBeNull();
  });
});

describe('subjects', () => {
  it('rejects a taken name and invalid fields, and changes nothing', async () => {
    const { store } = site;
    const before = await store.subjects.list(study.studyId);
    const events = await store.events.list(study.studyId, 0, TEST_NOW * 2);
    await expect(
      store.subjects.create(study.studyId, { displayName: ' S-001 ', timezone: 'UTC' }, study.byUser),
    ).rejects.toMatchObject({
      code: 'DUPLICATE_NAME',
    });
    await expect(
      store.subjects.create(
        study.studyId,
        { displayName: 'x', timezone: 'UTC', age: 17, metadataFields: [{ displayName: 'Arm', value: 'C' }] },
        study.byUser,
      ),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', errors: [{ path: 'age' }, { path: 'metadataFields.0.value' }] });
    expect(await store.subjects.list(study.studyId)).toEqual(before);
    expect(await store.events.list(study.studyId, 0, TEST_NOW * 2)).toEqual(events);
  });

  it('keeps the history of zones and removes one as a correction', async () => {
    const { store, clock } = site;
    const subject = await store.subjects.create(
      study.studyId,
      { displayName: 'Traveller', timezone: 'US/Eastern' },
      study.byUser,
    );
    clock.now = TEST_NOW + 86_400_000;
    await store.subjects.update(subject.id, { timezone: 'Asia/Tokyo', weight: 70.5 }, study.byUser);
    clock.now = TEST_NOW;
    expect(await store.subjects.zones(subject.id)).toEqual([
      { fromTs: 0, timezone: 'US/Eastern' },
      { fromTs: TEST_NOW + 86_400_000, timezone: 'Asia/Tokyo' },
    ]);
    const corrected = await store.subjects.update(
      subject.id,
      { timezone: 'US/Pacific', timezoneFromTs: 0, weight: null },
      study.byUser,
    );
    expect(corrected).toMatchObject({ timezone: 'US/Pacific', weight: undefined });
    expect(await store.subjects.zones(subject.id)).toEqual([{ fromTs: 0, timezone: 'US/Pacific' }]);
  });

  it('searches names in any script and case, with % and _ as literals', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    for (const displayName of ['Zoë Ångström', '山田 太郎', '100%_sure']) {
      await store.subjects.create(own.studyId, { displayName, timezone: 'UTC' }, own.byUser);
    }
    const names = async (text: string) =>
      (await store.subjects.search([own.studyId], text)).map((subject) => subject.displayName);
    expect(await names('ÅNGS')).toEqual(['Zoë Ångström']);
    expect(await names('太郎')).toEqual(['山田 太郎']);
    expect(await names('0%_s')).toEqual(['100%_sure']);
    expect(await names('%')).toEqual(['100%_sure']);
  });

  it('finds a subject by its sign-in token, and only by the newest unused one', async () => {
    const { store } = site;
    const old = await store.subjects.createToken(study.subjectId, study.byUser);
    const token = await store.subjects.createToken(study.subjectId, study.byUser);
    expect((await store.subjects.findByToken(token.toLowerCase()))?.id).toBe(study.subjectId);
    expect(await store.subjects.findByToken(old)).toBeUndefined();
  });
});

describe('equipment', () => {
  it('can be taken back after the clock was set back', async () => {
    const { store, clock } = site;
    const own = await addTestStudy(store);
    await store.equipment.register({ accountId: own.accountId, id: '00777', type: 'LINK_HUB' }, own.byUser);
    await store.equipment.assign('00777', { studyId: own.studyId, subjectId: own.subjectId }, own.byUser);
    clock.now -= 3_600_000;
    await store.equipment.unassign('00777', { subjectId: own.subjectId }, own.byUser);
    clock.now = TEST_NOW;
    expect((await store.equipment.require('00777')).holder).toBeUndefined();
    const history = (await store.equipment.history('00777')).map(({ state, createdTs }) => [state, createdTs]);
    expect(history).toEqual(expect.arrayContaining([['UNASSIGNED', TEST_NOW]]));
  });

  it('is held by one subject at a time and keeps its history across studies', async () => {
    const { store, clock } = site;
    const other = await addTestStudy(store);
    await store.equipment.register(
      { accountId: study.accountId, id: '00123', type: 'SENSOR', udid: '12:E4:00:00:00:01' },
      study.byUser,
    );
    await store.equipment.assign('00123', { studyId: study.studyId, subjectId: study.subjectId }, study.byUser);
    await expect(
      store.equipment.assign('00123', { studyId: other.studyId, subjectId: other.subjectId }, study.byUser),
    ).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await store.equipment.heldBy(study.subjectId)).map((item) => item.id)).toEqual(['00123']);
    clock.now += 1000;
    await store.equipment.unassign('00123', { subjectId: study.subjectId }, study.byUser);
    clock.now += 1000;
    await store.equipment.assign('00123', { studyId: other.studyId, subjectId: other.subjectId }, study.byUser);
    clock.now = TEST_NOW;
    expect(
      (await store.equipment.history('00123')).map((item) => [item.state, item.createdTs - TEST_NOW, item.study.id]),
    ).toEqual([
      ['ASSIGNED', 0, study.studyId],
      ['UNASSIGNED', 1000, study.studyId],
      ['ASSIGNED', 2000, other.studyId],
    ]);
    expect(await store.equipment.everHeldBy(study.subjectId)).toMatchObject([{ id: '00123', state: 'ASSIGNED' }]);
    expect(await store.equipment.heldBy(study.subjectId)).toEqual([]);
    expect((await store.equipment.countSensorsOfStudy(study.studyId)).get(study.subjectId)).toBe(1);
    await expect(store.equipment.history('nope')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await store.equipment.recordContact('00123', { contactTs: TEST_NOW + 5, batteryPercent: 81 });
    expect(await store.equipment.require('00123')).toMatchObject({ lastContactTs: TEST_NOW + 5, batteryPercent: 81 });
  });
});

describe('recordings', () => {
  it('returns the stored recording when the same content arrives again', async () => {
    const { store } = site;
    const input = testRecording(study);
    const first = await store.recordings.add(input, study.byUser);
    const again = await store.recordings.add({ ...input, id: newId() }, study.byUser);
    expect(first.isNew).toBe(true);
    expect(again).toEqual({ recording: first.recording, isNew: false });
    const uploads = (await store.events.list(study.studyId, 0, TEST_NOW * 2)).filter(
      (event) => event.action === 'RECORDING_UPLOADED',
    );
    expect(uploads).toMatchObject([{ referenceId: input.id, actualTs: TEST_NOW + 3_600_000 }]);
  });

  it('lists by start and by overlap, and sums statistics', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    const second = 1_000_000;
    const base = TEST_NOW * 1000;
    await store.recordings.add(
      testRecording(own, { startUs: base + 20 * second, stopUs: base + 30 * second }),
      own.byUser,
    );
    await store.recordings.add(testRecording(own, { startUs: base, stopUs: base + 10 * second }), own.byUser);
    const starts = async (span?: { fromUs?: number; toUs?: number }) =>
      (await store.recordings.listForSubject(own.subjectId, span)).map((entry) => (entry.startUs - base) / second);
    expect(await starts()).toEqual([0, 20]);
    expect(await starts({ fromUs: base + 10 * second, toUs: base + 19 * second })).toEqual([0]);
    expect(await starts({ fromUs: base + 11 * second, toUs: base + 20 * second })).toEqual([20]);
    expect((await store.recordingSummaries.ofSubjects([own.subjectId])).get(own.subjectId)).toMatchObject({
      countRecordings: 2,
      coveredUs: 20 * second,
      firstStartUs: base,
      lastStopUs: base + 30 * second,
      lastUploadTs: TEST_NOW,
    });
    expect(await store.recordings.extent(own.subjectId)).toEqual({ startUs: base, stopUs: base + 30 * second });
  });
});

describe('annotations', () => {
  it('stores a task with its answers once, with the event of the subject', async () => {
    const { store } = site;
    const own = await addTestStudy(store);
    const detail = await store.studies.getDetail(own.studyId);
    const report = {
      id: newId(),
      studyId: own.studyId,
      subjectId: own.subjectId,
      taskId: own.activityId,
      startTs: TEST_NOW - 500_000,
      stopTs: TEST_NOW - 100_000,
      answers: [{ questionId: detail?.activities[0]?.questions[0]?.id ?? '', value: '7' }],
    };
    const bySubject = { actor: { type: 'SUBJECT' as const, id: own.subjectId } };
    const first = await store.annotations.reportTask(report, bySubject);
    expect(await store.annotations.reportTask(report, bySubject)).toEqual(first);
    const list = await store.annotations.list(own.subjectId);
    expect(list.map((entry) => [entry.type, entry.value, entry.event?.relationshipId])).toEqual([
      ['activity', undefined, undefined],
      ['question', '7', own.activityId],
    ]);
    expect(await store.annotations.answers(first.id)).toEqual([list[1]]);
    const events = (await store.events.list(own.studyId, 0, TEST_NOW * 2)).filter(
      (event) => event.action === 'ACTIVITY_COMPLETED',
    );
    expect(events).toMatchObject([
      {
        referenceId: first.id,
        actualTs: TEST_NOW - 100_000,
        reportedTs: TEST_NOW,
        author: { id: own.subjectId, principalType: 'SUBJECT' },
      },
    ]);
    const span = { fromTs: report.startTs, toTs: report.startTs };
    expect(await store.annotations.completions(own.subjectId, span)).toEqual([
      { taskId: own.activityId, startTs: report.startTs, completedTs: report.stopTs },
    ]);
    const { month, bit } = monthAndBit(localDateIn(report.startTs, 'UTC'));
    expect(await store.taskDays.months([own.studyId])).toEqual([
      { subjectId: own.subjectId, taskId: own.activityId, month, days: bit },
    ]);
  });

  it('lets labels be changed and deleted, and keeps their text in the audit', async () => {
    const { store } = site;
    const [label] = await store.annotations.addLabels(
      [
        {
          studyId: study.studyId,
          subjectId: study.subjectId,
          type: 'recording',
          displayName: 'AF',
          startTs: 5,
          stopTs: 9,
        },
      ],
      study.byUser,
    );
    await expect(store.annotations.updateLabel(label!.id, { stopTs: 1 }, study.byUser)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await store.annotations.updateLabel(label!.id, { displayName: 'AFib' }, { ...study.byUser, reason: 'read again' });
    await store.annotations.deleteLabel(label!.id, study.byUser);
    const history = await store.audit.list({ entityType: 'annotation', entityId: label!.id });
    expect(history.map((row) => [row.action, row.reason])).toEqual([
      ['annotation.delete', undefined],
      ['annotation.update', 'read again'],
      ['annotation.label', undefined],
    ]);
    expect(history[0]!.changes.displayName).toEqual({ old: 'AFib' });
  });
});

describe('messages', () => {
  it('lists unread messages of subjects', async () => {
    const { store } = site;
    const place = { studyId: study.studyId, subjectId: study.subjectId };
    await store.messages.post({ ...place, body: 'Please charge the sensor.' }, study.byUser);
    const question = await store.messages.post(
      { ...place, body: 'How?' },
      { actor: { type: 'SUBJECT', id: study.subjectId } },
    );
    expect((await store.messages.unread([study.studyId])).map((message) => message.body)).toEqual(['How?']);
    await store.messages.markRead(question.id, study.byUser);
    expect(await store.messages.unread([study.studyId])).toEqual([]);
    expect(
      (await store.messages.list(study.subjectId)).map((message) => [message.author.displayName, message.isRead]),
    ).toEqual([
      ['Ada Byron', false],
      ['S-001', true],
    ]);
    await expect(store.messages.post({ ...place, body: '  ' }, study.byUser)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('jobs', () => {
  it('hands out each job once, oldest due first, and keeps its state across a restart', async () => {
    const { store } = site;
    const payload = { studyId: study.studyId, subjectId: study.subjectId, fromMs: 0, toMs: 1, recordingIds: [] };
    const first = await store.jobs.add({ kind: 'analyse', payload }, study.byUser);
    const later = await store.jobs.add({ kind: 'analyse', payload, runAfterTs: TEST_NOW + 1000 }, study.byUser);
    expect((await store.jobs.takeNext('analyse', TEST_NOW))?.id).toBe(first.id);
    expect(await store.jobs.takeNext('analyse', TEST_NOW)).toBeUndefined();
    expect(await store.jobs.nextDue(TEST_NOW)).toBe(TEST_NOW + 1000);
    expect(await store.jobs.nextDue(TEST_NOW + 1000)).toBeUndefined();
    await store.jobs.setCheckpoint(first.id, { step: 3 });
    await store.jobs.requeueRunning(TEST_NOW, 2);
    expect(await store.jobs.takeNext('analyse', TEST_NOW)).toMatchObject({
      id: first.id,
      attempts: 2,
      checkpoint: { step: 3 },
      payload,
    });
    const suspect = await store.jobs.add(
      { kind: 'export', payload: { ...payload, recordingId: '', format: 'edf' } },
      study.byUser,
    );
    for (let ends = 0; ends < 2; ends++) {
      await store.jobs.takeNext('export', TEST_NOW);
      await store.jobs.requeueRunning(TEST_NOW, 2);
      await store.jobs.requeue(first.id, { runAfterTs: TEST_NOW, attempts: 1 });
      await store.jobs.takeNext('analyse', TEST_NOW);
    }
    expect(await store.jobs.get(suspect.id)).toMatchObject({ state: 'parked', error: { code: 'INTERNAL' } });
    expect(await store.jobs.finishUnlessRunning(first.id, 'cancelled', TEST_NOW)).toBeUndefined();
    await store.jobs.finish(first.id, { state: 'done', result: { days: 1 } }, TEST_NOW);
    expect(await store.jobs.finishUnlessRunning(later.id, 'cancelled', TEST_NOW)).toMatchObject({ state: 'cancelled' });
    expect(await store.jobs.countWaiting()).toBe(0);
    expect(
      (await store.jobs.list({ studyIds: [study.studyId], states: ['done'], limit: 10 })).map((row) => row.result),
    ).toEqual([{ days: 1 }]);
  });
});

describe('settings and outbox', () => {
  it('keeps secrets out of the audit', async () => {
    const { store } = site;
    await store.settings.set('lan.deskOpen', true, study.byUser);
    await store.settings.set('mail.password', 'secret-key', SYSTEM);
    expect(await store.settings.get('lan.deskOpen')).toBe(true);
    expect(await store.settings.get('mail.password')).toBe('secret-key');
    const audit = await store.audit.list({ entityType: 'setting' });
    expect(audit.map(({ entityId, changes }) => [entityId, changes.value])).toEqual([
      ['mail.password', { new: 'changed' }],
      ['lan.deskOpen', { old: false, new: true }],
    ]);
    const wrong = { isEnabled: true, timeOfDay: '25:00', keepDaily: 1, keepWeekly: 0, folder: null };
    await expect(store.settings.set('backup.schedule', wrong, SYSTEM)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('keeps mail until it is sent', async () => {
    const { store } = site;
    const id = await store.outbox.add({ accountId: study.accountId, recipient: 'a@b.c', subject: 's', body: 'b' });
    await store.outbox.markFailed(id, diagnostic('MAIL_REFUSED', { reply: '550' }), TEST_NOW);
    expect(await store.outbox.due(3_600_000)).toMatchObject([
      { id, attempts: 1, diagnostic: { code: 'MAIL_REFUSED', facts: { reply: '550' } } },
    ]);
    await store.outbox.markSent(id);
    expect(await store.outbox.due(3_600_000)).toEqual([]);
    expect(await store.outbox.list(study.accountId)).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });
});

describe('changes', () => {
  it('reach subscribers only after the commit and raise the revision', async () => {
    const { store } = site;
    const heard: string[] = [];
    const end = store.subscribe((change) => heard.push(`${change.action} ${change.studyId === study.studyId}`));
    const before = store.revision;
    await expect(
      store.transaction(async (repositories) => {
        await repositories.studies.update(study.studyId, { title: 'never' }, study.byUser);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(heard).toEqual([]);
    expect((await store.studies.require(study.studyId)).title).toBe('A study');
    await store.transaction(async (repositories) => {
      await repositories.studies.update(study.studyId, { title: 'now' }, study.byUser);
      await repositories.subjects.update(study.subjectId, { age: 35 }, study.byUser);
      expect(heard).toEqual([]);
    });
    end();
    expect(heard).toEqual(['study.update true', 'subject.update true']);
    expect(store.revision).toBe(before + 1);
  });
});
