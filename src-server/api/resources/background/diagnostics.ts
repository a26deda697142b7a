/** The figures that an administrator sends to support. They hold no names, and no contents of recordings or messages. */
import type { Routes } from '../../contract/index.ts';
import type { ResponseOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import { diskOf } from './backup-status.ts';

const LAST_ERRORS = 20;

export async function siteDiagnostics(deps: ApiDeps): Promise<ResponseOf<Routes['getDiagnostics']>> {
  const { store } = deps;
  const { sqliteVersion, schemaVersion, sizeBytes, isWritable } = store.facts();
  const { problems, ...check } = deps.soundness();
  const failed = await store.jobs.list({ states: ['failed', 'parked'], limit: LAST_ERRORS });
  return {
    createdTs: deps.clock(),
    versions: {
      outpost: deps.version,
      node: process.version,
      sqlite: sqliteVersion,
      schema: schemaVersion,
      platform: `${process.platform} ${process.arch}`,
    },
    uptimeSeconds: Math.round(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    counts: store.countRows(),
    database: { sizeBytes, isWritable, check: { ...check, ...(problems && { problems: [...problems] }) } },
    disk: await diskOf(deps.signalsDir),
    recordings: await store.recordings.fileTotals(),
    jobs: {
      byKindAndState: await store.jobs.countByKindAndState(),
      lastErrors: failed.map(({ id, kind, state, error, finishedTs }) => ({
        jobId: id,
        kind,
        state,
        code: error?.code ?? 'INTERNAL',
        ...(finishedTs !== undefined && { finishedTs }),
      })),
    },
    auditHead: await store.audit.head(),
    crashes: deps.crashReports(),
    clockSteps: await store.settings.get('clock.steps'),
  };
}
