/** What people noted on a recording's time: labels, tasks and answers, as the viewer lists and draws them. Pure. */
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
  startMs: number;
  stopMs: number;
  createdMs: number;
  authorId: string | undefined;
}

/** Only what staff noted can be changed; what a subject reported and what the system marked stay as they are. */
export const isEditable = (item: LabelItem) => item.kind === 'label';

function kindOf({ event, authorId }: Annotation): LabelKind {
  if (event) return event.type;
  return authorId === undefined ? 'system' : 'label';
}

/** Annotations that touch a recording, by start. */
export function labelsOf(annotations: readonly Annotation[], extent: Extent): LabelItem[] {
  return annotations
    .filter(({ startTs, stopTs }) => startTs <= extent.stopMs && stopTs >= extent.startMs)
    .map((annotation) => ({
      id: annotation.id,
      kind: kindOf(annotation),
      name: annotation.event?.displayName ?? annotation.displayName,
      value: annotation.value,
      startMs: annotation.startTs,
      stopMs: annotation.stopTs,
      createdMs: annotation.createdTs,
      authorId: annotation.authorId,
    }))
    .sort((a, b) => a.startMs - b.startMs || a.stopMs - b.stopMs);
}

/** The label before or after an instant; null at the end of the list. */
export function neighbour(items: readonly LabelItem[], ms: number, direction: -1 | 1): LabelItem | null {
  if (direction === 1) return items.find(({ startMs }) => startMs > ms + 1) ?? null;
  return items.findLast(({ startMs }) => startMs < ms - 1) ?? null;
}

/** Rows of the list as CSV: times in epoch ms and ISO, so that nothing depends on a language. */
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
