/**
 * Reads the body of an upload straight from its socket: with back-pressure, stoppable before its end, and freeing the memory
 * of each chunk as soon as it has been used.
 */
import type { IncomingMessage } from 'node:http';
import { detachBuffer } from '../../detach-buffer.ts';

export interface RequestBody {
  /**
   * The chunks in order, once; each is freed when the next one is requested. Ends early, without an error, after `stop`.
   * @throws when the connection is cut
   */
  chunks: AsyncIterable<Buffer>;
  /** Ends the chunks after those received so far. */
  stop: () => void;
  /** True once the last byte has been received. */
  isComplete: () => boolean;
  /** Drains a short rest, so that the connection can be reused; destroys the connection if the rest is long. */
  release: () => void;
}

/** Covers what a sender already has in flight when it is refused. */
const MAX_DRAINED_BYTES = 16 << 20;
/** The socket is paused while this much waits to be consumed. */
const MAX_QUEUED_BYTES = 1 << 20;

export function bodyOf(request: IncomingMessage): RequestBody {
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  let isEnded = false;
  let isCut = false;
  let isReleased = false;
  let wake = (): void => undefined;
  const onData = (chunk: Buffer) => {
    queue.push(chunk);
    queuedBytes += chunk.length;
    if (queuedBytes >= MAX_QUEUED_BYTES) request.pause();
    wake();
  };
  const stop = () => {
    request.off('data', onData).off('end', stop).off('error', onCut).off('close', onCut);
    isEnded = true;
    wake();
  };
  const onCut = () => {
    isCut = true;
    stop();
  };
  request.on('end', stop).on('error', onCut).on('close', onCut);
  // A data listener starts the flow, so pause until the chunks are read.
  request.on('data', onData).pause();

  async function* chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const received = queue;
      queue = [];
      queuedBytes = 0;
      if (!isEnded) request.resume();
      for (const chunk of received) {
        yield chunk;
        detachBuffer(chunk);
      }
      if (queue.length > 0) continue;
      if (isCut) throw new Error('The connection was cut.');
      if (isEnded) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    chunks: chunks(),
    stop,
    isComplete: () => request.complete,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      stop();
      if (!request.complete && !request.destroyed) drain(request);
      request.resume();
    },
  };
}

function drain(request: IncomingMessage): void {
  let drainedBytes = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > MAX_DRAINED_BYTES) request.destroy();
  });
}
