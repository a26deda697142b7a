/** The durable queue as the API sees it, in memory: exports run at once, everything else waits until a test ends it. */
import { EventEmitter } from 'node:events';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { JobsPort } from '../api/deps.ts';
import { toOutpostError } from '../errors.ts';
import { writeRecordingFile } from '../exporters/recording-file.ts';
import { isRepeatable } from '../study/job-actions.ts';
import type { ExportPayload, JobKind, JobPayloads, JobRow } from '../study/jobs.ts';
import { keptFileName } from '../study/recording-formats.ts';

export class TestJobs extends EventEmitter<{ changed: [row: JobRow] }> implements JobsPort {
  readonly rows: JobRow[] = [];
  readonly #endings = new Map<string, Promise<void>>();
  readonly #folders: { signalsDir: string; exportsDir: string };
  readonly #clock: () => number;

  constructor(folders: { signalsDir: string; exportsDir: string }, clock: () => number) {
    super();
    // As the queue: each open stream of changes listens.
    this.setMaxListeners(0);
    this.#folders = folders;
    this.#clock = clock;
  }

  async enqueue<K extends JobKind>(kind: K, payload: JobPayloads[K]): Promise<JobRow> {
    const now = this.#clock();
    const row: JobRow = {
      id: uuidv7(),
      kind,
      state: 'queued',
      payload,
      attempts: 0,
      crashCount: 0,
      createdTs: now,
      runAfterTs: now,
    };
    this.rows.unshift(row);
    this.emit('changed', row);
    if (kind === 'export') this.#endings.set(row.id, this.#export(row, payload as ExportPayload));
    return row;
  }

  announce(row: JobRow): void {
    this.rows.unshift(row);
    this.emit('changed', row);
  }

  async get(id: string): Promise<JobRow | undefined> {
    return this.rows.find((row) => row.id === id);
  }

  async list(filter: Parameters<JobsPort['list']>[0]): Promise<JobRow[]> {
    return this.rows
      .filter(({ payload: { studyId } }) =>
        studyId === undefined ? filter.withSiteJobs === true : filter.studyIds.includes(studyId),
      )
      .filter((row) => filter.states?.includes(row.state) ?? true)
      .filter((row) => filter.kind === undefined || row.kind === filter.kind)
      .slice(0, filter.limit);
  }

  async cancel(id: string): Promise<boolean> {
    const row = await this.get(id);
    if (!row || !['queued', 'running'].includes(row.state)) return false;
    row.state = 'cancelled';
    row.finishedTs = this.#clock();
    this.emit('changed', row);
    return true;
  }

  async retry(id: string): Promise<JobRow | undefined> {
    const row = await this.get(id);
    if (!row || !isRepeatable(row)) return undefined;
    Object.assign(row, { state: 'queued', error: undefined, finishedTs: undefined });
    this.emit('changed', row);
    return row;
  }

  async whenEnded(id: string): Promise<JobRow> {
    await this.#endings.get(id);
    return (await this.get(id))!;
  }

  async #export(row: JobRow, payload: ExportPayload): Promise<void> {
    const path = join(this.#folders.exportsDir, keptFileName(payload));
    try {
      await mkdir(dirname(path), { recursive: true });
      const source = join(this.#folders.signalsDir, `${payload.recordingId}.sig`);
      await rm(`${path}.partial`, { force: true });
      await writeRecordingFile(payload.format, source, `${path}.partial`);
      await rename(`${path}.partial`, path);
      const { size: sizeBytes } = await stat(path);
      Object.assign(row, { state: 'done', result: { sizeBytes }, finishedTs: this.#clock() });
    } catch (thrown) {
      Object.assign(row, { state: 'failed', error: toOutpostError(thrown).toJSON(), finishedTs: this.#clock() });
    }
  }
}
