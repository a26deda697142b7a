/** A request's body as a web stream that lets go of the request when the answer comes before its end. */
import type { IncomingMessage } from 'node:http';

export interface RequestBody {
  stream: ReadableStream<Uint8Array>;
  /** True once the last byte has come. */
  isComplete: () => boolean;
  /** Reads and drops a short rest, so that the connection can be used again; cuts it where the rest is long. */
  release: () => void;
}

/** What a sender has under way when it is refused; more is not worth reading. */
const MAX_DROPPED_BYTES = 16 << 20;

export function bodyOf(request: IncomingMessage): RequestBody {
  let detach = (): void => undefined;
  let isReleased = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onData = (chunk: Buffer) => {
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) request.pause();
        };
        const onEnd = () => {
          detach();
          controller.close();
        };
        const onGone = () => {
          detach();
          controller.error(new Error('The connection was cut.'));
        };
        detach = () => {
          request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
          detach = () => undefined;
        };
        request.on('end', onEnd).on('error', onGone).on('close', onGone);
        // A listener for data starts the flow; it begins when somebody reads.
        request.on('data', onData).pause();
      },
      pull() {
        request.resume();
      },
      cancel() {
        detach();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 256 << 10 }),
  );
  return {
    stream,
    isComplete: () => request.complete,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      detach();
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
