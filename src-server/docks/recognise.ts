/** Recognises the file of a recorder by its content, and reads what decides whose recording it is. Nothing is written. */
import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Temporal } from 'temporal-polyfill';
import { v5 as uuidv5 } from 'uuid';
import { sha256Hex } from '../files/content-hash.ts';
import { RECEIVING } from '../files/inbox.ts';
import { HEADER_BYTES, hasCwaHeader } from '../importers/axivity/cwa.ts';
import { type FileKind, kindAlone } from '../importers/file-sets.ts';
import { templatesOfText } from '../importers/generic-csv/recognise-text.ts';
import { textOfHead } from '../importers/generic-csv/text-chunks.ts';
import { readFully } from '../importers/source-bytes.ts';
import type { FileParts, Recognition, RecognitionTask } from '../study/recognition.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
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
  /** The file does not say when it was recorded, so a person has to. */
  needsStart?: boolean;
  table?: FoundTable;
}

/** A delimited text that only a mapping of its columns explains. */
export interface FoundTable {
  /** Templates of the folder's study with its header line; of equal mappings, one. */
  templateIds: string[];
  /** Without a template it is read as a list of RR intervals, which its numbers look like. */
  isGuess: boolean;
}

/** Content and kind of a file, without what it says about its device. */
export interface Identified {
  /** The same content has the same id. */
  id: string;
  sizeBytes: number;
  kind: FileKind;
}

/** Namespace of the ids of recordings that were found. */
const FOUND = '8a4e8f0e-6ab5-4b0c-9f37-0b5a4c1d2e90';
/** Enough of both ends to tell recordings apart; a docked recorder reads it in half a second. */
export const END_BYTES = 64 << 10;
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

/** What recognition in a worker needs: where it may write, how it is asked, and the templates of the study. */
export interface RecognitionByContent {
  inboxDir: string;
  ask: (task: RecognitionTask) => Promise<Recognition>;
  templates?: CsvTemplate[];
}

/** @throws errors of the file system */
export async function identify(path: string): Promise<Identified> {
  const handle = await openUntouched(path);
  try {
    const { size } = await handle.stat();
    const { head, tail } = await readEnds(handle, size);
    const kind = await kindAlone(path).catch(() => 'UNKNOWN' as const);
    return { id: idOf(head, tail, size), sizeBytes: size, kind };
  } finally {
    await handle.close();
  }
}

/** Undefined for a file that cannot be taken as a recording. @throws errors of the file system */
export async function recognise(path: string, byContent?: RecognitionByContent): Promise<Recognised | undefined> {
  return await recogniseAs(path, await identify(path), byContent);
}

/** The same of a file whose kind is known. One that only a last resort would open is foreign. */
export async function recogniseAs(
  path: string,
  { id, sizeBytes, kind }: Identified,
  byContent?: RecognitionByContent,
): Promise<Recognised | undefined> {
  const handle = await openUntouched(path);
  try {
    const { head, tail } = await readEnds(handle, sizeBytes);
    if (hasCwaHeader(head)) return recogniseEnds(head, tail, sizeBytes);
    const isFormat = typeof kind !== 'string' && !kind.isLastResort;
    const isGuess = isFormat && kind.isGuess === true;
    const found = { id, isCwa: false, isEmpty: false, sizeBytes };
    if (!byContent) return isFormat ? found : undefined;
    if (isFormat && !isGuess) return { ...found, ...(await factsOf([path], byContent)) };
    if (kind !== 'UNKNOWN' && !isGuess) return undefined;
    const facts = textOfHead(head) ? await tableOf(path, head, isGuess, byContent) : undefined;
    return facts ? { ...found, ...facts } : undefined;
  } finally {
    await handle.close();
  }
}

/** A text that no reader knows, if it is a table with times or a template of the study has its header. */
async function tableOf(
  path: string,
  head: Buffer,
  isGuess: boolean,
  byContent: RecognitionByContent,
): Promise<(DeviceFacts & { table?: FoundTable }) | undefined> {
  const { templates = [] } = byContent;
  const recognition = await recognitionOf([path], byContent);
  const templateIds = templatesOfText(head, templates).map(({ id }) => id);
  const hasTimes = recognition.text !== undefined && recognition.text.mapping.time.kind !== 'SAMPLE_NUMBER';
  if (!isGuess && templateIds.length === 0 && !hasTimes) return undefined;
  return { ...(await factsIn(recognition, [path])), table: { templateIds, isGuess } };
}

export function recogniseEnds(head: Buffer, tail: Buffer, sizeBytes: number): Recognised | undefined {
  if (!hasCwaHeader(head) || head.length < HEADER_BYTES) return undefined;
  const id = idOf(head, tail, sizeBytes);
  return { id, isCwa: true, isEmpty: sizeBytes === HEADER_BYTES, sizeBytes, ...readCwaHead(head, tail) };
}

type DeviceFacts = Pick<
  Recognised,
  'model' | 'serial' | 'sessionId' | 'subjectCode' | 'start' | 'startMs' | 'stopByMs' | 'needsStart'
>;

/** Of a set, its first files tell whose it is; a year of an EmbracePlus has 17,000. */
const MOST_RECOGNISED = 8;

/**
 * Whose device files of another format came from, and when they begin. Their end is in the last pages of gigabytes, so the time at which the
 * files were written stands for it: a subject who alone held the device until then is certain. Nothing where the heads do not say.
 */
export async function factsOf(paths: readonly string[], byContent: RecognitionByContent): Promise<DeviceFacts> {
  return await factsIn(await recognitionOf(paths, byContent), paths);
}

async function recognitionOf(
  paths: readonly string[],
  { inboxDir, ask, templates = [] }: RecognitionByContent,
): Promise<Partial<Recognition>> {
  const [first, ...beside] = await Promise.all(paths.slice(0, MOST_RECOGNISED).map(partsOf));
  const directory = join(inboxDir, `${randomUUID()}${RECEIVING}`);
  const task = { directory, ...first!, templates, ...(beside.length > 0 && { beside }) };
  return await ask(task).catch(() => ({}));
}

async function factsIn(
  { device = {}, clock, startMs, text, problem }: Partial<Recognition>,
  paths: readonly string[],
): Promise<DeviceFacts> {
  const { model, serial, session, subjectCode } = device;
  const isWall = clock?.kind === 'WALL_CLOCK';
  const start = isWall && clock.wallStart !== undefined ? wallClockOf(clock.wallStart) : undefined;
  // Of a table, the first row is what is known of its start.
  const utc = clock?.kind === 'UTC' && clock.wallStart !== undefined ? wallClockOf(clock.wallStart) : undefined;
  const knownMs = startMs ?? utc?.toZonedDateTime('UTC').epochMilliseconds;
  const written = await Promise.all(paths.map(async (path) => (await stat(path)).mtimeMs));
  // The one input that a reader asks for is a start, of a file that does not say when it was recorded.
  const needsStart = text ? text.preview?.clock === 'FROM_START' : problem?.code === 'INVALID_INPUT';
  return {
    ...(model !== undefined && { model }),
    ...(serial !== undefined && { serial }),
    ...(session !== undefined && { sessionId: session }),
    ...(subjectCode !== undefined && { subjectCode }),
    ...(start && { start }),
    ...(!isWall && knownMs !== undefined && { startMs: knownMs }),
    ...(needsStart && { needsStart }),
    stopByMs: Math.floor(Math.max(...written)),
  };
}

async function partsOf(path: string): Promise<FileParts> {
  const handle = await openUntouched(path);
  try {
    const { size } = await handle.stat();
    const head = Buffer.alloc(Math.min(HEAD_BYTES, size));
    const tail = Buffer.alloc(Math.min(HEAD_BYTES, size));
    await readFully(handle, head, 0);
    await readFully(handle, tail, size - tail.length);
    return { fileName: basename(path), sizeBytes: size, head, tail };
  } finally {
    await handle.close();
  }
}

function wallClockOf(text: string): Temporal.PlainDateTime | undefined {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    return undefined;
  }
}

export const idOf = (head: Buffer, tail: Buffer, sizeBytes: number): string =>
  uuidv5(`${sizeBytes} ${sha256Hex(head)} ${sha256Hex(tail)}`, FOUND);

/** Of files that belong together; of one file, its own. */
export const idOfSet = (ids: readonly string[]): string =>
  ids.length === 1 ? ids[0]! : uuidv5([...ids].sort().join(' '), FOUND);
