import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSignalFile, verifySignalFile } from '../../signals/index.ts';
import type { ImportPayload, JobRow } from '../../study/jobs.ts';
import { openTestEngine, type TestEngine, WORKER_ENTRY } from '../../testing/test-engine.ts';
import { addTestRecording } from '../../testing/test-recording.ts';
import { WorkerPool } from './pool.ts';

let workers: WorkerPool;
beforeAll(() => {
  workers = new WorkerPool({ entry: WORKER_ENTRY });
});
afterAll(() => workers.close());

let engine: TestEngine;
beforeEach(async () => {
  engine = await openTestEngine({ workers });
});
afterEach(() => engine.close());

function addRecording(options: { durationSeconds: number }) {
  const { studyId, subjectId } = engine.study;
  return addTestRecording(engine.store, engine.signalsDir, { studyId, subjectId }, options);
}

/** A recording exported by the pool as EDF and MC10 ZIP, used as import sources. */
async function exported(format: 'edf' | 'mc10-zip', durationSeconds: number): Promise<string> {
  const recording = await addRecording({ durationSeconds });
  const outputPath = join(engine.exportsDir, `${recording.id}.${format === 'edf' ? 'edf' : 'zip'}`);
  const signalPath = join(engine.signalsDir, `${recording.id}.sig`);
  await engine.workers.run('exportRecording', { signalPath, format, outputPath });
  return outputPath;
}

async function imported(paths: string[], ownsFiles = false): Promise<JobRow> {
  const { study, queue } = engine;
  const payload: ImportPayload = {
    studyId: study.studyId,
    subjectId: study.subjectId,
    paths,
    options: {},
    ownsFiles,
    // All are made from one recording in different formats.
    acceptsOverlap: true,
  };
  return await queue.enqueue('import', payload);
}

const filesIn = (dir: string) => readdirSync(dir).sort();

describe('tasks', () => {
  it.each(['edf', 'mc10-zip'] as const)('export and import %s with progress', async (format) => {
    const recording = await addRecording({ durationSeconds: 300 });
    const outputPath = join(engine.exportsDir, 'file.out');
    const signalPath = join(engine.signalsDir, `${recording.id}.sig`);
    const steps: { done: number; total: number; step: string }[] = [];
    const { sizeBytes, sha256 } = await engine.workers.run(
      'exportRecording',
      { signalPath, format, outputPath },
      { onProgress: (message) => steps.push(message) },
    );
    expect(readFileSync(outputPath)).toHaveLength(sizeBytes);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(steps[0]!.step).toBe('writing the file');
    expect(filesIn(engine.exportsDir)).toEqual(['file.out']);

    const outputDir = join(engine.inboxDir, 'made');
    const outcome = await engine.workers.run(
      'importSource',
      { paths: [outputPath], options: {}, outputDir },
      { onProgress: (message) => steps.push(message) },
    );
    expect(steps.at(-1)?.step).toBe('reading file.out');
    const counts = outcome.recordings.flatMap(({ sampleCounts }) => sampleCounts);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(300 * 250);
    for (const { path } of outcome.recordings) {
      const file = await openSignalFile(path);
      expect(file.problems).toEqual([]);
      await file.close();
    }
  });

  it('pass on errors with code and message, and leave nothing behind', async () => {
    const path = join(engine.folder, 'night.edf');
    await writeFile(path, `0       ${' '.repeat(300)}`);
    const outputDir = join(engine.inboxDir, 'made');
    await expect(engine.workers.run('importSource', { paths: [path], options: {}, outputDir })).rejects.toMatchObject({
      name: 'OutpostError',
      code: 'FILE_DAMAGED',
      message: expect.stringMatching(/night\.edf|header/),
    });
    expect(filesIn(engine.inboxDir)).toEqual([]);
    const outputPath = join(engine.exportsDir, 'file.edf');
    await expect(
      engine.workers.run('exportRecording', { signalPath: path, format: 'edf', outputPath }),
    ).rejects.toMatchObject({ code: 'SIGNAL_FILE_DAMAGED' });
    expect(filesIn(engine.exportsDir)).toEqual([]);
  });

  it('do not start once cancelled', async () => {
    const outputPath = join(engine.exportsDir, 'file.edf');
    await expect(
      engine.workers.run(
        'exportRecording',
        { signalPath: '/nowhere.sig', format: 'edf', outputPath },
        { signal: AbortSignal.abort() },
      ),
    ).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('files that devices deliver', () => {
  it('are checked while exports hold every thread for other work and more wait', async (context) => {
    if (process.platform === 'win32') return context.skip('Windows has no named pipes in folders');
    const recording = await addRecording({ durationSeconds: 60 });
    const path = join(engine.inboxDir, 'delivered');
    await copyFile(join(engine.signalsDir, `${recording.id}.sig`), path);
    const { sha256 } = await engine.store.recordings.require(recording.id);
    // Opening a pipe that nobody writes to takes until somebody does: these exports continue until the test ends them.
    const pipe = join(engine.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const ended: string[] = [];
    const endless = ['a', 'b', 'c'].map((name) =>
      engine.workers
        .run('exportRecording', { signalPath: pipe, format: 'edf', outputPath: join(engine.exportsDir, name) })
        .catch(() => ended.push(name)),
    );
    const checks = [1, 2, 3].map(() => {
      const { id: recordingId } = recording;
      const task = { path, sha256, recordingId, syncPoints: [], reportedPoints: [], arrivedUs: Date.now() * 1000 };
      return engine.workers.run('checkUpload', task);
    });
    for (const outcome of await Promise.all(checks)) expect(outcome).toMatchObject({ kind: 'good' });
    // Nor does a person who encrypts backups.
    const folder = { directory: join(engine.inboxDir, 'encrypted'), siteDir: engine.inboxDir };
    const encrypted = await engine.workers.run('encryptBackups', { ...folder, passphrase: 'ten or more letters' });
    expect(encrypted.isNew).toBe(true);
    expect(ended).toEqual([]);
    // Reading and writing, so that this does not wait for a reader.
    const writer = openSync(pipe, 'r+');
    await Promise.all(endless);
    closeSync(writer);
    expect(ended.sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('cancel', () => {
  it('of an import leaves nothing behind', async () => {
    const source = await exported('mc10-zip', 3600);
    const signals = filesIn(engine.signalsDir);
    const upload = join(engine.inboxDir, 'upload');
    await mkdir(upload);
    const path = join(upload, 'recording.zip');
    await writeFile(path, readFileSync(source));
    const cancelling: Promise<boolean>[] = [];
    engine.queue.on('changed', (row) => {
      if (row.kind === 'import' && row.progress) cancelling.push(engine.queue.cancel(row.id));
    });
    const job = await imported([path], true);
    expect(await engine.queue.whenEnded(job.id)).toMatchObject({ state: 'cancelled' });
    expect((await Promise.all(cancelling))[0]).toBe(true);
    expect(filesIn(engine.inboxDir)).toEqual([]);
    expect(filesIn(engine.signalsDir)).toEqual(signals);
    expect(await engine.store.recordings.listForSubject(engine.study.subjectId, {})).toHaveLength(1);
  });

  it('of an export leaves nothing behind', async () => {
    const { study, queue } = engine;
    const recording = await addRecording({ durationSeconds: 4 * 3600 });
    const cancelling: Promise<boolean>[] = [];
    queue.on('changed', (row) => {
      if (row.progress) cancelling.push(queue.cancel(row.id));
    });
    const job = await queue.enqueue('export', {
      studyId: study.studyId,
      recordingId: recording.id,
      format: 'mc10-zip',
    });
    expect((await queue.whenEnded(job.id)).state).toBe('cancelled');
    await Promise.all(cancelling);
    expect(filesIn(engine.exportsDir)).toEqual([]);
  });
});

describe('imports as jobs', () => {
  it('store recordings, analyse them, and are idempotent', async () => {
    const source = await exported('mc10-zip', 120);
    const upload = join(engine.inboxDir, 'upload');
    await mkdir(upload);
    const path = join(upload, 'recording.zip');
    await writeFile(path, readFileSync(source));
    const job = await imported([path], true);
    const done = await engine.queue.whenEnded(job.id);
    expect(done).toMatchObject({
      state: 'done',
      result: { format: expect.any(String), recordings: [{ isNew: true }] },
    });
    expect(existsSync(upload)).toBe(false);
    expect(filesIn(engine.inboxDir)).toEqual([]);
    const [made] = (done.result as { recordings: { id: string }[] }).recordings;
    expect(filesIn(engine.signalsDir)).toEqual(expect.arrayContaining([`${made!.id}.sig`, `${made!.id}.overview`]));
    await engine.queue.whenIdle();
    expect((await engine.store.recordings.get(made!.id))?.dataState).toBe('ANALYSED');

    const files = filesIn(engine.signalsDir);
    const again = await engine.queue.whenEnded((await imported([source])).id);
    expect(again.result).toMatchObject({ recordings: [{ id: made!.id, isNew: false }] });
    expect(filesIn(engine.signalsDir)).toEqual(files);
    expect(existsSync(source)).toBe(true);
    await engine.queue.whenIdle();
    const analyses = await engine.store.jobs.list({ kind: 'analyse', limit: 10 });
    expect(analyses).toHaveLength(1);
  });

  it('restore a damaged file under its id when its source is imported again', async () => {
    const source = await exported('edf', 120);
    const first = await engine.queue.whenEnded((await imported([source])).id);
    const [{ id }] = (first.result as { recordings: [{ id: string }] }).recordings;
    await engine.queue.whenIdle();
    const path = join(engine.signalsDir, `${id}.sig`);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(path, bytes);
    const again = await engine.queue.whenEnded((await imported([source])).id);
    expect(again.result).toMatchObject({ recordings: [{ id, isNew: false }] });
    const { sha256, fileState } = await engine.store.recordings.require(id);
    expect(fileState).toBe('PRESENT');
    expect((await verifySignalFile(path, sha256)).problems).toEqual([]);
  });

  it('leave nothing behind when the study no longer accepts data', async () => {
    const source = await exported('edf', 60);
    const files = filesIn(engine.signalsDir);
    const { study, store, queue } = engine;
    queue.on('changed', (row) => {
      if (row.kind === 'import' && row.state === 'failed') expect(filesIn(engine.inboxDir)).toEqual([]);
    });
    await store.studies.move(study.studyId, 'start', study.byUser);
    await store.studies.move(study.studyId, 'stop', study.byUser);
    const failed = await queue.whenEnded((await imported([source])).id);
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'STUDY_STATE' } });
    expect(filesIn(engine.signalsDir)).toEqual(files);
    expect(filesIn(engine.inboxDir)).toEqual([]);
    expect(engine.problems).toEqual([]);
  });
});
