/**
 * The part of `verify` that compares every correction with the entry of the audit trail that recorded it: nothing in the program
 * changes or removes one, but somebody may who opens the database.
 */
import { type CorrectionRecord, correctionOfAudit } from '../db/index.ts';
import { diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import { openStore } from '../services/index.ts';
import { canonicalJson } from '../study/changes.ts';
import type { VerifyOptions, VerifyReport } from './verify-report.ts';

const SLICE = 1000;

/** Reads the database as of one instant, because the site may be running and people correct. */
export async function verifyCorrections(database: string, report: VerifyReport, options: VerifyOptions): Promise<void> {
  const store = openStore(database, { readonly: true, isChecked: true });
  const wrong = (correctionId: string, code: 'CORRECTION_CHANGED' | 'CORRECTION_MISSING' | 'CORRECTION_UNRECORDED') =>
    report.problems.push({ ...diagnostic(code, { correctionId }), step: 'audit', id: correctionId });
  try {
    store.holdSnapshot();
    const { sequence } = await store.audit.head();
    /** What each entry says of its rows. */
    const told = new Map<string, string>();
    for await (const entries of store.audit.contents({ entityType: 'correction' }, sequence)) {
      stopIfCancelled(options.signal);
      // Entries about an erased person are empty, and their corrections are gone with the person.
      for (const { changes, erasedBy } of entries) {
        if (erasedBy !== null) continue;
        const { corrections } = JSON.parse(changes) as { corrections?: { new?: { id: string }[] } };
        for (const one of corrections?.new ?? []) told.set(one.id, canonicalJson(one));
      }
    }
    let after = 0;
    for (;;) {
      const rows: CorrectionRecord[] = await store.corrections.slice(after, SLICE);
      for (const row of rows) {
        const expected = told.get(row.id);
        told.delete(row.id);
        if (expected === undefined) wrong(row.id, 'CORRECTION_UNRECORDED');
        else if (expected !== canonicalJson(correctionOfAudit(row))) wrong(row.id, 'CORRECTION_CHANGED');
      }
      stopIfCancelled(options.signal);
      if (rows.length < SLICE) break;
      after = rows.at(-1)!.sequence;
    }
    for (const id of told.keys()) wrong(id, 'CORRECTION_MISSING');
  } finally {
    await store.close();
  }
}
