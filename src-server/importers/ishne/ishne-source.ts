/** ISHNE 1.0 Holter recordings, with the annotation file beside them. */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalChannel, SignalMark, SignalPage } from '../../signals/types.ts';
import { type SourceStart, startOfWallClock } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { fileSize, readFully, readHead, sourceHash } from '../source-bytes.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { annotationsBeside, readIshneAnnotations } from './ishne-annotations.ts';
import { isIshne } from './ishne-head.ts';
import { FIXED_BYTES, type IshneHeader, ishneHeaderBytes, parseIshneHeader, samplesPerLead } from './ishne-header.ts';
import { LeadOffSurvey, runsOn } from './lead-off.ts';

const FORMAT = 'ISHNE';
const PAGE_SECONDS = 60;
const READ_FRAMES = 1 << 16;
const BYTES_PER_SAMPLE = 2;

/** One recording, alone or with its annotation file. */
export async function openIshne(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const heads = await Promise.all(paths.map((path) => readHead(path, 8)));
  const recordings = paths.filter((_, i) => isIshne(heads[i]!));
  const given = paths.filter((_, i) => !isIshne(heads[i]!));
  const [path] = recordings;
  if (path === undefined)
    throw unsupported(paths[0]!, 'it holds the beats of a recording. Import it with the recording.');
  if (recordings.length > 1 || given.length > 1) {
    throw unsupported(path, 'these files belong to several recordings. Import one recording at a time.');
  }
  const fileBytes = await fileSize(path);
  const headerBytes = ishneHeaderBytes(await readHead(path, FIXED_BYTES), path);
  if (headerBytes > fileBytes) throw damaged(path, 'it ends inside its header.');
  const header = parseIshneHeader(await readHead(path, headerBytes), fileBytes, path);
  const notes: string[] = [];
  const { count, missing, beyond, isTotal } = samplesPerLead(header, fileBytes - header.dataOffset);
  if (count === 0) throw empty(path, 'it has a header and no samples.');
  if (!header.isChecksumRight) {
    notes.push('The header does not match its checksum. Check the start, the number of leads and the rate.');
  }
  if (isTotal) {
    notes.push(
      `The header names ${header.declaredSamples} samples, which is the total of its leads: ${count} each were read.`,
    );
  }
  if (missing > 0)
    notes.push(`The file was cut off: ${missing} of ${missing + count} samples of each lead are missing.`);
  if (beyond > 0) notes.push(`${beyond} samples of each lead after those that the header names were left out.`);
  const { startUs, clock } = startOf(header, path, options, notes);
  const annotations = given[0] ?? (await annotationsBeside(path));
  const labels = annotations
    ? await readIshneAnnotations(annotations, { rateHz: header.rateHz, samples: count, startUs }, notes)
    : [];
  const hashed = annotations ? [path, annotations] : [path];
  const sha256 = options.withoutHash ? '' : await sourceHash(hashed, options.signal);
  const file = await open(path, 'r');
  try {
    const survey = new LeadOffSurvey(header.leads.length);
    for await (const samples of frames(file, path, header, count, options.signal)) survey.take(samples);
    const groups = survey.groups();
    const recording = recordingOf({ file, path, header, count, groups, startUs, sha256, notes, labels, options });
    return { format: FORMAT, clock, recordings: [recording], labels: [], close: () => file.close() };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

function startOf(header: IshneHeader, path: string, options: ImportOptions, notes: string[]): SourceStart {
  if (header.start) return startOfWallClock(header.start, options, notes);
  if (options.defaultStartUs !== undefined) {
    notes.push('The header has no possible start date; the start that was given was used.');
    return { startUs: options.defaultStartUs, clock: { kind: 'UTC' } };
  }
  throw new OutpostError(
    'INVALID_INPUT',
    `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
  );
}

interface RecordingParts {
  file: FileHandle;
  path: string;
  header: IshneHeader;
  count: number;
  groups: number[][];
  startUs: number;
  sha256: string;
  notes: string[];
  labels: ImportedLabel[];
  options: ImportOptions;
}

function recordingOf(parts: RecordingParts): ImportedRecording {
  const { file, path, header, count, groups, startUs, options } = parts;
  const { leads, rateHz, recorder, subjectId } = header;
  const marks: SignalMark[] = [];
  const periodUs = 1e6 / rateHz;
  const names = leadNames(header);
  let doneFrames = 0;

  async function* pages(): AsyncGenerator<SignalPage> {
    const timeOf = (frame: number): number => Math.round(startUs + frame * periodUs);
    /** By channel: the last sample before the present frame, where the lead was on. */
    const lastOn = groups.map(() => -1);
    let first = 0;
    for await (const samples of frames(file, path, header, count, options.signal, PAGE_SECONDS * rateHz)) {
      const frameCount = samples.length / leads.length;
      for (const [channel, members] of groups.entries()) {
        const columns = members.map((lead) => columnOf(samples, lead, leads.length, frameCount));
        for (const [from, to] of runsOn(columns[0]!)) {
          const isAfterGap = first + from > lastOn[channel]! + 1;
          if (isAfterGap && lastOn[channel]! >= 0) {
            marks.push({ channel, timeUs: timeOf(lastOn[channel]!), reason: 'LEAD_OFF' });
          }
          const isWhole = from === 0 && to === frameCount;
          yield {
            channel,
            startUs: timeOf(first + from),
            periodUs,
            count: to - from,
            columns: isWhole ? columns : columns.map((column) => column.slice(from, to)),
          };
          lastOn[channel] = first + to - 1;
        }
      }
      first += frameCount;
      doneFrames = first;
    }
    lastOn.forEach((frame, channel) => {
      if (frame >= 0 && frame < count - 1) marks.push({ channel, timeUs: timeOf(frame), reason: 'LEAD_OFF' });
    });
  }

  const isCode = /[1-9a-z]/i.test(subjectId);
  const made = makeHeader(
    {
      channels: groups.map((members, index) => channelOf(members, index, header, names)),
      source: { format: FORMAT, fileName: basename(path), sha256: parts.sha256 },
      ...(recorder === '' ? {} : { hardwareId: recorder }),
    },
    options,
  );
  const frameBytes = leads.length * BYTES_PER_SAMPLE;
  return {
    header: isCode ? { ...made, device: { subjectCode: subjectId } } : made,
    pages,
    labels: parts.labels,
    marks,
    notes: parts.notes,
    progress: () => ({ doneBytes: doneFrames * frameBytes, totalBytes: count * frameBytes }),
  };
}

/** Names of the standard, or the place in the file where the code says none or two leads have the same. */
function leadNames({ leads }: IshneHeader): string[] {
  return leads.map(({ name }, i) => {
    const isUnique = name !== '' && leads.findIndex((other) => other.name === name) === i;
    return isUnique ? name : `lead_${i + 1}`;
  });
}

function channelOf(members: number[], index: number, { leads, rateHz }: IshneHeader, names: string[]): SignalChannel {
  return {
    type: index === 0 ? 'ECG' : `ECG_${index + 1}`,
    // The first dimension of the first ECG is `v` everywhere.
    dimensions: members.map((lead, d) => (index === 0 && d === 0 ? 'v' : names[lead]!)),
    unit: 'V',
    nominalRateHz: rateHz,
    scale: members.map((lead) => leads[lead]!.volts),
    offset: members.map(() => 0),
    sampleBits: 16,
  };
}

function columnOf(samples: Int16Array, lead: number, leads: number, count: number): Int16Array {
  const column = new Int16Array(count);
  for (let i = 0, at = lead; i < count; i++, at += leads) column[i] = samples[at]!;
  return column;
}

/** Interleaved samples, whole frames of all leads at a time. */
async function* frames(
  file: FileHandle,
  path: string,
  { dataOffset, leads }: IshneHeader,
  count: number,
  signal: AbortSignal | undefined,
  perRead: number = READ_FRAMES,
): AsyncGenerator<Int16Array> {
  const frameBytes = leads.length * BYTES_PER_SAMPLE;
  for (let first = 0; first < count; first += perRead) {
    throwIfAborted(signal);
    const bytes = Buffer.alloc(Math.min(perRead, count - first) * frameBytes);
    const got = await readFully(file, bytes, dataOffset + first * frameBytes);
    if (got < bytes.length) throw damaged(path, 'it became shorter while it was read.');
    const samples = new Int16Array(bytes.length / BYTES_PER_SAMPLE);
    for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i);
    yield samples;
  }
}
