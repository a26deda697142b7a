/**
 * A request's body, read straight from its socket: the web streams of the tus server copy and queue every 64 KiB several
 * times over, which costs more than checking and storing them.
 */
import type { IncomingMessage } from 'node:http';
import { detachBuffer } from '../../detach-buffer.ts';

export interface RequestBody {
  /**
   * The bytes as they come, once; a chunk is gone when the next one is asked for. Ends early, without an error, after `stop`.
   * @throws when the connection is cut
   */
  chunks: AsyncIterable<Buffer>;
  /** What came so far still counts, more is not read. */
  stop: () => void;
  /** For who wants a stream: has no bytes, ends when the body does. */
  end: ReadableStream<Uint8Array>;
  /** True once the last byte has come. */
  isComplete: () => boolean;
  /** Reads and drops a short rest, so that the connection can be used again; cuts it where the rest is long. */
  release: () => void;
}

/** What a sender has under way when it is refused; more is not worth reading. */
const MAX_DROPPED_BYTES = 16 << 20;
/** The socket waits while so much is not taken. */
const MAX_QUEUED_BYTES = 1 << 20;

export function bodyOf(request: IncomingMessage): RequestBody {
  let queue: Buffer[] = [];
  let queuedBytes = 0;
  let isEnded = false;
  let isCut = false;
  let wake = (): void => undefined;
  let isReleased = false;
  let finish = (): void => undefined;
  const end = new ReadableStream<Uint8Array>({
    start(controller) {
      finish = () => {
        finish = () => undefined;
        controller.close();
      };
    },
    cancel() {
      finish = () => undefined;
    },
  });
  const onData = (chunk: Buffer) => {
    queue.push(chunk);
    queuedBytes += chunk.length;
    if (queuedBytes >= MAX_QUEUED_BYTES) request.pause();
    wake();
  };
  const stop = () => {
    detach();
    isEnded = true;
    wake();
    finish();
  };
  const onGone = () => {
    isCut = true;
    stop();
  };
  const detach = () => {
    request.off('data', onData).off('end', stop).off('error', onGone).off('close', onGone);
  };
  request.on('end', stop).on('error', onGone).on('close', onGone);
  // A listener for data starts the flow; it begins when somebody reads.
  request.on('data', onData).pause();

  async function* chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const taken = queue;
      queue = [];
      queuedBytes = 0;
      if (!isEnded) request.resume();
      for (const chunk of taken) {
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
    end,
    isComplete: () => request.complete,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      stop();
      if (request.complete || request.destroyed) {
        request.resume();
        return;
      }
      let dropped = 0;
      request.on('error', () => undefined);
      request.on('data', (chunk: Buffer) => {
        dropped += chunk.length;
        if (dropped > MAX_DROPPED_BYTES) request.destroy();
      });
      request.resume();
    },
  };
}
