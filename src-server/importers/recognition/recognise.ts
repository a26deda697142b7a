/**
 * Says what a file is from its head, before the file is there: a head is a file that was cut, and readers read what is whole.
 *
 * Of a ZIP the tail is needed too, which lists the members; what lies between stays a hole in the file that readers are given.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type OutpostError, toOutpostError } from '../../errors.ts';
import type { FileParts, RecognisedText, Recognition, RecognitionTask } from '../../study/recognition.ts';
import { recogniseText } from '../generic-csv/recognise-text.ts';
import { formatNameOf, openImport } from '../index.ts';
import type { ImportOptions, ImportSource } from '../types.ts';

/** What a head that was cut off may be blamed for although the file is sound. */
const CODES_OF_CUTS: ReadonlySet<string> = new Set(['FILE_DAMAGED', 'FILE_EMPTY', 'ZIP_UNSAFE', 'INTERNAL']);
const ZIP_MEMBER = 0x04034b50;

export async function recogniseFile(task: RecognitionTask, signal?: AbortSignal): Promise<Recognition> {
  const { directory, fileName, sizeBytes, head, timeZone, mapping, templates, beside = [] } = task;
  const isWhole = head.byteLength >= sizeBytes;
  const path = join(directory, basename(fileName));
  await mkdir(directory, { recursive: true });
  try {
    await writeParts(path, task);
    const others = beside.map((parts) => join(directory, basename(parts.fileName)));
    for (const [i, parts] of beside.entries()) await writeParts(others[i]!, parts);
    const options: ImportOptions = {
      withoutHash: true,
      ...(signal && { signal }),
      ...(timeZone !== undefined && { timeZone }),
    };
    if (others.length > 0) {
      const areWhole = isWhole && beside.every((parts) => parts.head.byteLength >= parts.sizeBytes);
      return await factsOf([path, ...others], options, undefined, areWhole);
    }
    const format = await formatNameOf(path).catch((thrown: unknown) => toOutpostError(thrown));
    if (format instanceof Error) return refused(format, isWhole);
    if (format === undefined || format.isGuess || mapping) {
      const text = recogniseText(head, isWhole, { ...(mapping && { mapping }), templates });
      if (text && (!format?.isGuess || text.origin !== 'PROPOSED')) return ofText(text);
    }
    return await factsOf([path], options, format?.name, isWhole);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeParts(path: string, { sizeBytes, head, tail }: FileParts): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.write(head, 0, head.byteLength, 0);
    const isZip = head.byteLength >= 4 && Buffer.from(head.subarray(0, 4)).readUInt32LE(0) === ZIP_MEMBER;
    if (!isZip || !tail || sizeBytes <= head.byteLength) return;
    await file.write(tail, 0, tail.byteLength, Math.max(head.byteLength, sizeBytes - tail.byteLength));
  } finally {
    await file.close();
  }
}

function ofText(text: RecognisedText): Recognition {
  const { preview } = text;
  const clock =
    preview && preview.clock !== 'FROM_START'
      ? { kind: preview.clock, ...(preview.start !== undefined && { wallStart: preview.start }) }
      : undefined;
  return { channels: [], recordings: 1, text, ...(clock && { clock }) };
}

function refused({ code, message }: OutpostError, isWhole: boolean, format?: string): Recognition {
  const isOfCut = !isWhole && CODES_OF_CUTS.has(code);
  return {
    channels: [],
    recordings: 0,
    ...(format !== undefined && { format }),
    ...(!isOfCut && { problem: { code, message } }),
  };
}

async function factsOf(
  paths: string[],
  options: ImportOptions,
  format: string | undefined,
  isWhole: boolean,
): Promise<Recognition> {
  let source: ImportSource;
  try {
    source = await openImport(paths, options);
  } catch (thrown) {
    return refused(toOutpostError(thrown), isWhole, format);
  }
  try {
    const [recording] = source.recordings;
    const header = recording?.header;
    const startUs = recording ? await firstTimeUs(recording) : undefined;
    return {
      format: source.format,
      ...(source.clock && { clock: source.clock }),
      ...(startUs !== undefined && { startMs: Math.floor(startUs / 1000) }),
      ...(header && { device: deviceOf(header) }),
      channels: (header?.channels ?? []).map(({ type, dimensions, unit, nominalRateHz }) => ({
        type,
        dimensions,
        unit,
        nominalRateHz,
      })),
      recordings: source.recordings.length,
    };
  } finally {
    await source.close();
  }
}

async function firstTimeUs({ pages }: ImportSource['recordings'][number]): Promise<number | undefined> {
  try {
    for await (const page of pages()) return page.startUs;
  } catch {
    // The cut, or damage that the import will name.
  }
  return undefined;
}

const known = (text: string): string | undefined => (text === 'unknown' || text === '' ? undefined : text);

function deviceOf(header: ImportSource['recordings'][number]['header']): NonNullable<Recognition['device']> {
  const { udid, hardwareId, firmwareId, deviceRecordingId, device } = header;
  const facts = {
    maker: device?.maker,
    model: known(hardwareId),
    serial: known(udid),
    firmware: known(firmwareId),
    session: deviceRecordingId > 0 ? deviceRecordingId : undefined,
    subjectCode: device?.subjectCode,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
