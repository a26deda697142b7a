/**
 * Makes the parts of a study export, several at once, ahead of the archive that takes them in its own order. The archive's bytes
 * therefore do not depend on how many are made at once, or on whether a part is left from an interrupted run.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import type { RecordingRecord } from '../../db/index.ts';
import { sha256Hex } from '../../files/content-hash.ts';
import { openSignalFile, readClockMap, type SignalView } from '../../signals/index.ts';
import type { SignalHeader } from '../../signals/types.ts';
import type { ExportPace } from '../../study/jobs.ts';
import { isIntactPart, Part } from './part-file.ts';
import type { BeatsOfPart, PartFormat, PartTask } from './part-task.ts';
import type { StudyExportContext } from './types.ts';
import { unreadable } from './unreadable.ts';

/** Raised when the bytes of a part change. */
const PART_VERSION = 3;

/** A speed measured for less time says little. */
const LEAST_MEASURED_MS = 1000;

/** A recording of the export, in the order in which the archive takes them. */
export interface PartRequest {
  row: RecordingRecord;
  view: SignalView | undefined;
  /** Where the format holds beats. */
  beats?: BeatsOfPart;
}

/** What a part is made from, or why it cannot be made. */
type PartPlan = { key: string; shown?: PartTask['shown'] } | { problem: string };

/** The key of a part, without making it: equal keys mean equal bytes. */
export async function planPart(
  format: PartFormat,
  { row, view, beats }: PartRequest,
  { signalsDir }: Pick<StudyExportContext, 'signalsDir'>,
): Promise<PartPlan> {
  const signalPath = join(signalsDir, `${row.id}.sig`);
  const problem = await unreadable(signalPath);
  if (problem !== undefined) return { problem };
  const shown = view && { header: await headerOf(signalPath, view), shiftUs: view.shiftUs };
  const clock = await readClockMap(signalPath);
  const facts = [PART_VERSION, format, row.sha256, clock, shown ?? null, ...(beats ? [beats, ANALYTICS_VERSION] : [])];
  return { key: sha256Hex(JSON.stringify(facts)), ...(shown && { shown }) };
}

interface Totals {
  samples: number;
  recordings: number;
}

type MadePart = { path: string } | { problem: string };

const samplesOf = ({ sampleCounts }: RecordingRecord): number => sampleCounts.reduce((sum, count) => sum + count, 0);

export class StudyParts {
  readonly #context: StudyExportContext;
  readonly #format: PartFormat;
  readonly #requests: AsyncIterator<PartRequest>;
  readonly #made = new Map<string, PromiseWithResolvers<MadePart>>();
  /** Aborts what is being made when one part or the archive fails. */
  readonly #stop = new AbortController();
  readonly #doneOf = new Map<string, number>();
  readonly #total: Totals;
  #doneSamples = 0;
  /** Samples encoded in this run, without those of parts that were left from another. */
  #encodedSamples = 0;
  readonly #startedMs = performance.now();
  #finished = 0;
  #failure: { thrown: unknown } | undefined;
  #next: Promise<unknown> = Promise.resolve();
  readonly #workers: Promise<void>[];

  private constructor(
    format: PartFormat,
    requests: AsyncIterable<PartRequest>,
    total: Totals,
    context: StudyExportContext,
  ) {
    this.#context = context;
    this.#format = format;
    this.#total = total;
    this.#requests = requests[Symbol.asyncIterator]();
    const makeAll = async (): Promise<void> => {
      await mkdir(context.workshop.dir, { recursive: true });
      for (;;) {
        const request = await this.#nextRequest();
        if (request === undefined) return;
        this.#result(request.row.id).resolve(await this.#part(request));
      }
    };
    this.#workers = Array.from({ length: context.workshop.atOnce }, () =>
      makeAll().catch((thrown: unknown) => this.#fail(thrown)),
    );
  }

  /** Begins to make the parts that `requests` yields, which is called twice: first to count the samples. */
  static async start(
    format: PartFormat,
    requests: () => AsyncIterable<PartRequest>,
    context: StudyExportContext,
  ): Promise<StudyParts> {
    const total: Totals = { samples: 0, recordings: 0 };
    for await (const { row } of requests()) {
      context.throwIfCancelled();
      total.samples += samplesOf(row);
      total.recordings += 1;
    }
    return new StudyParts(format, requests(), total, context);
  }

  /** Resolves with the part of a recording, or with why the recording cannot be read. */
  async take(recordingId: string): Promise<Part | { problem: string }> {
    const made = await this.#result(recordingId).promise;
    this.#made.delete(recordingId);
    return 'problem' in made ? made : await Part.open(made.path);
  }

  /** Stops what is being made and waits for its end. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#workers);
  }

  #result(recordingId: string): PromiseWithResolvers<MadePart> {
    let result = this.#made.get(recordingId);
    if (!result) {
      result = Promise.withResolvers<MadePart>();
      result.promise.catch(() => undefined);
      if (this.#failure) result.reject(this.#failure.thrown);
      this.#made.set(recordingId, result);
    }
    return result;
  }

  #fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.#stop.abort();
    for (const { reject } of this.#made.values()) reject(this.#failure.thrown);
  }

  /** One call at a time, as an async generator requires. */
  async #nextRequest(): Promise<PartRequest | undefined> {
    const turn = this.#next.then(async () => {
      if (this.#stop.signal.aborted) return undefined;
      const { done, value } = await this.#requests.next();
      return done ? undefined : value;
    });
    this.#next = turn.catch(() => undefined);
    return await turn;
  }

  async #part(request: PartRequest): Promise<MadePart> {
    const { row, beats } = request;
    const { signalsDir, workshop, signal } = this.#context;
    const signalPath = join(signalsDir, `${row.id}.sig`);
    const samples = samplesOf(row);
    const plan = await planPart(this.#format, request, this.#context);
    if ('problem' in plan) {
      this.#finish(row.id, samples, false);
      return plan;
    }
    const { key, shown } = plan;
    const path = join(workshop.dir, `${key}.part`);
    const isLeft = await isIntactPart(path, key);
    if (!isLeft) {
      const task = {
        format: this.#format,
        key,
        signalPath,
        ...(shown && { shown }),
        ...(beats && { beats }),
        outputPath: path,
      };
      await workshop.make(task, {
        signal: AbortSignal.any([signal, this.#stop.signal]),
        onSamples: (done) => this.#count(row.id, Math.min(done, samples), true),
      });
    }
    this.#finish(row.id, samples, !isLeft);
    return { path };
  }

  #count(recordingId: string, done: number, isEncoded: boolean): void {
    const added = done - (this.#doneOf.get(recordingId) ?? 0);
    this.#doneSamples += added;
    if (isEncoded) this.#encodedSamples += added;
    this.#doneOf.set(recordingId, done);
    const { samples, recordings } = this.#total;
    this.#context.progress(
      this.#doneSamples,
      samples,
      `writing samples, ${this.#finished} of ${recordings} recordings`,
      { recordingsDone: this.#finished, recordingsTotal: recordings, ...this.#speed() },
    );
  }

  /** Speed of this run, and the time that the rest takes at it. */
  #speed(): Pick<ExportPace, 'samplesPerSecond' | 'remainingMs'> {
    const elapsedMs = performance.now() - this.#startedMs;
    if (elapsedMs < LEAST_MEASURED_MS || this.#encodedSamples === 0) return {};
    const perMs = this.#encodedSamples / elapsedMs;
    return {
      samplesPerSecond: Math.round(1000 * perMs),
      remainingMs: Math.round((this.#total.samples - this.#doneSamples) / perMs),
    };
  }

  #finish(recordingId: string, samples: number, isEncoded: boolean): void {
    this.#finished += 1;
    this.#count(recordingId, samples, isEncoded);
    this.#doneOf.delete(recordingId);
  }
}

async function headerOf(path: string, view: SignalView): Promise<SignalHeader> {
  const file = await openSignalFile(path, view);
  await file.close();
  return file.header;
}
