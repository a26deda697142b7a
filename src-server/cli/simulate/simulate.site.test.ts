/** `outpost simulate hub|phone` as processes, against a site that listens on the network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInLink } from '../../api/contract/subject-token.ts';
import { startTestLanSite, type TestLanSite } from '../../testing/test-lan-site.ts';
import { OUTPOST_COMMAND } from '../../testing/test-site.ts';

let test: TestLanSite;
let folder: string;
let place: { studyId: string; subjectId: string };

/** Returns a zone in which it is about noon now, so that no task falls on the previous day. */
function zoneOfNoon(): string {
  const behind = new Date().getUTCHours() - 12;
  return behind >= 0 ? `Etc/GMT+${behind}` : `Etc/GMT${behind}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'outpost-simulate-'));
  test = await startTestLanSite({}, [zoneOfNoon(), zoneOfNoon()]);
  const { store } = test.site.folder;
  const { studyId, subjectIds, userId, accountId } = test.place;
  const change = { actor: { type: 'USER', id: userId } } as const;
  place = { studyId, subjectId: subjectIds[0] ?? '' };
  const questions = [
    { text: 'How hard was it?', type: 'RANGE', values: ['0', '10'] },
    { text: 'Where?', type: 'MULTIPLECHOICE', values: ['At home', 'Outdoors'] },
    { text: 'Coffee?', type: 'BOOLEAN', values: [] },
    { text: 'Cups', type: 'NUMERIC', values: [] },
    { text: 'Up at', type: 'TIMEOFDAY', values: [] },
    { text: 'Anything else?', type: 'FREETEXT', values: [] },
  ];
  const tasks = { mode: 'UNSUPERVISED', pipelineIds: [] };
  const study = await store.studies.putDefinition(
    studyId,
    {
      activities: [{ ...tasks, displayName: 'Walk', durationSec: 60, instructions: 'Walk.', questions }],
      diaries: [{ ...tasks, displayName: 'Evening', questions }],
    },
    change,
  );
  const due = [
    { taskId: study.activities[0]?.id ?? '', type: 'activity' as const, days: 'daily' as const },
    { taskId: study.diaries[0]?.id ?? '', type: 'diary' as const, days: 'daily' as const },
  ];
  await store.studies.putDefinition(studyId, { program: { days: 300, tasks: due } }, change);
  await store.studies.move(studyId, 'start', change);
  for (const [id, udid] of [
    ['SIM-CHEST', 'AA:BB:CC:00:00:01'],
    ['SIM-THIGH', 'AA:BB:CC:00:00:02'],
  ] as const) {
    await store.equipment.register({ accountId, id, type: 'SENSOR', udid }, change);
    await store.equipment.assign(id, { ...place, atTs: Date.now() - 86_400_000 }, change);
  }
});
afterAll(async () => {
  await test.close();
  rmSync(folder, { recursive: true });
});

interface Run {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

function simulate(name: 'hub' | 'phone', state: string, ...parameters: string[]): Run {
  const child = spawn(
    process.execPath,
    [OUTPOST_COMMAND, 'simulate', name, '--state', join(folder, state), '--once', '--json', ...parameters],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const run: Run = {
    child,
    stdout: '',
    stderr: '',
    ended: once(child, 'close').then(([code, signal]) => ({ code, signal })),
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    run.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    run.stderr += text;
  });
  return run;
}

/** Waits until stderr matches; fails if the process ends first. */
async function waitForMessage(run: Run, words: RegExp): Promise<RegExpExecArray> {
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  for (;;) {
    const match = words.exec(run.stderr);
    if (match) return match;
    if (isOver) throw new Error(`The process ended without printing ${words}: ${run.stderr}`);
    await once(run.child.stderr ?? run.child, 'data').catch(() => undefined);
  }
}

async function codeFor(params: typeof place): Promise<string> {
  const { token } = await test.client.call('createSubjectToken', { params });
  const network = await test.client.call('getNetwork');
  const { siteId, siteName } = await test.client.call('deviceHello');
  return signInLink({
    ...{ siteId, siteName, token, expirationTs: Date.now() + 3_600_000 },
    ...{ addresses: network.urls, fingerprint: network.pins?.fingerprint },
  });
}

const reportsOf = async (subjectId: string) =>
  await test.site.folder.store.annotations.list(subjectId, { types: ['activity', 'diary'] });

describe('simulate phone', () => {
  it('signs in by QR code, completes the tasks of the day once and sends a message, despite every fault', async () => {
    const faults = ['cut=200', 'cut=900', 'duplicate', 'reorder', 'flip', 'slow=20000', 'clock=600'];
    const link = await codeFor(place);
    const body = new FormData();
    body.append('body', 'Please drink enough.');
    await test.client.call('sendMessage', { params: place, body });
    const run = simulate(
      'phone',
      'own',
      '--link',
      link,
      '--message',
      'It itches.',
      ...faults.flatMap((fault) => ['--fault', fault]),
    );
    expect(await run.ended, run.stderr).toMatchObject({ code: 0 });
    const answer = JSON.parse(run.stdout) as { today: { tasks: { completed: boolean }[] }; outcomes: object[] };
    expect(answer.today.tasks.map(({ completed }) => completed)).toEqual([true, true]);
    expect(answer).toMatchObject({ siteId: test.site.folder.site.id, waiting: { reports: 0, messages: 0 } });
    for (const words of [
      'Doing Walk.',
      'Message from the team: Please drink enough.',
      'cut on purpose',
      'INVALID_JSON',
    ])
      expect(run.stderr).toContain(words);
    const reports = await reportsOf(place.subjectId);
    expect(reports.map(({ event }) => event?.displayName).sort()).toEqual(['Evening', 'Walk']);
    for (const { id } of reports) expect(await test.site.folder.store.annotations.answers(id)).toHaveLength(6);
    const { items } = await test.client.call('listMessages', { params: place });
    expect(items.map(({ body }) => body).sort()).toEqual(['It itches.', 'Please drink enough.']);
    expect(items.find(({ body }) => body.startsWith('Please'))?.isRead).toBe(true);

    const again = simulate('phone', 'own');
    expect(await again.ended, again.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(again.stdout)).toMatchObject({ outcomes: [] });
    expect(await reportsOf(place.subjectId)).toHaveLength(2);
  });

  it('resumes after being killed while sending, and delivers everything once', async () => {
    const other = { ...place, subjectId: test.place.subjectIds[1] ?? '' };
    const { token } = await test.client.call('createSubjectToken', { params: other });
    const typed = ['--site', test.lanUrl, '--token', token, '--fingerprint', test.site.lan.fingerprint ?? ''];
    const first = simulate('phone', 'killed', ...typed, '--message', 'Hello.', '--fault', 'kill=300');
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    const second = simulate('phone', 'killed');
    expect(await second.ended, second.stderr).toMatchObject({ code: 0 });
    expect(await reportsOf(other.subjectId)).toHaveLength(2);
    expect((await test.client.call('listMessages', { params: other })).items).toHaveLength(1);
  });

  it('prints the error of the site when refused, and sends nothing to a site with another key', async () => {
    const wrong = simulate('phone', 'wrong', '--site', test.lanUrl, '--token', 'AAAA-BBBB-CCCC-DDDD');
    expect(await wrong.ended).toMatchObject({ code: expect.any(Number) });
    expect(JSON.parse(wrong.stdout)).toMatchObject({ error: { code: 'LOGIN_FAILED' } });
    const link = (await codeFor(place)).replace(/f=[\w-]{43}/, `f=${'A'.repeat(43)}`);
    const stranger = simulate('phone', 'stranger', '--link', link);
    expect((await stranger.ended).code).not.toBe(0);
    expect(stranger.stdout).toContain('Another computer answers at the address of the site');
    const old = simulate('phone', 'old', '--link', link.replace(/e=\d+/, 'e=1000000000'));
    expect((await old.ended).code).not.toBe(0);
    expect(old.stdout).toContain('The sign-in code is too old.');
  });
});

describe('simulate hub', () => {
  it('delivers the recordings of its sensors despite every fault', async () => {
    const started = await test.startPairing();
    const faults = ['cut=20000', 'duplicate', 'reorder', 'flip', 'slow=2000000', 'clock=-4000'];
    const run = simulate(
      'hub',
      'hub',
      ...['--link', started.link, '--hours', '0.1'],
      ...faults.flatMap((fault) => ['--fault', fault]),
    );
    const [, checkCode = ''] = await waitForMessage(run, /Check code ([0-9A-F]{4}-[0-9A-F]{4})/);
    await test.client.call('confirmPairing', { params: { pairingId: started.id }, body: { checkCode } });
    expect(await run.ended, run.stderr).toMatchObject({ code: 0 });
    expect(run.stderr).toContain('The clock was off by 4000 s and has been set.');
    // Either side may notice the lost connection first.
    expect(run.stderr).toContain('Retrying in');
    const { recordings, held } = JSON.parse(run.stdout) as { recordings: { siteState: string }[]; held: number };
    expect([recordings.map(({ siteState }) => siteState), held]).toEqual([['STORED', 'STORED'], 0]);
    expect(await test.site.folder.store.recordings.listForSubject(place.subjectId)).toHaveLength(2);
  });
});
