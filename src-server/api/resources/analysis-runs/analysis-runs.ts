/** The method by which a study is analysed, and its analysis runs. */
import { analysisMethodHash } from '../../../analysis-method.ts';
import { ANALYTICS_VERSION } from '../../../analytics/version.ts';
import type { AnalysisRunRecord, Key } from '../../../db/index.ts';
import type { CountedRun } from '../../../services/analysis-runs.ts';
import { personName } from '../../../study/person-name.ts';
import type {
  Analysis,
  AnalysisRun,
  AnalysisRunDetail,
  analysisRunRoutes,
} from '../../contract/resources/analysis-runs.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';
import { compareRun, comparisonPoints } from './comparison.ts';

const RUN_PAGES: PagedList<AnalysisRunRecord> = {
  name: 'analysis-runs',
  key: ['number', 'string'],
  keyOf: ({ createdTs, id }): Key => [createdTs, id],
};

function countsOf({ counts }: CountedRun): AnalysisRun['counts'] {
  const countOf = (...states: (keyof typeof counts)[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return {
    total: Object.values(counts).reduce((sum, count) => sum + count, 0),
    done: countOf('DONE'),
    open: countOf('WAITING', 'RUNNING'),
    failed: countOf('FAILED', 'CANCELLED'),
    outdated: countOf('OUTDATED', 'MISSING'),
  };
}

export function analysisRunHandlers(deps: ApiDeps): Handlers<typeof analysisRunRoutes> {
  const { analysisRuns, studies, subjects, users } = deps.store;

  async function analysisOf(studyId: string): Promise<Analysis> {
    const { pinnedVersion } = await studies.require(studyId);
    const parameters = await analysisRuns.parametersOf(studyId);
    const waiting = await analysisRuns.waitingJobs(studyId);
    return {
      programVersion: ANALYTICS_VERSION,
      ...(pinnedVersion !== undefined && { pinnedVersion }),
      parameters,
      methodHash: analysisMethodHash(pinnedVersion ?? ANALYTICS_VERSION, parameters),
      versions: await analysisRuns.daysByVersion(studyId),
      signedDays: await analysisRuns.signedDays(studyId),
      ...(waiting.length > 0 && {
        waiting: {
          subjects: new Set(waiting.map(({ subjectId }) => subjectId)).size,
          sinceTs: waiting[0]!.createdTs,
        },
      }),
    };
  }

  async function nameOf(userId: string | undefined): Promise<string | undefined> {
    const user = userId === undefined ? undefined : await users.get(userId);
    return user && personName(user);
  }

  async function toRun(shown: CountedRun): Promise<AnalysisRun> {
    const { studyId: _studyId, deletedTs: _deletedTs, ...run } = shown.run;
    const authorName = await nameOf(run.authorId);
    const adoptedByName = await nameOf(run.adoptedBy);
    return {
      ...run,
      isAvailable: run.version === ANALYTICS_VERSION,
      state: shown.state,
      ...(authorName !== undefined && { authorName }),
      ...(adoptedByName !== undefined && { adoptedByName }),
      counts: countsOf(shown),
    };
  }

  return {
    getAnalysis: ({ params }) => analysisOf(params.studyId),
    pinAnalysis: async ({ params: { studyId }, body, caller }) => {
      await analysisRuns.pin(studyId, body.pinnedVersion, changeBy(caller, body.reason));
      return await analysisOf(studyId);
    },
    listAnalysisRuns: async ({ params: { studyId }, query, request }) => {
      const { rows, links } = await readListPage(request, RUN_PAGES, query, (keyset) =>
        analysisRuns.list(studyId, keyset),
      );
      const items: AnalysisRun[] = [];
      for (const counted of await analysisRuns.counted(rows)) items.push(await toRun(counted));
      return { items, size: items.length, ...links };
    },
    createAnalysisRun: async ({ params: { studyId }, body, caller }) => {
      const { name, reason, subjectIds } = body;
      const version = body.version ?? ANALYTICS_VERSION;
      const parameters = body.parameters ?? (await analysisRuns.parametersOf(studyId));
      const input = { studyId, name, version, parameters, subjectIds };
      const { id } = await analysisRuns.create(input, changeBy(caller, reason));
      return { id, links: [{ href: `/v1/studies/${studyId}/analysis-runs/${id}`, rel: 'self' }] };
    },
    getAnalysisRun: async ({ params: { studyId, runId } }): Promise<AnalysisRunDetail> => {
      const shown = await analysisRuns.show(runId, studyId);
      const names = new Map((await subjects.list(studyId)).map(({ id, displayName }) => [id, displayName]));
      const displayNameOf = (subjectId: string) => names.get(subjectId) ?? '';
      return {
        ...(await toRun(shown)),
        subjects: [
          ...shown.subjects.map(({ subjectId, state, problem, jobId }) => ({
            subjectId,
            displayName: displayNameOf(subjectId),
            state,
            ...(problem !== undefined && state === 'FAILED' && { problem }),
            ...(jobId !== undefined && { jobId }),
          })),
          ...shown.missing.map((subjectId) => ({
            subjectId,
            displayName: displayNameOf(subjectId),
            state: 'MISSING' as const,
          })),
        ],
      };
    },
    cancelAnalysisRun: async ({ params: { studyId, runId }, caller }) => {
      for (const jobId of await analysisRuns.cancel(runId, studyId, changeBy(caller))) await deps.jobs.cancel(jobId);
    },
    deleteAnalysisRun: async ({ params: { studyId, runId }, body, caller }) => {
      await analysisRuns.delete(runId, studyId, body.name, changeBy(caller, body.reason));
      await analysisRuns.completeDeletion(runId);
    },
    refreshAnalysisRun: async ({ params: { studyId, runId }, caller }) => ({
      queued: await analysisRuns.refresh(runId, studyId, changeBy(caller)),
    }),
    adoptAnalysisRun: async ({ params: { studyId, runId }, body, caller }) => {
      const replaced = await analysisRuns.adopt(runId, studyId, changeBy(caller, body.reason));
      return replaced ? { replacedRunId: replaced.id } : {};
    },
    compareAnalysisRun: async ({ params: { studyId, runId } }) => {
      await analysisRuns.require(runId, studyId);
      return await compareRun(deps.store, runId);
    },
    getComparisonPoints: async ({ params: { studyId, runId, metric } }) => {
      await analysisRuns.require(runId, studyId);
      return await comparisonPoints(deps.store, runId, metric);
    },
  };
}
