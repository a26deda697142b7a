/**
 * Reads as plans: a generator says which bytes it needs, a driver fetches them with blocking or with asynchronous reads.
 * So each way of reading a signal file exists once, for the server's event loop and for worker processes alike.
 */
import { open as openWithCallback, read, readSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ReadRequest {
  position: number;
  length: number;
}

/** Yields what to read, receives those bytes (fewer at the end of the file), returns its result. */
export type ReadPlan<T> = Generator<ReadRequest, T, Buffer>;

const readAsync = promisify(read);
export const openAsync = promisify(openWithCallback);

/**
 * Runs a plan with blocking reads.
 *
 * @param room gives the memory of each read, for a plan that is done with one before it asks for the next
 */
export function runSync<T>(
  descriptor: number,
  plan: ReadPlan<T>,
  room: (length: number) => Buffer = Buffer.allocUnsafe,
): T {
  let step = plan.next();
  while (!step.done) {
    const { position, length } = step.value;
    const buffer = room(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(descriptor, buffer, filled, length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    step = plan.next(filled === length ? buffer : buffer.subarray(0, filled));
  }
  return step.value;
}

/** Runs a plan with asynchronous reads. @param room as for {@link runSync} */
export async function runAsync<T>(
  descriptor: number,
  plan: ReadPlan<T>,
  room: (length: number) => Buffer = Buffer.allocUnsafe,
): Promise<T> {
  let step = plan.next();
  while (!step.done) {
    const { position, length } = step.value;
    const buffer = room(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await readAsync(descriptor, buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    step = plan.next(filled === length ? buffer : buffer.subarray(0, filled));
  }
  return step.value;
}
