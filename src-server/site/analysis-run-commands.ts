/**
 * Analysis runs from the command line, for servers without a desk: what the desk's screen Analysis does, by the same code. A site that
 * runs does it itself; a closed one is opened for the command, and what that queued is computed once the site runs. The actor is the
 * system.
 */
import { z } from 'zod';
import type { RunComparison } from '../api/contract/index.ts';
import { analysisParameters } from '../api/contract/resources/analysis-parameters.ts';
import { compareRun } from '../api/resources/analysis-runs/comparison.ts';
import { type AnalysisRunRecord, SYSTEM } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import type { CountedRun, RunSubjectCounts } from '../services/analysis-runs.ts';
import type { Store } from '../services/index.ts';
import type { AnalysisParameters } from '../vocabulary/analysis-parameters.ts';
import { atSite } from './control/at-site.ts';
import type { ControlCommands } from './control/control-server.ts';

/** A run as the command line prints it. */
export interface ListedRun {
  id: string;
  name: string;
  state: string;
  version: string;
  methodHash: string;
  parameters: AnalysisParameters;
  isWholeStudy: boolean;
  /** Subjects by state. */
  counts: RunSubjectCounts;
  reason: string;
  createdTs: number;
  adoptedTs?: number | undefined;
  adoptReason?: string | undefined;
}

export interface ListedRuns {
  programVersion: string;
  pinnedVersion?: string | undefined;
  /** By which the study is analysed. */
  parameters: AnalysisParameters;
  runs: ListedRun[];
}

/** By id or by name. */
const ofStudy = z.strictObject({ study: z.string() });
/** The run by id or by name. */
const ofRun = z.strictObject({ study: z.string(), run: z.string() });
const reason = z.string();

const COMMANDS = {
  list: ofStudy,
  create: z.strictObject({
    study: z.string(),
    name: z.string().max(100),
    reason,
    parameters: analysisParameters.optional(),
    /** By id or by name. */
    subjects: z.array(z.string()).min(1).optional(),
  }),
  compare: ofRun,
  refresh: ofRun,
  cancel: ofRun,
  adopt: z.strictObject({ study: z.string(), run: z.string(), reason }),
  pin: z.strictObject({ study: z.string(), version: z.string().nullable(), reason }),
  delete: z.strictObject({ study: z.string(), run: z.string(), name: z.string(), reason }),
} as const;

type Name = keyof typeof COMMANDS;
type Input<N extends Name> = z.input<(typeof COMMANDS)[N]>;

export interface AnalysisRunAnswers {
  list: ListedRuns;
  create: ListedRun;
  compare: RunComparison;
  refresh: { queued: number };
  cancel: ListedRun;
  adopt: { adopted: ListedRun; replaced?: ListedRun };
  pin: { pinnedVersion: string | null };
  delete: { deleted: string };
}

type Handlers = { [N in Name]: (input: z.output<(typeof COMMANDS)[N]>) => Promise<AnalysisRunAnswers[N]> };

function handlersOf(store: Store, cancelJob: (id: string) => Promise<unknown>): Handlers {
  const { analysisRuns } = store;

  async function studyOf(wanted: string) {
    const accounts = await store.accounts.list();
    const studies = (await Promise.all(accounts.map(({ id }) => store.studies.list(id)))).flat();
    return one(
      studies.filter(({ id, displayName }) => id === wanted || displayName === wanted),
      'study',
      wanted,
      studies.map(({ displayName }) => displayName),
    );
  }

  async function runOf({ study: wanted, run }: { study: string; run: string }): Promise<AnalysisRunRecord> {
    const study = await studyOf(wanted);
    const runs = await analysisRuns.list(study.id);
    return one(
      runs.filter(({ id, name }) => id === run || name === run),
      'analysis run',
      run,
      runs.map(({ name }) => name),
    );
  }

  async function listed(run: AnalysisRunRecord): Promise<ListedRun> {
    const [counted] = await analysisRuns.counted([await analysisRuns.require(run.id, run.studyId)]);
    return toListed(counted!);
  }

  async function subjectsOf(studyId: string, wanted: readonly string[]): Promise<string[]> {
    const subjects = await store.subjects.list(studyId);
    return wanted.map((name) => {
      const found = subjects.filter(({ id, displayName }) => id === name || displayName === name);
      return one(found, 'subject', name).id;
    });
  }

  return {
    list: async ({ study: wanted }) => {
      const { id, pinnedVersion } = await studyOf(wanted);
      return {
        programVersion: analysisRuns.programVersion,
        pinnedVersion,
        parameters: await analysisRuns.parametersOf(id),
        runs: (await analysisRuns.counted(await analysisRuns.list(id))).map(toListed),
      };
    },
    create: async ({ study: wanted, name, reason: why, parameters, subjects }) => {
      const { id: studyId } = await studyOf(wanted);
      const input = {
        ...{ studyId, name, version: analysisRuns.programVersion },
        parameters: parameters ?? (await analysisRuns.parametersOf(studyId)),
        ...(subjects && { subjectIds: await subjectsOf(studyId, subjects) }),
      };
      return await listed(await analysisRuns.create(input, { ...SYSTEM, reason: why }));
    },
    compare: async (place) => await compareRun(store, (await runOf(place)).id),
    refresh: async (place) => {
      const { id, studyId } = await runOf(place);
      return { queued: await analysisRuns.refresh(id, studyId, SYSTEM) };
    },
    cancel: async (place) => {
      const run = await runOf(place);
      for (const jobId of await analysisRuns.cancel(run.id, run.studyId, SYSTEM)) await cancelJob(jobId);
      return await listed(run);
    },
    adopt: async ({ reason: why, ...place }) => {
      const run = await runOf(place);
      const replaced = await analysisRuns.adopt(run.id, run.studyId, { ...SYSTEM, reason: why });
      return { adopted: await listed(run), ...(replaced && { replaced: await listed(replaced) }) };
    },
    pin: async ({ study: wanted, version, reason: why }) => {
      const { id } = await studyOf(wanted);
      await analysisRuns.pin(id, version, { ...SYSTEM, reason: why });
      return { pinnedVersion: version };
    },
    delete: async ({ name, reason: why, ...place }) => {
      const run = await runOf(place);
      await analysisRuns.delete(run.id, run.studyId, name, { ...SYSTEM, reason: why });
      await analysisRuns.completeDeletion(run.id);
      return { deleted: run.name };
    },
  };
}

function one<T>(found: readonly T[], what: string, wanted: string, names?: readonly string[]): T {
  if (found.length === 1) return found[0]!;
  const known = names ? ` Known: ${names.join(', ') || 'none'}.` : '';
  throw new OutpostError(
    'NOT_FOUND',
    found.length > 1
      ? `Several have the name ${wanted}. Give the id of the ${what}.`
      : `There is no ${what} ${wanted}.${known}`,
  );
}

const toListed = ({ run, state, counts }: CountedRun): ListedRun => ({
  id: run.id,
  name: run.name,
  state,
  version: run.version,
  methodHash: run.methodHash,
  parameters: run.parameters,
  isWholeStudy: run.isWholeStudy,
  counts,
  reason: run.reason,
  createdTs: run.createdTs,
  adoptedTs: run.adoptedTs,
  adoptReason: run.adoptReason,
});

const controlName = (name: string) => `analysisRuns.${name}`;

function parsed<N extends Name>(name: N, input: unknown): z.output<(typeof COMMANDS)[N]> {
  const result = COMMANDS[name].safeParse(input);
  if (result.success) return result.data as z.output<(typeof COMMANDS)[N]>;
  const [issue] = result.error.issues;
  throw new OutpostError('INVALID_INPUT', `${issue?.path.join('.') || 'The input'}: ${issue?.message}.`);
}

async function run<N extends Name>(handlers: Handlers, name: N, input: unknown): Promise<AnalysisRunAnswers[N]> {
  return await handlers[name](parsed(name, input));
}

/** What a running site does for {@link analysisRunCommand}. */
export function analysisRunCommands(store: Store, cancelJob: (id: string) => Promise<unknown>): ControlCommands {
  const handlers = handlersOf(store, cancelJob);
  const names = Object.keys(COMMANDS) as Name[];
  return Object.fromEntries(
    names.map((name) => [controlName(name), async (input: unknown) => await run(handlers, name, input)]),
  );
}

/**
 * Does one command at the site of a folder.
 * @throws NOT_FOUND, SITE_LOCKED when a site runs that cannot be reached, the errors of `openSite` and of `services/analysis-runs.ts`
 */
export async function analysisRunCommand<N extends Name>(
  dir: string,
  name: N,
  input: Input<N>,
): Promise<AnalysisRunAnswers[N]> {
  return await atSite(dir, controlName(name), input, async ({ store }) => {
    const cancelJob = async (id: string) => await store.jobs.finishUnlessRunning(id, 'cancelled', Date.now());
    return await run(handlersOf(store, cancelJob), name, input);
  });
}
