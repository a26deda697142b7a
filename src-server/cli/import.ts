import { resolve } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { errorFromJSON, OutpostError } from '../errors.ts';
import { sourcesOf } from '../importers/file-sets.ts';
import type { ImportResult } from '../jobs/handlers/import.ts';
import { startEngine } from '../site/engine.ts';
import { openSite } from '../site/folder.ts';
import type { JobRow } from '../study/jobs.ts';
import { isTimeZone } from '../study/zones.ts';
import { findStudy, findSubject } from './find-subject.ts';
import { answer, formatDuration, progressOnDemand, startProgress } from './output.ts';
import { recogniseFiles } from './recognise.ts';
import { parseSensorFile, type SensorFile } from './sensor-files.ts';
import { formatTable } from './tables.ts';

interface ImportCommand {
  data: string;
  study: string;
  subject: string;
  files: string[];
  sensor: string[];
  side?: string;
  timeZone?: string;
  start?: string;
  recognise?: boolean;
  acceptOverlap?: boolean;
  json: boolean;
}

/** `outpost import`: imports each file as one source, then waits for the analysis. */
export async function importFiles(options: ImportCommand): Promise<undefined> {
  const sources = await groupSources([...options.sensor, ...options.files].map(parseSensorFile));
  if (sources.length === 0) throw new OutpostError('INVALID_INPUT', 'No file given. Name at least one file to import.');
  if (options.timeZone !== undefined && !isTimeZone(options.timeZone)) {
    throw new OutpostError('INVALID_INPUT', `Unknown time zone ${options.timeZone}. Use a name such as US/Eastern.`);
  }
  const defaultStartUs = options.start === undefined ? undefined : parseStart(options.start);
  const opening = progressOnDemand('Opening the site');
  const folder = await openSite(options.data, { onProgress: opening.update }).finally(() => opening.stop());
  try {
    if (options.recognise) {
      const study = await findStudy(folder, options.study);
      const subject = await findSubject(folder, study, options.subject);
      const { csvTemplates } = await folder.store.studies.require(study.id);
      const { store } = folder;
      const timeZone = options.timeZone ?? subject.timezone;
      const paths = sources.flatMap((source) => source.paths);
      await recogniseFiles(
        paths,
        { store, accountId: study.accountId, templates: csvTemplates, timeZone },
        options.json,
      );
      return undefined;
    }
    const engine = await startEngine(folder);
    const progress = await startProgress('Import');
    engine.jobs.on('changed', (row: JobRow) => {
      if (row.progress) progress.update(row.progress.done, row.progress.total, row.progress.step);
    });
    try {
      const study = await findStudy(folder, options.study);
      const subject = await findSubject(folder, study, options.subject);
      const results: { file: string; result: ImportResult }[] = [];
      for (const { paths, location } of sources) {
        const job = await engine.jobs.enqueue('import', {
          studyId: study.id,
          subjectId: subject.id,
          paths,
          options: {
            timeZone: options.timeZone ?? subject.timezone,
            ...(location && { location }),
            ...(options.side && { side: options.side }),
            ...(defaultStartUs !== undefined && { defaultStartUs }),
          },
          ...(options.acceptOverlap && { acceptsOverlap: true as const }),
          ownsFiles: false,
        });
        const ended = await engine.jobs.whenEnded(job.id);
        if (ended.state !== 'done') {
          throw ended.error ? errorFromJSON(ended.error) : new OutpostError('CANCELLED', 'The import was cancelled.');
        }
        results.push({ file: paths[0]!, result: ended.result as ImportResult });
      }
      await engine.jobs.whenIdle();
      progress.stop();
      report(results, options.json);
    } finally {
      progress.stop();
      await engine.close();
    }
  } finally {
    await folder.close();
  }
  return undefined;
}

/** Files that belong together are one source, by the rule of the importers; every other file is its own source. */
async function groupSources(files: SensorFile[]): Promise<{ paths: string[]; location?: string }[]> {
  const locations = new Map(files.map(({ path, location }) => [resolve(path), location]));
  return (await sourcesOf([...locations.keys()])).map((paths) => {
    const location = paths.map((path) => locations.get(path)).find((one) => one !== undefined);
    return { paths, ...(location && { location }) };
  });
}

/** Epoch microseconds. @throws INVALID_INPUT */
export function parseStart(text: string): number {
  try {
    return Number(Temporal.Instant.from(text).epochNanoseconds / 1000n);
  } catch {
    throw new OutpostError(
      'INVALID_INPUT',
      `${text} is not a valid start time. Use a format such as 2026-03-01T08:00:00+09:00.`,
    );
  }
}

function report(results: { file: string; result: ImportResult }[], json: boolean): void {
  if (json) {
    answer({ imports: results.map(({ file, result }) => ({ file, ...result })) });
    return;
  }
  const rows = results.flatMap(({ result }) =>
    result.recordings.map((recording) => [
      recording.id,
      recording.location,
      new Date(recording.startMs).toISOString(),
      formatDuration(recording.stopMs - recording.startMs),
      String(recording.samples),
      recording.isNew ? 'imported' : 'already imported',
    ]),
  );
  if (rows.length > 0) answer(formatTable([['recording', 'location', 'start', 'duration', 'samples', ''], ...rows]));
  for (const { file, result } of results) {
    if (result.labels > 0) answer(`${result.labels} labels from ${file}`);
    const notes = [...(result.notes ?? []), ...result.recordings.flatMap((recording) => recording.notes)];
    for (const note of notes) answer(`note: ${note}`);
  }
}
