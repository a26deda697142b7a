/** Kinds of annotations and the rules for them: tasks that subjects report, and labels that staff or the system set. */
import { OutpostError } from '../errors.ts';

export type AnnotationType = 'activity' | 'diary' | 'question' | 'recording' | 'subject';

/** @throws INVALID_INPUT when the span ends before it starts */
export function requireSpan(span: { startTs: number; stopTs: number }): void {
  if (span.stopTs >= span.startTs) return;
  throw new OutpostError('INVALID_INPUT', 'The stop must not be before the start.', {
    errors: [{ path: 'stopTs', message: 'The stop must not be before the start.' }],
  });
}

/** @throws INVALID_INPUT for what a subject reported: only labels may change */
export function requireLabel({ type }: { type: AnnotationType }): void {
  if (type === 'recording' || type === 'subject') return;
  throw new OutpostError(
    'INVALID_INPUT',
    'A subject reported this, so it cannot be changed. Add a label beside it instead.',
  );
}
