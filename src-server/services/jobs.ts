/** Adding and repeating jobs of the durable queue, with their audit. The queue itself is in `jobs/`. */
import { type Change, JobQueries } from '../db/index.ts';
import { DAY_MS } from '../durations.ts';
import { changesFromNothing } from '../study/changes.ts';
import type { JobKind, JobPayloads, JobRow } from '../study/jobs.ts';

/** Windows are a day long, so nearly every window of a gap this short is computed anyway. */
const WIDEN_GAP_MS = DAY_MS;

export class Jobs extends JobQueries {
  async add<K extends JobKind>(
    input: { id?: string; kind: K; payload: JobPayloads[K]; runAfterTs?: number },
    change: Change,
  ): Promise<JobRow> {
    return await this.session.write(async (session) => {
      const now = session.clock();
      const { studyId, subjectId }: { studyId?: string; subjectId?: string } = input.payload;
      const id = input.id ?? session.newId();
      const job = await new Jobs(session).insert({
        id,
        kind: input.kind,
        state: 'queued',
        studyId,
        subjectId,
        payload: input.payload,
        runAfterTs: input.runAfterTs ?? now,
        createdTs: now,
      });
      await session.audit(change, {
        action: 'job.add',
        entityType: 'job',
        entityId: id,
        studyId,
        subjectId,
        changes: changesFromNothing({ kind: input.kind }),
      });
      return job;
    });
  }

  /** Adds a job. An analysis is merged into one of the same subject that still waits: data often arrives in several parts. */
  async queue<K extends JobKind>(kind: K, payload: JobPayloads[K], change: Change): Promise<JobRow> {
    return await this.session.write(async (session) => {
      const jobs = new Jobs(session);
      const merged = kind === 'analyse' && (await jobs.#mergeIntoQueued(payload as JobPayloads['analyse']));
      return merged || (await jobs.add({ kind, payload }, change));
    });
  }

  /**
   * Widens a waiting analysis of the same subject by a span that touches or nearly touches its own, so that windows are computed
   * once; undefined when there is none. Spans far apart are not merged, as everything in between would be computed too; nor is a
   * job that has crashed, as it would take the new data along.
   */
  async #mergeIntoQueued(payload: JobPayloads['analyse']): Promise<JobRow | undefined> {
    for (const { id, payload: waiting } of await this.queuedAnalyses(payload.subjectId)) {
      if (waiting.runId !== payload.runId) continue;
      const gapMs = Math.max(payload.fromMs - waiting.toMs, waiting.fromMs - payload.toMs);
      if (gapMs > WIDEN_GAP_MS) continue;
      return await this.setPayload(id, {
        ...waiting,
        fromMs: Math.min(waiting.fromMs, payload.fromMs),
        toMs: Math.max(waiting.toMs, payload.toMs),
        recordingIds: [...new Set([...waiting.recordingIds, ...payload.recordingIds])],
      });
    }
    return undefined;
  }

  /**
   * Queues a parked job of any kind, or a failed or cancelled one of the kinds given, as if it had never run. Undefined when it is
   * none of these.
   */
  async retry(id: string, repeatable: readonly JobKind[], change: Change): Promise<JobRow | undefined> {
    return await this.session.write(async (session) => {
      const found = await new Jobs(session).reset(id, repeatable);
      if (!found) return undefined;
      const { job, studyId, subjectId } = found;
      await session.audit(change, {
        action: 'job.retry',
        entityType: 'job',
        entityId: id,
        studyId,
        subjectId,
        changes: changesFromNothing({ kind: job.kind }),
      });
      return job;
    });
  }
}
