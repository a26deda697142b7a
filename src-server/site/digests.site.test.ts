import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserRecord } from '../db/index.ts';
import { addTestStudy, openTestStore, type TestStore, type TestStudy } from '../testing/test-store.ts';
import { ATTENTION_REASONS } from '../vocabulary/coverage.ts';
import { digestMail } from './digest-mail.ts';
import { type DigestItem, DigestSender } from './digests.ts';

const HOUR_MS = 3_600_000;

let site: TestStore;
let study: TestStudy;
let user: UserRecord;
let items: DigestItem[];
let problems: unknown[];

const open = () =>
  new DigestSender({
    store: site.store,
    clock: () => site.clock.now,
    siteName: 'Clinic',
    viewOf: async () => ({ studies: await site.store.studies.list(study.accountId), items }),
    onProblem: (problem) => problems.push(problem),
  });
const mails = async () => (await site.store.outbox.list(study.accountId)).reverse();
const at = (instant: string) => {
  site.clock.now = Date.parse(instant);
};

beforeEach(async () => {
  site = openTestStore();
  study = await addTestStudy(site.store);
  await site.store.studies.move(study.studyId, 'start', study.byUser);
  user = await site.store.users.require(study.userId);
  items = [];
  problems = [];
  // The user is in US/Eastern, five hours behind UTC in winter.
  await site.store.digests.choose(user.id, 7, study.byUser);
});
afterEach(async () => {
  expect(problems).toEqual([]);
  await site.close();
});

describe('the daily digest', () => {
  it('is queued once a local day, from the chosen hour on', async () => {
    at('2026-03-03T11:59:00Z');
    await open().sendDue();
    expect(await mails()).toEqual([]);
    for (const time of ['12:00', '12:01', '18:00', '23:59']) {
      at(`2026-03-03T${time}:00Z`);
      await open().sendDue();
    }
    expect(await mails()).toHaveLength(1);
    at('2026-03-04T04:59:00Z');
    await open().sendDue();
    expect(await mails()).toHaveLength(1);
    at('2026-03-04T12:00:00Z');
    await open().sendDue();
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      'Clinic: digest for Tuesday, March 3, 2026',
      'Clinic: digest for Wednesday, March 4, 2026',
    ]);
  });

  it('is late where the site was closed, but not sent for days that are over', async () => {
    at('2026-03-03T22:00:00Z');
    await open().sendDue();
    at('2026-03-07T22:00:00Z');
    await open().sendDue();
    expect(await mails()).toHaveLength(2);
  });

  it.each([
    [
      'a clock that jumps ahead by years and back',
      ['2031-05-05T15:00:00Z', '2026-03-03T15:00:00Z', '2026-03-04T15:00:00Z'],
      3,
    ],
    ['a clock that is set back over the hour', ['2026-03-03T09:00:00Z', '2026-03-03T12:05:00Z'], 1],
    ['a clock that is set back by a day', ['2026-03-02T15:00:00Z', '2026-03-03T15:00:00Z'], 1],
    [
      'the hour that a clock change repeats',
      ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-01T12:30:00Z'],
      1,
    ],
  ])('is sent once a day after %s', async (_, instants, more) => {
    for (const instant of ['2026-03-02T15:00:00Z', '2026-03-03T15:00:00Z', ...instants, ...instants]) {
      at(instant);
      await open().sendDue();
      await open().sendDue();
    }
    const subjects = (await mails()).map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(subjects.length).toBeGreaterThanOrEqual(2);
    expect(subjects.length).toBeLessThanOrEqual(2 + more);
  });

  it('is sent once by two that look at the same moment', async () => {
    at('2026-03-03T15:00:00Z');
    await Promise.all([open().sendDue(), open().sendDue()]);
    expect(await mails()).toHaveLength(1);
  });

  it('is sent to those alone who chose it and can sign in', async () => {
    at('2026-03-03T15:00:00Z');
    const other = { accountId: study.accountId, email: 'b@example.org', firstName: 'Bo', lastName: 'Ek' };
    const { id } = await site.store.users.create(
      { ...other, locale: 'en_US', timezone: 'UTC', role: 'ADMIN' },
      study.byUser,
    );
    await open().sendDue();
    expect((await mails()).map(({ recipient }) => recipient)).toEqual([user.email]);
    await site.store.digests.choose(id, 0, study.byUser);
    await site.store.users.disable(id, study.byUser);
    await open().sendDue();
    expect(await mails()).toHaveLength(1);
    await site.store.digests.choose(user.id, null, study.byUser);
    at('2026-03-04T15:00:00Z');
    await open().sendDue();
    expect(await mails()).toHaveLength(1);
    expect(
      (await site.store.audit.list({ accountId: study.accountId, action: 'user.digest' } as never)).length,
    ).toBeGreaterThan(0);
  });

  it('counts, and names no subject', async () => {
    const { studyId, subjectId, diaryId, byUser } = study;
    at('2026-03-03T14:00:00Z');
    const bySubject = { actor: { type: 'SUBJECT' as const, id: subjectId } };
    await site.store.messages.post({ studyId, subjectId, body: 'My name is Quokka' }, bySubject);
    await site.store.messages.post({ studyId, subjectId, body: 'An answer, which did not arrive' }, byUser);
    await site.store.annotations.reportTask(
      { studyId, subjectId, taskId: diaryId, startTs: site.clock.now, stopTs: site.clock.now + 1, answers: [] },
      bySubject,
    );
    items = [
      { reason: 'NO_DATA', studyId },
      { reason: 'FOLLOW_UP_DUE', studyId },
      { reason: 'FOLLOW_UP_DUE', studyId },
      { reason: 'LOW_BATTERY', studyId },
      { reason: 'BACKUP_OVERDUE' },
    ];
    at('2026-03-03T15:00:00Z');
    await open().sendDue();
    const [mail] = await mails();
    expect(mail!.body).toBe(
      [
        ...['Dear Ada Byron,', '', 'The last 24 hours:', '', 'Sleep at home', '- 1 task was completed'],
        ...['- 1 message was received', '- 1 subject without recent data', '- 2 follow-ups are due'],
        ...['- 1 problem with equipment or files', '', 'Site', '- 1 item needs attention', ''],
        ...['Open Today in Outpost for details. You can turn this email off under Your account.', ''],
      ].join('\n'),
    );
    for (const secret of ['S-001', 'Quokka', subjectId]) expect(JSON.stringify(mail)).not.toContain(secret);
    expect(mail!.expirationTs).toBe(site.clock.now + 24 * HOUR_MS);
  });

  it('counts every open item of a study once, visits and consents on lines of their own', async () => {
    const { studyId } = study;
    items = ATTENTION_REASONS.map((reason) => ({ reason, studyId }));
    at('2026-03-03T15:00:00Z');
    await open().sendDue();
    const { body } = (await mails())[0]!;
    const counts = [...body.matchAll(/^- (\d+) /gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ATTENTION_REASONS.length);
    expect(body).toContain('- 3 visits need attention\n- 1 consent is due\n');
  });

  it('counts a folder that cannot be read among the problems', async () => {
    items = [{ reason: 'DOCK_UNREADABLE', studyId: study.studyId }];
    at('2026-03-03T15:00:00Z');
    await open().sendDue();
    expect((await mails())[0]!.body).toContain('Sleep at home\n- 1 problem with equipment or files\n');
  });

  it('leaves out what is older than a day, and is written in Japanese for those who read it', async () => {
    const { studyId, subjectId, byUser, userId } = study;
    at('2026-03-02T14:00:00Z');
    await site.store.messages.post({ studyId, subjectId, body: 'Old' }, byUser);
    await site.store.users.update(userId, { locale: 'ja_JP' }, byUser);
    at('2026-03-03T15:00:00Z');
    await open().sendDue();
    const [mail] = await mails();
    expect(mail!.subject).toBe('Clinic：2026年3月3日火曜日のまとめ');
    expect(mail!.body).toContain('Byron Ada 様');
    expect(mail!.body).toContain('Sleep at home\n- 新しい動きはありません');
  });
});

it('has words for each number in both languages', () => {
  const numbers = {
    recordings: 2,
    reports: 2,
    messages: 2,
    withoutData: 2,
    missedTasks: 2,
    visits: 2,
    consents: 2,
    followUps: 2,
    queries: 2,
    unread: 2,
    faults: 2,
    others: 2,
  };
  const facts = { date: '2026-03-03', studies: [{ name: 'A', ...numbers }], siteItems: 2 };
  for (const locale of ['en_US', 'ja_JP']) {
    const { body } = digestMail({ locale, firstName: 'Ada', lastName: 'Byron' }, 'Clinic', facts);
    expect(body.match(/^- /gm)).toHaveLength(13);
  }
});
