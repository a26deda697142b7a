/** `outpost analysis-runs`: what the desk's screen Analysis does, for a server without a desk. */
import { type AnalysisRunAnswers, analysisRunCommand, type ListedRun } from '../site/analysis-run-commands.ts';
import { type ParameterOptions, parametersFrom } from './analysis-parameters.ts';
import { answer } from './output.ts';
import { formatTable } from './tables.ts';

interface StudyOptions {
  data: string;
  study: string;
  json: boolean;
}

interface RunOptions extends StudyOptions {
  run: string;
}

/** @throws NOT_FOUND */
export async function listRuns({ data, study, json }: StudyOptions): Promise<undefined> {
  const found = await analysisRunCommand(data, 'list', { study });
  if (json) answer(found);
  else {
    const { programVersion, pinnedVersion, runs } = found;
    const pin = pinnedVersion === undefined ? 'not pinned' : `pinned to ${pinnedVersion}`;
    answer(`Algorithms: version ${programVersion}; the study is ${pin}.`);
    if (runs.length === 0) answer('No analysis runs.');
    else answer(formatTable([['name', 'state', 'version', 'subjects', 'started', 'id'], ...runs.map(rowOf)]));
  }
  return undefined;
}

/** @throws NOT_FOUND, INVALID_INPUT, DUPLICATE_NAME, CONFLICT */
export async function createRun(
  options: StudyOptions & ParameterOptions & { name: string; reason: string; subject: string[] },
): Promise<undefined> {
  const { data, study, json, name, reason, subject } = options;
  const isChosen = options.parameters !== undefined || options.cutPoints.length > 0 || options.nonWear !== undefined;
  // Options change what the study is analysed by; a file says all of it.
  const parameters = isChosen
    ? await parametersFrom(options, (await analysisRunCommand(data, 'list', { study })).parameters)
    : undefined;
  const run = await analysisRunCommand(data, 'create', {
    ...{ study, name, reason },
    ...(parameters && { parameters }),
    ...(subject.length > 0 && { subjects: subject }),
  });
  answer(json ? run : `Started: ${run.name}. It is computed while the site runs; list shows how far it is.`);
  return undefined;
}

/** @throws NOT_FOUND */
export async function compareRuns({ data, study, run, json }: RunOptions): Promise<undefined> {
  const comparison = await analysisRunCommand(data, 'compare', { study, run });
  answer(json ? comparison : comparisonText(comparison));
  return undefined;
}

/** @throws NOT_FOUND, VERSION_NOT_AVAILABLE, CONFLICT */
export async function refreshRun({ data, study, run, json }: RunOptions): Promise<undefined> {
  const { queued } = await analysisRunCommand(data, 'refresh', { study, run });
  answer(json ? { queued } : queued === 0 ? 'The run is up to date.' : `Subjects that are analysed again: ${queued}.`);
  return undefined;
}

/** @throws NOT_FOUND, CONFLICT */
export async function cancelRun({ data, study, run, json }: RunOptions): Promise<undefined> {
  const cancelled = await analysisRunCommand(data, 'cancel', { study, run });
  answer(json ? cancelled : `Cancelled: ${cancelled.name}.`);
  return undefined;
}

/** @throws NOT_FOUND, STUDY_LOCKED, CONFLICT, with nothing changed */
export async function adoptRun({
  data,
  study,
  run,
  reason,
  json,
}: RunOptions & { reason: string }): Promise<undefined> {
  const result = await analysisRunCommand(data, 'adopt', { study, run, reason });
  const { adopted, replaced } = result;
  const before = replaced ? ` What was in use is now the run ${replaced.name}.` : '';
  answer(json ? result : `In use: ${adopted.name}.${before}`);
  return undefined;
}

/** @throws NOT_FOUND, STUDY_LOCKED, VERSION_NOT_AVAILABLE */
export async function pinStudy({
  data,
  study,
  version,
  reason,
  json,
}: StudyOptions & { version: string; reason: string }): Promise<undefined> {
  const pinnedVersion = version === 'none' ? null : version;
  const result = await analysisRunCommand(data, 'pin', { study, version: pinnedVersion, reason });
  const text = pinnedVersion === null ? 'The study follows the program.' : `Pinned to version ${pinnedVersion}.`;
  answer(json ? result : text);
  return undefined;
}

/** @throws NOT_FOUND, INVALID_INPUT when the name does not confirm it, CONFLICT */
export async function deleteRun({
  data,
  study,
  run,
  confirm,
  reason,
  json,
}: RunOptions & { confirm: string; reason: string }): Promise<undefined> {
  const result = await analysisRunCommand(data, 'delete', { study, run, name: confirm, reason });
  answer(json ? result : `Deleted: ${result.deleted}.`);
  return undefined;
}

function rowOf({ id, name, state, version, counts, createdTs }: ListedRun): string[] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const subjects = state === 'ADOPTED' ? 'in use' : `${counts.DONE ?? 0} of ${total}`;
  return [name, state, version, subjects, new Date(createdTs).toISOString(), id];
}

/** Enough digits for metrics of any unit. */
const DIGITS = 5;
const cell = (value: number | undefined): string =>
  value === undefined ? '' : String(Number(value.toPrecision(DIGITS)));

function comparisonText({ days, metrics }: AnalysisRunAnswers['compare']): string {
  const head = `Days in both: ${days.both}; only in use: ${days.onlyInUse}; only in the run: ${days.onlyInRun}.`;
  if (metrics.length === 0) return head;
  const rows = metrics.map(({ name, pairs, equalPairs, bias, lower, upper }) => [
    name,
    String(pairs),
    String(pairs - equalPairs),
    ...(pairs === 0 ? ['', '', ''] : [cell(bias), cell(lower), cell(upper)]),
  ]);
  const columns = ['metric', 'days', 'different', 'bias', 'lower limit', 'upper limit'];
  return `${head}\nDifferences are the run minus what is in use, with 95 % limits of agreement.\n${formatTable([columns, ...rows])}`;
}
