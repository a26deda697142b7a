/** What an exported audit trail says about itself to a person. */
import type { AuditExportFacts } from './export-facts.ts';

export function readmeOf(facts: AuditExportFacts): string {
  const scope =
    facts.scope === 'whole'
      ? 'all entries of the site'
      : `the entries selected by ${Object.entries(facts.selection)
          .map(([name, value]) => `${name} = ${value}`)
          .join(', ')}`;
  return `Audit trail exported by Outpost ${facts.programVersion}

Site:          ${facts.siteId}
Exported:      ${new Date(facts.exportedTs).toISOString()}
Holds:         ${scope}, up to entry ${facts.upToSequence}
Rows:          ${facts.rows}
Closing hash:  ${facts.closingHash}

The site showed the number of rows and the closing hash when it made this export. Compare them with a copy that was kept
elsewhere, such as a print: this file can be changed as well as the others.

audit.csv        one row per entry, oldest first
names.csv        current names of the people and devices in actorId; for reading only, not covered by any hash
export.json      the facts above, for programs, and the signed head of the trail (auditReceipt)
verify-audit.py  checks audit.csv; needs Python 3.6 or newer and nothing else

To verify:

    python3 verify-audit.py --expect ${facts.rows}:${facts.closingHash}

It recomputes the hash of every row and names the first one that was changed, removed, added or moved. Do not save audit.csv
again from a spreadsheet program: it rounds long numbers and rewrites times. Open a copy instead.

Each entry has the SHA-256 of the hash before it and of its own content:

    hash = SHA-256( previousHash + JSON )

where JSON is {"action","actorId","actorType","changes","entityId","entityType","reason","sequence","studyId","subjectId","timeTs"}
with the values of the row in this order, without spaces, in UTF-8. An empty cell is null, and an apostrophe at the start of a
text is not part of it. The first previousHash is 64 zeros.
`;
}
