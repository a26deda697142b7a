/** The `outpost` command as a process: output streams, exit codes and shutdown. */
import { execFile, spawnSync } from 'node:child_process';
import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM } from '../db/index.ts';
import { simulateSubject } from '../simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../simulator/physiology/write.ts';
import { openSite } from '../site/folder.ts';
import { addTestRecording } from '../testing/test-recording.ts';
import {
  makeTestSite,
  OUTPOST_COMMAND,
  signIn,
  startServerProcess,
  type TestSite,
  upload,
} from '../testing/test-site.ts';
import { zipContents } from '../testing/zip-contents.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

const outpost = (...parameters: string[]): Promise<Outcome> => outpostIn({}, ...parameters);

function outpostIn(environment: Record<string, string>, ...parameters: string[]): Promise<Outcome> {
  const options = { maxBuffer: 64e6, env: { ...process.env, ...environment } };
  return new Promise((resolve) => {
    execFile(process.execPath, [OUTPOST_COMMAND, ...parameters], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

/** Option of Node: at its end, the process writes to stderr how large the nursery of V8 is. */
const NURSERY_HOOK = `--import=data:text/javascript,${encodeURIComponent(`
  import { getHeapSpaceStatistics } from 'node:v8';
  process.on('exit', () => {
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    process.stderr.write('nursery ' + space_size + '\\n');
  });
`)}`;

/** Parses the single line of stdout as JSON. */
function onlyLine({ stdout }: Outcome): Record<string, unknown> {
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Record<string, unknown>;
}

let site: TestSite;
/** A chest recording of ten minutes. */
let recordingFile: string;

async function writeChestRecording(minutes: number): Promise<string> {
  const startMs = Date.UTC(2024, 4, 14, 14);
  const stopMs = startMs + minutes * 60_000;
  const options = { seed: minutes, timeZone: 'US/Eastern', startMs, stopMs, dailyCharging: false };
  return (await writeSimulatedRecording(join(site.dir, '..'), simulateSubject(options).recordings[0]!)).path;
}

beforeAll(async () => {
  site = await makeTestSite();
  recordingFile = await writeChestRecording(10);
});
afterAll(() => site?.remove());

it('completes its work when the reader of its output leaves', async () => {
  const to = join(site.dir, '..', 'read-by-head');
  const command = `"$0" "$1" backup --data "$2" --to "$3" | true; exit "\${PIPESTATUS[0]}"`;
  const { status, stderr } = spawnSync('bash', ['-c', command, process.execPath, OUTPOST_COMMAND, site.dir, to], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('EPIPE') });
  expect((await readdir(to)).some((name) => name.startsWith('backup-'))).toBe(true);
});

describe('help', () => {
  it('lists the commands and exit codes', async () => {
    const { code, stdout } = await outpost('--help');
    expect(code).toBe(0);
    for (const command of ['init', 'serve', 'demo', 'import', 'analyze', 'verify', 'openapi', 'bench']) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(stdout).toContain('7  verify or self-test found problems');
  });

  it.each([
    ['init', '--time-zone'],
    ['serve', 'SIGTERM'],
    ['demo', '--once'],
    ['import', 'LOCATION=FILE'],
    ['analyze', 'Example: outpost analyze'],
    ['verify', 'exit code 7'],
    ['audit', 'closing hash'],
    ['export-subject', 'Without other subjects'],
    ['erase-subject', 'Cannot be undone'],
    ['openapi', 'OpenAPI 3.1'],
    ['bench', 'ratios'],
  ])('%s --help', async (command, words) => {
    const { code, stdout, stderr } = await outpost(command, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: outpost ${command}`);
    expect(stdout).toContain(words);
  });

  it('rejects an unknown command and points to --help', async () => {
    const outcome = await outpost('sreve');
    expect(outcome.code).toBe(2);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toContain('--help');
  });
});

describe('audit', () => {
  it('exports a trail that its program verifies, and keeps a file that exists', async () => {
    const to = join(site.dir, '..', 'audit.zip');
    const made = await outpost('audit', '--data', site.dir, '--to', to, '--json');
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    const { rows, closingHash } = onlyLine(made);
    const folder = join(site.dir, '..', 'audit');
    await mkdir(folder);
    for (const [name, bytes] of await zipContents(await readFile(to))) await writeFile(join(folder, name), bytes);
    const check = spawnSync('python3', [join(folder, 'verify-audit.py'), '--expect', `${rows}:${closingHash}`]);
    expect({ code: check.status, text: String(check.stdout) }).toEqual({
      code: 0,
      text: expect.stringContaining('INTACT'),
    });
    expect((await outpost('audit', '--data', site.dir, '--to', to)).code).toBe(4);
    const record = ['--record', `study:${site.studyId}`];
    const part = await outpost('audit', '--data', site.dir, '--to', `${to}-2.zip`, ...record);
    expect(part.stdout).toMatch(/^Rows: [1-9]\d*\nClosing hash: [0-9a-f]{64}\n/);
    expect((await outpost('audit', '--data', site.dir, '--to', `${to}-3.zip`, '--record', 'x')).code).toBe(2);
  });
});

describe('init', () => {
  const person = ['--account', 'Clinic', '--email', 'a@example.org', '--time-zone', 'Asia/Tokyo'];
  const fileWith = async (password: string): Promise<string> => {
    const file = join(site.dir, '..', 'password');
    await writeFile(file, `${password}\nsecond line`);
    return file;
  };

  it('prints the ids as one line, and refuses a folder that is not empty', async () => {
    const dir = join(site.dir, '..', 'new');
    const secret = ['--password-file', await fileWith('long enough 1')];
    const made = await outpost('init', '--data', dir, ...person, ...secret);
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' });
    expect(Object.keys(onlyLine(made)).sort()).toEqual(['accountId', 'siteId', 'userId']);
    const again = await outpost('init', '--data', dir, ...person, ...secret);
    expect(again.code).toBe(4);
    expect(again.stdout).toBe('');
    expect(again.stderr).toContain('SITE_EXISTS');
  });

  it('refuses a weak password before it makes anything', async () => {
    const dir = join(site.dir, '..', 'weak');
    const outcome = await outpost('init', '--data', dir, ...person, '--password-file', await fileWith('short'));
    expect(outcome.code).toBe(2);
    expect(await readdir(join(site.dir, '..'))).not.toContain('weak');
  });

  it('says why a password does not belong in a command, names it nowhere in the help, and takes only one', async () => {
    const dir = join(site.dir, '..', 'old-script');
    const typed = ['--password', 'long enough 1'];
    const made = await outpost('init', '--data', dir, ...person, ...typed);
    expect(made.code).toBe(0);
    expect(made.stderr).toMatch(/--password is deprecated: every user of this computer can read a command line/);
    expect(made.stderr).not.toContain('long enough 1');
    expect((await outpost('init', '--help')).stdout).not.toMatch(/--password </);
    const both = await outpost('init', '--data', `${dir}-2`, ...person, ...typed, '--password-file', 'x');
    expect(both.code).toBe(2);
    const none = await outpost('init', '--data', `${dir}-2`, ...person);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('--password-file')]);
  });
});

describe('user', () => {
  it('prints a code for a new password and resets a second factor, on a closed site', async () => {
    const dir = join(site.dir, '..', 'locked-out');
    const file = join(site.dir, '..', 'password');
    await writeFile(file, 'long enough 1');
    const account = ['--account', 'Clinic', '--email', 'a@example.org', '--password-file', file];
    await outpost('init', '--data', dir, ...account);
    const of = (command: string, email = 'A@example.org') =>
      outpost('user', command, '--data', dir, '--email', email, '--json');
    const { code } = onlyLine(await of('reset-password')) as { code: string };
    expect(code).toMatch(/^[A-Z2-9]{20}$/);
    expect((await of('reset-password', 'nobody@example.org')).code).toBe(3);
    expect((await of('reset-second-factor')).code).toBe(4);
    const folder = await openSite(dir);
    try {
      const { user } = (await folder.store.users.findForLogin('a@example.org'))!;
      await folder.store.secondFactors.start(user.id, 'sealed');
      await folder.store.secondFactors.require(user.id, true, SYSTEM);
    } finally {
      await folder.close();
    }
    expect(onlyLine(await of('reset-second-factor'))).toEqual({ email: 'A@example.org', isRequired: true });
    const opened = await openSite(dir);
    try {
      const { user } = (await opened.store.users.findForLogin('a@example.org'))!;
      expect(await opened.store.secondFactors.find(user.id)).toBeUndefined();
      const [newest] = await opened.store.accessLog.list({ userId: user.id, limit: 10 });
      expect(newest).toMatchObject({ kind: 'SECOND_FACTOR', detail: 'RESET' });
    } finally {
      await opened.close();
    }
  });
});

describe('openapi', () => {
  it('prints the document alone', async () => {
    const { code, stdout, stderr } = await outpost('openapi');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  });
});

describe('analyze', () => {
  it('prints one JSON line', async () => {
    const outcome = await outpost(
      'analyze',
      '--sensor',
      `MEDIAL_CHEST=${recordingFile}`,
      '--time-zone',
      'US/Eastern',
      '--json',
    );
    expect(outcome.code).toBe(0);
    const answer = onlyLine(outcome);
    expect(Object.keys(answer)).toEqual(
      expect.arrayContaining(['recordings', 'beatTs', 'stepTs', 'channels', 'metrics', 'sleep']),
    );
    // Ten minutes at any rate a heart can keep.
    expect((answer.beatTs as number[]).length).toBeGreaterThan(300);
  });

  it('takes parameters from a file and from options, and says which ones it used', async () => {
    const file = join(site.dir, '..', 'parameters.json');
    await writeFile(file, JSON.stringify({ nonWear: 'troiano-2008', rhythm: { pauseSeconds: 2 } }));
    const sensor = ['--sensor', `MEDIAL_CHEST=${recordingFile}`, '--json'];
    const options = ['--parameters', file, '--cut-points', 'freedson-adults-hip', '--non-wear', 'choi-2011'];
    const outcome = await outpost('analyze', ...sensor, ...options);
    expect(onlyLine(outcome)).toMatchObject({
      parameters: {
        cutPoints: { wrist: 'hildebrand-adults-wrist-geneactiv', waist: 'freedson-adults-hip' },
        nonWear: 'choi-2011',
        rhythm: { pauseSeconds: 2, bradycardiaBpm: 50, tachycardiaBpm: 100, episodeSeconds: 30 },
      },
    });
    const twice = await outpost('analyze', ...sensor, ...options, '--cut-points', 'sasaki-adults-hip');
    expect(onlyLine(twice)).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.stringMatching(/both for the waist/) },
    });
    await writeFile(file, JSON.stringify({ nonwear: 'choi-2011' }));
    const unknown = await outpost('analyze', ...sensor, '--parameters', file);
    expect(unknown.code).toBe(2);
    expect(onlyLine(unknown)).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.stringContaining(file) },
    });
    expect((await outpost('analyze', '--help')).stdout).toMatch(/--cut-points.*--non-wear.*--parameters.*freedson/s);
  });

  it('keeps the nursery of V8 at the size that loading the program gave it', async () => {
    const day = await writeChestRecording(24 * 60);
    const outcome = await outpostIn({ NODE_OPTIONS: NURSERY_HOOK }, 'analyze', '--sensor', day, '--json');
    expect(outcome.code).toBe(0);
    const [, bytes] = /^nursery (\d+)$/m.exec(outcome.stderr)!;
    // Without the flag it grows to 32 MB on a day, and to 128 MB on a month.
    expect(Number(bytes)).toBeLessThanOrEqual(16 << 20);
  });

  it('reports an invalid file and exits with code 2', async () => {
    const path = join(site.dir, '..', 'damaged.edf');
    await writeFile(path, 'this is no EDF file');
    const outcome = await outpost('analyze', '--sensor', path, '--json');
    expect(outcome.code).toBe(2);
    expect(onlyLine(outcome)).toMatchObject({ error: { code: expect.stringMatching(/FILE|FORMAT/) } });
    expect(outcome.stderr).toMatch(/^outpost: .+\.? \([A-Z_]+\)$/m);
  });
});

describe('commands on a site', () => {
  const where = () => ['--data', site.dir, '--study', 'Test study', '--subject', 'Subject 1'];

  it('imports and verifies a file, and adds nothing when it is imported again', async () => {
    const first = await outpost('import', ...where(), '--json', recordingFile);
    expect(first.code).toBe(0);
    expect(onlyLine(first)).toMatchObject({ imports: [{ recordings: [{ isNew: true, location: 'MEDIAL_CHEST' }] }] });
    const again = await outpost('import', ...where(), '--json', recordingFile);
    expect(onlyLine(again)).toMatchObject({ imports: [{ recordings: [{ isNew: false }] }] });
    const verified = await outpost('verify', '--data', site.dir, '--json');
    expect(verified.code).toBe(0);
    expect(onlyLine(verified)).toMatchObject({ problems: [], checked: { recordings: 1 } });
  });

  it('puts a lost file back from a backup, and says which file no backup has', async () => {
    const data = ['--data', site.dir];
    const to = join(site.dir, '..', 'for-return');
    expect((await outpost('backup', ...data, '--to', to)).code).toBe(0);
    const [name] = (await readdir(join(site.dir, 'signals'))).filter((file) => file.endsWith('.sig'));
    const whole = await readFile(join(site.dir, 'signals', name!));
    await rm(join(site.dir, 'signals', name!));
    const file = `signals/${name}`;
    const lost = await outpost('return-files', ...data, '--json', '--backups', join(site.dir, 'nowhere'));
    expect(onlyLine(lost)).toMatchObject({ returned: [{ file, from: { directory: to } }], missing: [] });
    expect(await readFile(join(site.dir, 'signals', name!))).toEqual(whole);
    expect((await outpost('verify', ...data)).code).toBe(0);
    await rm(to, { recursive: true });
    await rm(join(site.dir, 'signals', name!));
    const gone = await outpost('return-files', ...data);
    expect(gone).toMatchObject({ code: 7, stderr: expect.stringContaining(`${file}: no backup has it`) });
    await writeFile(join(site.dir, 'signals', name!), whole);
    expect((await outpost('verify', ...data)).code).toBe(0);
  });

  it('rejects a damaged file with code 2 and an unknown subject or file with code 3, leaving no files behind', async () => {
    const damaged = join(site.dir, '..', 'cut.sig');
    await writeFile(damaged, (await readFile(recordingFile)).subarray(0, 100));
    const before = await readdir(join(site.dir, 'signals'));
    expect((await outpost('import', ...where(), damaged)).code).toBe(2);
    expect((await outpost('import', ...where().with(5, 'Nobody'), recordingFile)).code).toBe(3);
    expect((await outpost('import', ...where(), join(site.dir, 'no-such-file.edf'))).code).toBe(3);
    expect((await outpost('import', ...where(), '--side', 'left', recordingFile)).code).toBe(2);
    expect(await readdir(join(site.dir, 'signals'))).toEqual(before);
    const waiting = await readdir(join(site.dir, 'inbox'), { recursive: true, withFileTypes: true });
    expect(waiting.filter((entry) => entry.isFile())).toEqual([]);
  });

  it('exits with code 3 for a folder without a site', async () => {
    for (const command of [['serve', '--no-desk', '--port', '0'], ['verify']]) {
      const outcome = await outpost(command[0]!, '--data', join(site.dir, 'nowhere'), ...command.slice(1));
      expect(outcome.code).toBe(3);
      expect(outcome.stderr).toContain('SITE_MISSING');
    }
  });

  it('exits with code 5 for a second server on a site and for a port in use', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const port = String((blocker.address() as AddressInfo).port);
    try {
      const taken = await outpost('serve', '--no-desk', '--data', site.dir, '--port', port, '--no-lan');
      expect(taken.code).toBe(5);
      expect(taken.stderr).toContain(`Port ${port}`);
    } finally {
      blocker.close();
    }
    const server = await startServerProcess(site.dir);
    try {
      const second = await outpost('serve', '--no-desk', '--data', site.dir, '--port', '0', '--no-lan');
      expect(second.code).toBe(5);
      expect(second.stdout).toBe('');
      expect(second.stderr).toContain(`process ${server.child.pid}`);
      expect((await outpost('import', ...where(), recordingFile)).code).toBe(5);
      expect((await outpost('verify', '--data', site.dir)).code).toBe(0);
      // The first server still works.
      expect((await signIn(server.url)).credentials).toBeDefined();
    } finally {
      expect(await server.stop()).toBe(0);
    }
  });

  it('shuts down cleanly on SIGTERM during a job, and resumes the job after the next start', async () => {
    const long = await writeChestRecording(600);
    const server = await startServerProcess(site.dir);
    const client = await signIn(server.url);
    const params = { studyId: site.studyId, subjectId: site.subjectIds[1]! };
    const job = await upload(client, params, [long]);
    for (;;) {
      const { state } = await client.call('getJob', { params: { jobId: job.id } });
      if (state !== 'queued') break;
    }
    expect(await server.stop()).toBe(0);
    const folder = await openSite(site.dir);
    try {
      const unfinished = await folder.store.jobs.unfinished();
      expect(unfinished.length).toBeGreaterThan(0);
      expect(new Set(unfinished.map(({ state }) => state))).toEqual(new Set(['queued']));
    } finally {
      await folder.close();
    }
    const imported = await outpost('import', ...where(), '--json', recordingFile);
    expect(imported.code).toBe(0);
    const opened = await openSite(site.dir);
    try {
      expect(await opened.store.jobs.unfinished()).toEqual([]);
      expect((await opened.store.jobs.get(job.id))?.state).toBe('done');
      expect(await opened.store.recordings.listForSubject(site.subjectIds[1]!)).toHaveLength(1);
    } finally {
      await opened.close();
    }
  });

  it("writes a subject's own copy, records it, and erases the subject once the code is confirmed", async () => {
    const place = await makeTestSite({ timeZones: ['Asia/Tokyo', 'UTC'] });
    try {
      const folder = await openSite(place.dir);
      const { studyId } = place;
      const [subjectId = '', otherId = ''] = place.subjectIds;
      await addTestRecording(folder.store, folder.signalsDir, { studyId, subjectId }, {});
      const { displayName } = await folder.store.subjects.require(subjectId);
      await folder.close();
      const where = ['--data', place.dir, '--study', studyId, '--subject', subjectId];
      const to = join(place.dir, '..', `copy-${subjectId}.zip`);
      const exported = onlyLine(await outpost('export-subject', ...where, '--to', to, '--json'));
      const members = await zipContents(await readFile(to));
      expect(exported).toMatchObject({ path: to, sizeBytes: (await readFile(to)).length });
      expect(JSON.parse(String(members.get('subject.json'))).subject).toMatchObject({ id: subjectId, displayName });
      expect([...members.keys()].filter((path) => path.startsWith('recordings/') && /edf|sig/.test(path))).toHaveLength(
        2,
      );
      expect((await readdir(join(place.dir, 'exports'))).filter((name) => name.endsWith('.zip'))).toEqual([]);
      expect((await outpost('export-subject', ...where, '--to', to)).code).toBe(4);

      const erase = ['erase-subject', ...where, '--reason', 'Asked in writing'];
      expect((await outpost(...erase)).code).toBe(2);
      expect((await outpost(...erase, '--confirm', 'Somebody')).stderr).toContain('Type the name of the subject');
      const { code, stdout } = await outpost(...erase, '--confirm', displayName);
      expect([code, stdout]).toEqual([0, expect.stringContaining('Erased: 1 recordings')]);
      const opened = await openSite(place.dir);
      expect(await opened.store.subjects.get(subjectId)).toBeUndefined();
      expect(await opened.store.subjects.get(otherId)).toBeDefined();
      const audit = await opened.store.audit.list({ studyId });
      expect(audit[0]).toMatchObject({
        action: 'subject.erase',
        reason: 'Asked in writing',
        actor: { type: 'SYSTEM' },
      });
      expect(audit.map(({ action }) => action)).toContain('export.request');
      await opened.close();
      expect((await outpost('export-subject', ...where, '--to', `${to}.new`)).code).toBe(3);
      expect((await outpost('verify', '--data', place.dir)).code).toBe(0);
      await rm(to);
    } finally {
      await place.remove();
    }
  });

  it('finds a flipped bit in a signal file, names the file and exits with code 7', async () => {
    const [name = ''] = (await readdir(join(site.dir, 'signals'))).filter((entry) => entry.endsWith('.sig'));
    const file = await open(join(site.dir, 'signals', name), 'r+');
    const { size } = await file.stat();
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, Math.floor(size / 2));
    byte[0]! ^= 0x10;
    await file.write(byte, 0, 1, Math.floor(size / 2));
    await file.close();
    const json = await outpost('verify', '--data', site.dir, '--json');
    expect(json.code).toBe(7);
    const { problems } = onlyLine(json) as { problems: { id: string }[] };
    expect(problems.length).toBeGreaterThan(0);
    expect(new Set(problems.map(({ id }) => id))).toEqual(new Set([name.replace('.sig', '')]));
    const text = await outpost('verify', '--data', site.dir);
    expect(text.code).toBe(7);
    expect(text.stdout).toMatch(/[1-9] problems? found/);
  });
});

describe('demo', () => {
  it('creates a site, prints one JSON line and removes its temporary files', async () => {
    const temporary = join(site.dir, '..', 'temporary');
    await mkdir(temporary);
    const outcome = await outpostIn(
      { TMPDIR: temporary },
      'demo',
      '--once',
      '--json',
      '--subjects',
      '1',
      '--days',
      '1',
    );
    expect(outcome.code).toBe(0);
    expect(await readdir(temporary)).toEqual([]);
    const { subjects, email } = onlyLine(outcome) as {
      subjects: { recordings: number; steps: number }[];
      email: string;
    };
    expect(email).toContain('@');
    expect(subjects).toHaveLength(1);
    expect(subjects[0]!.recordings).toBeGreaterThanOrEqual(2);
    expect(subjects[0]!.steps).toBeGreaterThan(0);
  });
});

describe('backup and restore', () => {
  it('exit with code 7 and name the file when the site or the backup is damaged', async () => {
    const place = await makeTestSite();
    const folder = await openSite(place.dir);
    const owner = { studyId: place.studyId, subjectId: place.subjectIds[0]! };
    const { id } = await addTestRecording(folder.store, folder.signalsDir, owner);
    await folder.close();
    const backups = (name: string) => join(place.dir, '..', `backups-${name}`);
    const [whole, damaged] = [backups('whole'), backups('damaged')];
    expect(await outpost('backup', '--data', place.dir, '--to', whole)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is complete'),
    });
    await appendFile(join(place.dir, 'signals', `${id}.sig`), 'x');
    expect(await outpost('backup', '--data', place.dir, '--to', damaged)).toMatchObject({
      code: 7,
      stdout: expect.stringMatching(`is incomplete: the site has no good copy of signals/${id}.sig`),
    });
    const restoreTo = (from: string, to: string, ...more: string[]) =>
      outpost('restore', '--from', from, '--data', join(place.dir, '..', to), ...more);
    expect(await restoreTo(whole, 'a', '--skip-damaged')).toMatchObject({ code: 0 });
    expect(await restoreTo(damaged, 'b')).toMatchObject({
      code: 7,
      stdout: expect.stringContaining('is incomplete: 1 file is damaged or missing'),
      stderr: expect.stringContaining(`Restored damaged: signals/${id}.sig`),
    });
    const answer = onlyLine(await restoreTo(damaged, 'c', '--json'));
    expect(answer).toMatchObject({ outcome: 'incomplete', lost: [{ recordingId: id, state: 'DAMAGED' }] });
    await place.remove();
  });
});
