/** Labels, tasks and answers within a recording, as the viewer lists and draws them. Pure. */
import type { Annotation } from '../../../../src-server/api/contract/index.ts';
import { csvText } from '../../../shared/csv.ts';
import type { Extent } from '../view.ts';

export const LABEL_KINDS = ['label', 'activity', 'diary', 'question', 'system'] as const;
export type LabelKind = (typeof LABEL_KINDS)[number];

export interface LabelItem {
  id: string;
  kind: LabelKind;
  name: string;
  value: string | undefined;
  /** Of an answer that is a number. */
  unit?: string | undefined;
  startMs: number;
  stopMs: number;
  createdMs: number;
  authorId: string | undefined;
}

/** Labels of staff can be edited; reports of a subject and marks of the system cannot. */
export const isEditable = (item: LabelItem) => item.kind === 'label';

function kindOf({ event, authorId }: Annotation): LabelKind {
  if (event) return event.type;
  return authorId === undefined ? 'system' : 'label';
}

/** Returns the annotations that overlap a recording, by start. */
export function labelsOf(annotations: readonly Annotation[], extent: Extent): LabelItem[] {
  return annotations
    .filter(({ startTs, stopTs }) => startTs <= extent.stopMs && stopTs >= extent.startMs)
    .map((annotation) => ({
      id: annotation.id,
      kind: kindOf(annotation),
      name: annotation.event?.displayName ?? annotation.displayName,
      value: annotation.value,
      unit: annotation.unit,
      startMs: annotation.startTs,
      stopMs: annotation.stopTs,
      createdMs: annotation.createdTs,
      authorId: annotation.authorId,
    }))
    .sort((a, b) => a.startMs - b.startMs || a.stopMs - b.stopMs);
}

/** Returns the label before (-1) or after (1) an instant; null beyond the last one. */
export function neighbour(items: readonly LabelItem[], ms: number, direction: -1 | 1): LabelItem | null {
  if (direction === 1) return items.find(({ startMs }) => startMs > ms + 1) ?? null;
  return items.findLast(({ startMs }) => startMs < ms - 1) ?? null;
}

/** The list as CSV, with times in epoch ms and ISO 8601, so that the file does not depend on the language. */
export function labelsCsv(items: readonly LabelItem[]): string {
  const rows = items.map(({ kind, name, value, startMs, stopMs, createdMs, authorId }) => [
    kind,
    name,
    value ?? '',
    startMs,
    stopMs,
    stopMs - startMs,
    new Date(startMs).toISOString(),
    new Date(createdMs).toISOString(),
    authorId ?? '',
  ]);
  const header = [
    'Kind',
    'Name',
    'Value',
    'Start Timestamp (ms)',
    'Stop Timestamp (ms)',
    'Duration (ms)',
    'Start (UTC)',
    'Created (UTC)',
    'AuthorId',
  ];
  return csvText(header, rows);
}
