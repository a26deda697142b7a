/** Recognises the file of a recorder by its content, and reads what decides whose recording it is. Nothing is written. */
import { constants, type FileHandle, open } from 'node:fs/promises';
import type { Temporal } from 'temporal-polyfill';
import { v5 as uuidv5 } from 'uuid';
import { sha256Hex } from '../files/content-hash.ts';
import { HEADER_BYTES, hasCwaHeader } from '../importers/axivity/cwa.ts';
import { headOf } from '../importers/file-heads.ts';
import { FORMATS } from '../importers/formats.ts';
import { readFully } from '../importers/source-bytes.ts';
import { readCwaHead } from './cwa-head.ts';

export interface Recognised {
  /** The same content has the same id wherever it is found, so a recording that is plugged in twice is one. */
  id: string;
  isCwa: boolean;
  model?: string;
  serial?: string;
  sessionId?: number;
  subjectCode?: string;
  start?: Temporal.PlainDateTime;
  stop?: Temporal.PlainDateTime;
  /** A configured recorder without data. */
  isEmpty: boolean;
  sizeBytes: number;
}

/** Namespace of the ids of recordings that were found. */
const FOUND = '8a4e8f0e-6ab5-4b0c-9f37-0b5a4c1d2e90';
/** Enough of both ends to tell recordings apart; a docked recorder reads it in half a second. */
const END_BYTES = 64 << 10;

/** Opens for reading without a trace in the access time, where the system allows that. */
export async function openUntouched(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOATIME } = constants as typeof constants & { O_NOATIME?: number };
  try {
    return await open(path, O_RDONLY | (O_NOATIME ?? 0));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM' || !O_NOATIME) throw thrown;
    return await open(path, O_RDONLY);
  }
}

/** Both ends of a file as bytes. */
export async function readEnds(handle: FileHandle, sizeBytes: number): Promise<{ head: Buffer; tail: Buffer }> {
  const head = Buffer.alloc(Math.min(END_BYTES, sizeBytes));
  const tail = Buffer.alloc(Math.min(END_BYTES, sizeBytes));
  const gotHead = await readFully(handle, head, 0);
  const gotTail = await readFully(handle, tail, sizeBytes - tail.length);
  return { head: head.subarray(0, gotHead), tail: tail.subarray(0, gotTail) };
}

/** Undefined for a file that cannot be taken as a recording. @throws errors of the file system */
export async function recognise(path: string): Promise<Recognised | undefined> {
  const handle = await openUntouched(path);
  try {
    const { size } = await handle.stat();
    const { head, tail } = await readEnds(handle, size);
    if (hasCwaHeader(head)) return recogniseEnds(head, tail, size);
    return await recogniseFormat(path, head, tail, size);
  } finally {
    await handle.close();
  }
}

export function recogniseEnds(head: Buffer, tail: Buffer, sizeBytes: number): Recognised | undefined {
  if (!hasCwaHeader(head) || head.length < HEADER_BYTES) return undefined;
  const id = idOf(head, tail, sizeBytes);
  return { id, isCwa: true, isEmpty: sizeBytes === HEADER_BYTES, sizeBytes, ...readCwaHead(head, tail) };
}

/** A file of another format that can be imported. One that only a last resort would open is foreign. */
async function recogniseFormat(
  path: string,
  head: Buffer,
  tail: Buffer,
  sizeBytes: number,
): Promise<Recognised | undefined> {
  const seen = await headOf(path).catch(() => undefined);
  if (!seen) return undefined;
  const isKnown = FORMATS.some(
    ({ isFile, isSet, isLastResort }) =>
      !isLastResort && ('zipMembers' in seen ? isSet?.(seen.zipMembers, 'ZIP') : isFile?.(seen)),
  );
  return isKnown ? { id: idOf(head, tail, sizeBytes), isCwa: false, isEmpty: false, sizeBytes } : undefined;
}

export const idOf = (head: Buffer, tail: Buffer, sizeBytes: number): string =>
  uuidv5(`${sizeBytes} ${sha256Hex(head)} ${sha256Hex(tail)}`, FOUND);
