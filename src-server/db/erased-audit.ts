/**
 * What is left of an entry of the audit trail when the person that it is about was erased, and the digest by which the entry of the
 * erasure vouches for all of them (resources/decisions/0032). The chain continues through the stored hashes. Pure.
 */
import { createHash } from 'node:crypto';
import type { FieldChanges } from '../study/changes.ts';
import { unpackChanges } from './packed-changes.ts';
import { type AuditContent, type AuditRow, auditContentText } from './session.ts';

/** Records of these types outlive every subject, so their ids stay readable; other ids are those of the person's records. */
const LASTING_TYPES: ReadonlySet<string> = new Set([
  ...['account', 'user', 'study', 'membership', 'equipment', 'export', 'setting', 'site', 'webhook'],
]);

/** An entry without what may name the person: who else acted, when, and on what kind of record stays. */
export function withoutPerson(row: AuditContent): AuditContent {
  return {
    ...row,
    actorId: row.actorType === 'USER' ? row.actorId : null,
    entityId: LASTING_TYPES.has(row.entityType) ? row.entityId : '',
    subjectId: null,
    reason: null,
    changes: '{}',
  };
}

/** The digest of the entries that one erasure emptied, in the order of the trail. */
export class ErasedDigest {
  readonly #hash = createHash('sha256');
  #count = 0;

  add(row: AuditContent & { hash: string }): void {
    this.#hash.update(`${row.previousHash}${auditContentText(row)}${row.hash}\n`);
    this.#count += 1;
  }

  /** Ends the digest. */
  result(): { entries: number; entriesSha256: string } {
    return { entries: this.#count, entriesSha256: this.#hash.digest('hex') };
  }
}

interface Tombstone {
  entries: unknown;
  entriesSha256: unknown;
}

/** Compares the emptied entries of a trail with what the entries of erasures say of them. Rows come in order. */
export class ErasedEntries {
  readonly #digests = new Map<number, { digest: ErasedDigest; first: number }>();
  readonly #tombstones = new Map<number, Tombstone>();

  add({ packedChanges, erasedBy, ...row }: AuditRow): void {
    if (erasedBy !== null) {
      const found = this.#digests.get(erasedBy) ?? { digest: new ErasedDigest(), first: row.sequence };
      this.#digests.set(erasedBy, found);
      found.digest.add(row);
    } else if (row.action === 'subject.erase') {
      const changes = JSON.parse(unpackChanges({ changes: row.changes, packedChanges })) as FieldChanges;
      const { entries, entriesSha256 } = changes;
      this.#tombstones.set(row.sequence, { entries: entries?.new, entriesSha256: entriesSha256?.new });
    }
  }

  /** The first emptied entry of each erasure that does not account for exactly these; ends the comparison. */
  unaccounted(): { sequence: number; erasedBy: number }[] {
    const wrong: { sequence: number; erasedBy: number }[] = [];
    for (const [erasedBy, { digest, first }] of this.#digests) {
      const found = digest.result();
      const told = this.#tombstones.get(erasedBy);
      this.#tombstones.delete(erasedBy);
      if (found.entries === told?.entries && found.entriesSha256 === told.entriesSha256) continue;
      wrong.push({ sequence: first, erasedBy });
    }
    // An erasure always has entries: the person was added once.
    for (const [sequence, { entries }] of this.#tombstones)
      if (entries !== 0) wrong.push({ sequence, erasedBy: sequence });
    return wrong;
  }
}
