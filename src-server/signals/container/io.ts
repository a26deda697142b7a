/**
 * Sans-I/O reads: a generator yields the byte ranges it needs, and a driver fetches them with blocking or asynchronous reads.
 * Each algorithm thus exists once, for the server's event loop and for worker processes.
 */
import { open as openWithCallback, read, readSync } from 'node:fs';
import { promisify } from 'node:util';

export interface ReadRequest {
  position: number;
  length: number;
}

/** Yields read requests, receives their bytes (fewer at the end of the file), and returns a result. */
export type ReadPlan<T> = Generator<ReadRequest, T, Buffer>;

const readAsync = promisify(read);
export const openAsync = promisify(openWithCallback);

/**
 * Runs a plan with blocking reads.
 *
 * @param room allocates the buffer of each read; a plan that never keeps a buffer past its next request may share one
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

/** Runs a plan on bytes that are already in memory; it receives views of them. */
export function runOn<T>(bytes: Buffer, plan: ReadPlan<T>): T {
  let step = plan.next();
  while (!step.done) {
    const { position, length } = step.value;
    step = plan.next(bytes.subarray(position, position + length));
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
