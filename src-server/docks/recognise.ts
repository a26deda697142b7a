/** Recognises the file of a recorder by its content, and reads what decides whose recording it is. Nothing is written. */
import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { v5 as uuidv5 } from 'uuid';
import { sha256Hex } from '../files/content-hash.ts';
import { RECEIVING } from '../files/inbox.ts';
import { HEADER_BYTES, hasCwaHeader } from '../importers/axivity/cwa.ts';
import { headOf } from '../importers/file-heads.ts';
import { FORMATS } from '../importers/formats.ts';
import { readFully } from '../importers/source-bytes.ts';
import type { Recognition, RecognitionTask } from '../study/recognition.ts';
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
  /** Where the file's clock is not the wall clock of a computer in the site's zone: epoch ms. */
  startMs?: number;
  /** The recording had ended by then, as the file was written: epoch ms. Only where its end is not known. */
  stopByMs?: number;
  /** A configured recorder without data. */
  isEmpty: boolean;
  sizeBytes: number;
}

/** Namespace of the ids of recordings that were found. */
const FOUND = '8a4e8f0e-6ab5-4b0c-9f37-0b5a4c1d2e90';
/** Enough of both ends to tell recordings apart; a docked recorder reads it in half a second. */
const END_BYTES = 64 << 10;
/** What recognition needs of a file: the head, and of a ZIP the list of its members at the end. */
const HEAD_BYTES = 256 << 10;

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

/** What recognition in a worker needs: where it may write, and how it is asked. */
export interface RecognitionByContent {
  inboxDir: string;
  ask: (task: RecognitionTask) => Promise<Recognition>;
}

/** Undefined for a file that cannot be taken as a recording. @throws errors of the file system */
export async function recognise(path: string, byContent?: RecognitionByContent): Promise<Recognised | undefined> {
  const handle = await openUntouched(path);
  try {
    const { size, mtimeMs } = await handle.stat();
    const { head, tail } = await readEnds(handle, size);
    if (hasCwaHeader(head)) return recogniseEnds(head, tail, size);
    const found = await recogniseFormat(path, head, tail, size);
    if (!found || !byContent) return found;
    return { ...found, ...(await factsOf(handle, path, { size, mtimeMs }, byContent)) };
  } finally {
    await handle.close();
  }
}

export function recogniseEnds(head: Buffer, tail: Buffer, sizeBytes: number): Recognised | undefined {
  if (!hasCwaHeader(head) || head.length < HEADER_BYTES) return undefined;
  const id = idOf(head, tail, sizeBytes);
  return { id, isCwa: true, isEmpty: sizeBytes === HEADER_BYTES, sizeBytes, ...readCwaHead(head, tail) };
}

type DeviceFacts = Pick<
  Recognised,
  'model' | 'serial' | 'sessionId' | 'subjectCode' | 'start' | 'startMs' | 'stopByMs'
>;

/**
 * Whose device a file of another format came from, and when it began. Its end is in the last pages of gigabytes, so the time at which the
 * file was written stands for it: a subject who alone held the device until then is certain. Nothing where the head does not say.
 */
async function factsOf(
  handle: FileHandle,
  path: string,
  { size, mtimeMs }: { size: number; mtimeMs: number },
  { inboxDir, ask }: RecognitionByContent,
): Promise<DeviceFacts> {
  const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
  const tail = Buffer.alloc(Math.min(HEAD_BYTES, size));
  await readFully(handle, head, 0);
  await readFully(handle, tail, size - tail.length);
  const directory = join(inboxDir, `${randomUUID()}${RECEIVING}`);
  const task = { directory, fileName: basename(path), sizeBytes: size, head, tail, templates: [] };
  const { device = {}, clock, startMs } = await ask(task).catch(() => ({}) as Partial<Recognition>);
  const { model, serial, session, subjectCode } = device;
  const isWall = clock?.kind === 'WALL_CLOCK';
  const start = isWall && clock.wallStart !== undefined ? wallClockOf(clock.wallStart) : undefined;
  return {
    ...(model !== undefined && { model }),
    ...(serial !== undefined && { serial }),
    ...(session !== undefined && { sessionId: session }),
    ...(subjectCode !== undefined && { subjectCode }),
    ...(start && { start }),
    ...(!isWall && startMs !== undefined && { startMs }),
    stopByMs: Math.floor(mtimeMs),
  };
}

function wallClockOf(text: string): Temporal.PlainDateTime | undefined {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return undefined;
  }
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
