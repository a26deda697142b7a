/**
 * The electronic signatures of a study as a table of an export: printed name, role, time and meaning of each, what it binds, and
 * whether its record still is what was signed when the export was made (21 CFR 11.50(b)).
 */
import { csvRow } from '../../csv-row.ts';
import type { ShownSignature } from '../../db/index.ts';
import type { SignedKind } from '../../study/signatures.ts';
import { SIGNATURE_MEANINGS, SIGNED_KINDS } from '../../vocabulary/signatures.ts';
import { ROLES } from '../../vocabulary/study.ts';
import type { CodedKind } from './deidentifier.ts';
import { codeOf, DATE, idOf, MEASURE, TEXT, TIME_MS } from './disclosure.ts';
import type { ExportColumn, ExportView } from './export-view.ts';
import type { SubjectFrame } from './subject-frame.ts';
import type { StudyExportContext, StudyExportOptions } from './types.ts';

interface ExportedSignature {
  signature: ShownSignature;
  /** Of its subject; null for a signature of the study or an export, whose times are never disclosed. */
  frame: SubjectFrame | null;
}

const PAGE = 500;

const TARGETS = {
  'study-definition': 'study',
  'study-lock': 'study',
  'subject-day': 'subject',
  recording: 'recording',
  export: 'export',
} as const satisfies Record<SignedKind, CodedKind>;

/** Hashes, comments and names do not leave a de-identified export, as its README says. */
const COLUMNS: readonly ExportColumn<ShownSignature>[] = [
  { name: 'signedAt', shows: TEXT, value: ({ signedTs }) => new Date(signedTs).toISOString() },
  { name: 'signedTs', shows: TIME_MS, value: ({ signedTs }) => signedTs },
  { name: 'signerName', shows: TEXT, value: ({ signerName }) => signerName },
  { name: 'signerRole', shows: codeOf(new Set(ROLES)), value: ({ signerRole }) => signerRole },
  { name: 'userId', shows: idOf('person'), value: ({ userId }) => userId },
  { name: 'meaning', shows: codeOf(new Set(SIGNATURE_MEANINGS)), value: ({ meaning }) => meaning },
  { name: 'record', shows: codeOf(new Set(SIGNED_KINDS)), value: ({ kind }) => kind },
  { name: 'recordId', shows: ({ kind }) => idOf(TARGETS[kind]), value: ({ targetId }) => targetId },
  { name: 'subjectId', shows: idOf('subject'), value: ({ subjectId }) => subjectId },
  { name: 'date', shows: DATE, value: ({ date }) => date },
  { name: 'state', shows: codeOf(/^(?:current|changed|gone)$/), value: ({ state }) => state },
  { name: 'contentVersion', shows: MEASURE, value: ({ contentVersion }) => contentVersion },
  { name: 'contentSha256', shows: TEXT, value: ({ contentSha256 }) => contentSha256 },
  { name: 'comment', shows: TEXT, value: ({ comment }) => comment },
];

/** Signatures given before the request, newest first; those of subjects that are not exported are left out. */
export async function* exportedSignatures(
  { store, throwIfCancelled }: StudyExportContext,
  { studyId, asOfTs }: StudyExportOptions,
  frames: ReadonlyMap<string, SubjectFrame>,
): AsyncGenerator<ExportedSignature> {
  let after: readonly [number, string] | undefined;
  for (;;) {
    throwIfCancelled();
    const page = await store.signatures.shown(studyId, { keyset: { limit: PAGE, ...(after && { after }) } });
    for (const signature of page) {
      const { subjectId, signedTs } = signature;
      const frame = subjectId === undefined ? null : frames.get(subjectId);
      if (frame !== undefined && signedTs <= asOfTs) yield { signature, frame };
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = [last.signedTs, last.id];
  }
}

/** Names of the columns and the cells of each row; what must not leave is left out. */
export async function* signatureRows(
  view: ExportView,
  signatures: AsyncIterable<ExportedSignature>,
): AsyncGenerator<(string | number | undefined)[]> {
  const columns = COLUMNS.filter(({ shows }) => !view.isDeidentified || shows !== TEXT);
  yield columns.map(({ name }) => name);
  for await (const { signature, frame } of signatures) {
    yield view.cells(columns, signature, frame) as (string | number | undefined)[];
  }
}

/** The table as `signatures.csv`. */
export async function* signaturesCsv(
  context: StudyExportContext,
  options: StudyExportOptions,
  view: ExportView,
  frames: Iterable<SubjectFrame>,
): AsyncGenerator<string> {
  const bySubject = new Map([...frames].map((frame) => [frame.subjectId, frame]));
  for await (const cells of signatureRows(view, exportedSignatures(context, options, bySubject))) yield csvRow(cells);
}
