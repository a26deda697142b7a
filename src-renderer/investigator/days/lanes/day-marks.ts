/** Marks of a day: labels, finished tasks, and faults of sensors and hubs. Pure. */
import type { Annotation, Recording } from '../../../../src-server/api/contract/index.ts';
import type { Span } from './day-data.ts';

export type MarkKind = 'task' | 'label' | 'fault';

export interface DayMark {
  id: string;
  kind: MarkKind;
  name: string;
  /** The value of a label; the answers of a task. */
  detail: string;
  startMs: number;
  stopMs: number;
}

const touches = (mark: Span, window: Span) =>
  mark.startMs < window.stopMs && Math.max(mark.stopMs, mark.startMs + 1) > window.startMs;

/** An answer names its task but not which time it was done. An answer and its task end at the same instant. */
const taskKey = (taskId: string, stopTs: number) => `${taskId} ${stopTs}`;

type Fault = Recording['faults'][number];

/** A recording or an equipment item with its faults. An item also has faults from outside recordings. */
export interface FaultSource {
  displayName?: string;
  faults: readonly Fault[];
}

/**
 * Returns the marks of a window by start, each fault once. Answers are the detail of their task.
 * @param answerText translates the codes of an answer
 */
export function dayMarks(
  annotations: readonly Annotation[],
  sources: readonly FaultSource[],
  window: Span,
  answerText: (answer: string | undefined) => string | undefined = (answer) => answer,
): DayMark[] {
  const answers = new Map<string, string[]>();
  for (const { event, value, unit, stopTs } of annotations) {
    if (event?.type !== 'question' || !event.relationship) continue;
    const key = taskKey(event.relationship.id, stopTs);
    const text = [event.displayName, answerText(value), unit].filter(Boolean).join(' ');
    answers.set(key, [...(answers.get(key) ?? []), text]);
  }
  const noted = annotations
    .filter((annotation) => annotation.event?.type !== 'question')
    .map(
      (annotation): DayMark => ({
        id: annotation.id,
        kind: annotation.event ? 'task' : 'label',
        name: annotation.displayName,
        detail: annotation.event
          ? (answers.get(taskKey(annotation.event.id, annotation.stopTs)) ?? []).join('; ')
          : (annotation.value ?? ''),
        startMs: annotation.startTs,
        stopMs: annotation.stopTs,
      }),
    );
  const faults = sources.flatMap((source) =>
    source.faults.map(
      (fault): DayMark => ({
        id: `${fault.sensorId} ${fault.faultTs} ${fault.faultFlag}`,
        kind: 'fault',
        name: fault.faultFlag,
        detail: source.displayName ?? fault.faultType,
        startMs: fault.faultTs,
        stopMs: fault.faultTs,
      }),
    ),
  );
  const known = new Set<string>();
  return [...noted, ...faults]
    .filter((mark) => touches(mark, window) && !known.has(mark.id) && known.add(mark.id))
    .sort((a, b) => a.startMs - b.startMs);
}
