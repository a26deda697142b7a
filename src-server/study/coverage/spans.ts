/** Spans of time: epoch ms, stop exclusive. */
export interface TimeSpan {
  startMs: number;
  stopMs: number;
}

export function lengthMs(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { startMs, stopMs }) => sum + (stopMs - startMs), 0);
}

/** Returns the intersection of two spans; undefined when it is empty. */
export function clip(span: TimeSpan, within: TimeSpan): TimeSpan | undefined {
  const startMs = Math.max(span.startMs, within.startMs);
  const stopMs = Math.min(span.stopMs, within.stopMs);
  return stopMs > startMs ? { startMs, stopMs } : undefined;
}

/** Returns the union of spans within a span; ascending, without overlap. */
export function union(spans: readonly TimeSpan[], within: TimeSpan): TimeSpan[] {
  const clipped = spans.flatMap((span) => clip(span, within) ?? []).sort((a, b) => a.startMs - b.startMs);
  const joined: TimeSpan[] = [];
  for (const span of clipped) {
    const last = joined.at(-1);
    if (last && span.startMs <= last.stopMs) last.stopMs = Math.max(last.stopMs, span.stopMs);
    else joined.push({ ...span });
  }
  return joined;
}

/** Returns the parts of a span that none of the spans covers; ascending. */
export function holesIn(spans: readonly TimeSpan[], within: TimeSpan): TimeSpan[] {
  const holes: TimeSpan[] = [];
  let startMs = within.startMs;
  for (const span of union(spans, within)) {
    if (span.startMs > startMs) holes.push({ startMs, stopMs: span.startMs });
    startMs = span.stopMs;
  }
  if (within.stopMs > startMs) holes.push({ startMs, stopMs: within.stopMs });
  return holes;
}
