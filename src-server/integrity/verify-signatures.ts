/**
 * The part of `verify` that compares every signature with the entry of the audit trail that recorded it. Triggers keep statements from
 * changing a signature, but not somebody who opens the database and drops them; the entry is covered by the chain.
 */
import { diagnostic } from '../diagnostics.ts';
import { stopIfCancelled } from '../files/content-hash.ts';
import { openStore } from '../services/index.ts';
import type { VerifyOptions, VerifyReport } from './verify-report.ts';

const SLICE = 250;

/** Reads the database as of one instant, because the site may be running and people sign. */
export async function verifySignatures(database: string, report: VerifyReport, options: VerifyOptions): Promise<void> {
  const store = openStore(database, { readonly: true, isChecked: true });
  const wrong = (signatureId: string, signerName: string, code: SignatureProblem) =>
    report.problems.push({
      ...diagnostic(code, { signatureId, name: signerName }),
      step: 'audit',
      id: signatureId,
    });
  try {
    store.holdSnapshot();
    const { sequence } = await store.audit.head();
    const recorded = new Set<string>();
    for await (const entries of store.audit.contents({ entityType: 'signature' }, sequence)) {
      stopIfCancelled(options.signal);
      // Entries about an erased person are empty, and their signatures are gone with the person.
      const signed = entries.filter((entry) => entry.action === 'signature.sign' && entry.erasedBy === null);
      const rows = new Map(
        (await store.signatures.byIds(signed.map(({ entityId }) => entityId))).map((row) => [row.id, row]),
      );
      for (const { entityId, changes } of signed) {
        recorded.add(entityId);
        const told = JSON.parse(changes) as Record<string, { new?: unknown } | undefined>;
        const row = rows.get(entityId);
        const signerName = String(told.signerName?.new ?? '');
        if (!row) wrong(entityId, signerName, 'SIGNATURE_MISSING');
        else if (Object.entries(row).some(([name, value]) => (value ?? null) !== (told[name]?.new ?? null)))
          wrong(entityId, signerName, 'SIGNATURE_CHANGED');
      }
    }
    for (let after = ''; ; ) {
      const rows = await store.signatures.after(after, SLICE);
      for (const { id, signerName } of rows) if (!recorded.has(id)) wrong(id, signerName, 'SIGNATURE_UNRECORDED');
      if (rows.length < SLICE) return;
      after = rows.at(-1)!.id;
      stopIfCancelled(options.signal);
    }
  } finally {
    await store.close();
  }
}

type SignatureProblem = 'SIGNATURE_CHANGED' | 'SIGNATURE_MISSING' | 'SIGNATURE_UNRECORDED';
