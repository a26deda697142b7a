/**
 * Drawings of canvases, a few milliseconds at a time: a page of many lanes that drew all at once would not answer its keys and
 * pointer for a tenth of a second.
 */
const BUDGET_MS = 8;

const waiting = new Set<() => void>();
const channel = typeof MessageChannel === 'function' ? new MessageChannel() : undefined;
let isScheduled = false;

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  // A message runs as a task of its own, without the delay of a timer.
  if (channel) channel.port2.postMessage(null);
  else setTimeout(run);
}

function run(): void {
  isScheduled = false;
  const begunMs = performance.now();
  for (const draw of waiting) {
    waiting.delete(draw);
    try {
      draw();
    } finally {
      if (waiting.size > 0) schedule();
    }
    if (performance.now() - begunMs > BUDGET_MS) return;
  }
}

if (channel) channel.port1.onmessage = run;

/** Draws in the next free task. Returns a function that cancels the drawing while it waits. */
export function drawSoon(draw: () => void): () => void {
  waiting.add(draw);
  schedule();
  return () => waiting.delete(draw);
}
