/** What people and devices noted in a day: labels, finished tasks, faults of the sensors. Pure. */
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

/** An answer names the task that asked, not the time it was done; the two end together. */
const taskKey = (taskId: string, stopTs: number) => `${taskId} ${stopTs}`;

type Fault = Recording['faults'][number];

/** What recordings and pieces of equipment tell of faults: a piece tells of those outside recordings too. */
export interface FaultSource {
  displayName?: string;
  faults: readonly Fault[];
}

/** Marks of a window in order of their start. Answers, in the words of `said`, stand with the task that asked for them. */
export function dayMarks(
  annotations: readonly Annotation[],
  sources: readonly FaultSource[],
  window: Span,
  said: (answer: string | undefined) => string | undefined = (answer) => answer,
): DayMark[] {
  const answers = new Map<string, string[]>();
  for (const { event, value, stopTs } of annotations) {
    if (event?.type !== 'question' || !event.relationship) continue;
    const key = taskKey(event.relationship.id, stopTs);
    answers.set(key, [...(answers.get(key) ?? []), [event.displayName, said(value)].filter(Boolean).join(' ')]);
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
