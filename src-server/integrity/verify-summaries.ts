/** The part of `verify` that compares the summaries of every subject with the rows that they summarise. */
import { diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import { openStore } from '../services/index.ts';
import { countedRows, type VerifyOptions, type VerifyReport } from './verify-report.ts';

const SLICE = 200;

/** Reads the database as of one instant, because the site may be running and changes rows and summaries together. */
export async function verifySummaries(database: string, report: VerifyReport, options: VerifyOptions): Promise<void> {
  const store = openStore(database, { readonly: true, isChecked: true });
  try {
    store.holdSnapshot();
    const total = countedRows(store, 'subject');
    for (let after = ''; ; ) {
      const slice = await store.summaries.subjectsAfter(after, SLICE);
      for (const subjectId of slice) {
        stopIfCancelled(options.signal);
        const tables = await store.summaries.wrongOf(subjectId);
        report.checked.subjects += 1;
        options.onProgress?.({ step: 'summaries', done: report.checked.subjects, total });
        if (tables.length === 0) continue;
        const found = diagnostic('SUMMARY_WRONG', { subjectId, tables: tables.join(', ') });
        report.problems.push({ ...found, step: 'summaries', id: subjectId });
      }
      if (slice.length < SLICE) return;
      after = slice.at(-1)!;
    }
  } finally {
    await store.close();
  }
}
