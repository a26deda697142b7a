/**
 * The analytics part of `verify`: every window, those of analysis runs included, against its column file (present, SHA-256, decodable, of this window), and the
 * files of `columns` against the rows. A file that no row names is no problem: it is removed in time.
 */
import { join } from 'node:path';
import { describeSecondColumns, type RunWindowContent, type WindowContent } from '../db/index.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { toOutpostError } from '../errors.ts';
import { COLUMN_PREFIXES, columnOfFile, isPartialColumn } from '../files/column-files.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import { ReusedBuffer } from '../files/reused-buffer.ts';
import type { Store } from '../services/index.ts';
import { turns } from './turns.ts';
import { countedRows, reportedNames, type VerifyOptions, type VerifyReport } from './verify-report.ts';

const SLICE = 200;
const FILE_SLICE = 5000;

/** What is in the column file of one content, which many windows may name. */
interface ColumnFacts {
  startMs: number;
  problem: string | null;
}

export async function verifyAnalytics(store: Store, report: VerifyReport, options: VerifyOptions): Promise<void> {
  const { analytics } = store;
  const contents = new ColumnContents(store, report);
  const inUse: Windows<WindowContent> = {
    after: (last) => analytics.windowKeysAfter(last, SLICE),
    now: ({ subjectId, date }) => analytics.windowContent(subjectId, date),
  };
  const ofRuns: Windows<RunWindowContent> = {
    after: (last) => analytics.runWindowsAfter(last, SLICE),
    now: ({ runId, subjectId, date }) => analytics.runWindowContent(runId, subjectId, date),
  };
  const total = countedRows(store, 'analyticsWindow') + countedRows(store, 'analysisRunWindow');
  await verifyWindows(inUse, contents, report, { ...options, total });
  await verifyWindows(ofRuns, contents, report, { ...options, total });
}

/** The windows of one table, and what one of them says now. */
interface Windows<W extends WindowContent> {
  after(last: W | null): Promise<W[]>;
  now(window: W): Promise<WindowContent | undefined>;
}

async function verifyWindows<W extends WindowContent>(
  windows: Windows<W>,
  contents: ColumnContents,
  report: VerifyReport,
  { total, ...options }: VerifyOptions & { total: number },
): Promise<void> {
  const turn = turns();
  let after: W | null = null;
  for (;;) {
    const slice: W[] = await windows.after(after);
    for (const window of slice) {
      await turn();
      stopIfCancelled(options.signal);
      const { subjectId, date } = window;
      let detail = await contents.problemOf(window);
      if (detail !== null) {
        // The site may be running: the day may have been computed again since its row was read.
        const now = await windows.now(window);
        if (now?.columnsSha256 !== window.columnsSha256) detail = now ? await contents.problemOf(now) : null;
      }
      if (detail !== null) {
        const message = `Analytics of ${date}: ${detail}`;
        const found = { ...diagnostic('ANALYTICS_DAMAGED', { date }), message };
        report.problems.push({ ...found, step: 'analytics', id: subjectId });
      }
      report.checked.windows += 1;
      const done = report.checked.windows;
      options.onProgress?.({ step: 'analytics', done, total: Math.max(total, done) });
      after = window;
    }
    if (slice.length < SLICE) return;
  }
}

/** What windows name, each content read once however many windows name it. */
class ColumnContents {
  readonly #store: Store;
  readonly #report: VerifyReport;
  readonly #memory = new ReusedBuffer();
  readonly #known = new Map<string, ColumnFacts>();

  constructor(store: Store, report: VerifyReport) {
    this.#store = store;
    this.#report = report;
  }

  async problemOf(window: WindowContent): Promise<string | null> {
    const { columnsSha256: sha256, startTs } = window;
    let facts = sha256 === null ? undefined : this.#known.get(sha256);
    if (!facts) {
      facts = await this.#read(window);
      if (sha256 !== null) this.#known.set(sha256, facts);
    }
    if (facts.problem !== null) return facts.problem;
    if (facts.startMs === startSecondMs(startTs)) return null;
    return 'the stored seconds are those of another time. Compute the day again.';
  }

  async #read(window: WindowContent): Promise<ColumnFacts> {
    const { subjectId, date, startTs, columnsSha256, columnsBytes } = window;
    const { analytics } = this.#store;
    const asExpected = { startMs: startSecondMs(startTs), problem: null };
    // Put aside by an adopted run while it was still in its row: it is read from there.
    if ('runId' in window && columnsSha256 === null) return asExpected;
    try {
      const bytes =
        columnsSha256 !== null && columnsBytes !== null
          ? analytics.columnContent({ sha256: columnsSha256, sizeBytes: columnsBytes }, this.#memory)
          : await analytics.windowBytes(subjectId, date);
      if (!bytes) return asExpected;
      this.#report.checked.bytes += bytes.length;
      const { startMs, count, lengths } = describeSecondColumns(bytes);
      const other = lengths.find(([, length]) => length !== count);
      const problem = other && `column ${other[0]} has ${other[1]} seconds, not ${count}. Compute the day again.`;
      return { startMs, problem: problem ?? null };
    } catch (thrown) {
      const error = toOutpostError(thrown);
      if (error.kind === 'cancelled') throw error;
      return { ...asExpected, problem: error.message };
    }
  }
}

const startSecondMs = (startTs: number): number => Math.floor(startTs / 1000) * 1000;

export async function verifyColumnFiles(
  store: Store,
  columnsDir: string,
  report: VerifyReport,
  options: VerifyOptions,
): Promise<void> {
  const problem = (id: string, found: Diagnostic) => report.problems.push({ ...found, step: 'files', id });
  const files: string[] = [];
  for (const name of (await reportedNames(columnsDir, 'columns', report)) ?? []) {
    if (!COLUMN_PREFIXES.includes(name)) {
      problem(name, diagnostic('COLUMN_FILE_FOREIGN', { file: name }));
      continue;
    }
    stopIfCancelled(options.signal);
    for (const file of (await reportedNames(join(columnsDir, name), `columns/${name}`, report)) ?? []) {
      const sha256 = columnOfFile(file);
      if (sha256?.startsWith(name)) files.push(sha256);
      else if (!isPartialColumn(file)) problem(file, diagnostic('COLUMN_FILE_FOREIGN', { file: `${name}/${file}` }));
    }
  }
  // Read the rows after the names, so that a file whose row commits in between is known.
  const used = new Set<string>();
  for (let after = ''; ; ) {
    const contents = await store.analytics.columnFilesAfter(after, FILE_SLICE);
    for (const { sha256 } of contents) used.add(sha256);
    if (contents.length < FILE_SLICE) break;
    after = contents.at(-1)!.sha256;
  }
  report.checked.unusedColumnFiles = files.filter((sha256) => !used.has(sha256)).length;
}
