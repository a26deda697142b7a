/** EDF, EDF+C, EDF+D, BDF and BDF+ as recordings: signals grouped into channels, annotations as labels. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { instantOfLocalTime, type SourceStart, startAtOffset, startOfWallClock } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, unsupported } from '../refusals.ts';
import { fileSize, readHead, sourceHash } from '../source-bytes.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { groupChannels, OWN_EQUIPMENT } from './edf-channels.ts';
import { type EdfHeader, edfHeaderBytes, parseEdfHeader, patientCode } from './edf-header.ts';
import { EdfReader } from './edf-reader.ts';
import { beatChannel, type FarosFacts, farosFacts, farosSignals } from './faros.ts';

export async function openEdf(path: string, options: ImportOptions): Promise<ImportSource> {
  const fileBytes = await fileSize(path);
  const headerBytes = edfHeaderBytes(await readHead(path, 256), path);
  if (headerBytes > fileBytes) throw damaged(path, 'it ends inside its header.');
  const header = parseEdfHeader(await readHead(path, headerBytes), fileBytes, path);
  const notes: string[] = [];
  const excess = fileBytes - headerBytes - header.recordCount * header.recordBytes;
  if (header.missingRecords > 0) {
    notes.push(
      `The file was cut off: ${header.missingRecords} of ${header.recordCount + header.missingRecords} data records are missing.`,
    );
  }
  if (excess > 0) notes.push(`${excess} bytes after the last data record were left out.`);
  const faros = farosFacts(header.recording);
  const farosParts = faros ? farosSignals(header.signals) : { marker: undefined, beats: undefined };
  const events = [farosParts.marker, farosParts.beats].filter((signal) => signal !== undefined);
  const groups = groupChannels(header, path, notes, events);
  const { startUs, clock } = startOf(header, faros, path, options, notes);
  const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
  const file = await open(path, 'r');
  try {
    const reader = new EdfReader({
      file,
      path,
      header,
      groups,
      startUs,
      notes,
      faros: farosParts,
      signal: options.signal,
    });
    const channels = groups.map(({ channel }) => channel);
    if (farosParts.beats) channels.push(beatChannel(farosParts.beats));
    if (channels.length === 0) {
      const labels = await reader.labelsOnly();
      if (labels.length === 0) throw unsupported(path, 'it has neither signals nor annotations.');
      return { format: header.format, clock, recordings: [], labels, notes, close: () => file.close() };
    }
    await reader.checkFirstRecord();
    const place = OWN_EQUIPMENT.exec(header.recording);
    const recording: ImportedRecording = {
      header: makeHeader(
        {
          channels,
          source: { format: header.format, fileName: basename(path), sha256 },
          location: place?.[2],
          side: place?.[3],
          udid: place?.[4],
          ...(faros ? { device: faros.device } : {}),
          // What this program wrote comes back to whom it was exported for.
          ...(place ? {} : { subjectCode: patientCode(header.patient) }),
        },
        options,
      ),
      pages: () => reader.pages(),
      labels: reader.labels,
      marks: reader.marks,
      notes,
      progress: () => reader.progress(),
    };
    return { format: header.format, clock, recordings: [recording], labels: [], close: () => file.close() };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

function startOf(
  header: EdfHeader,
  faros: FarosFacts | null,
  path: string,
  options: ImportOptions,
  notes: string[],
): SourceStart {
  const { start } = header;
  if (start) {
    // Files written by Outpost state their offset from UTC; without one their clock is UTC.
    const own = OWN_EQUIPMENT.exec(header.recording);
    if (own) {
      const startUs = instantOfLocalTime(start, own[1] ?? 'UTC', options.defaultStartUs, notes);
      return { startUs, clock: { kind: 'UTC' } };
    }
    if (faros?.utcOffsetMinutes !== undefined) return startAtOffset(start, faros.utcOffsetMinutes);
    return startOfWallClock(start, options, notes);
  }
  if (options.defaultStartUs !== undefined) {
    notes.push('The header has no possible start date; the start that was given was used.');
    return { startUs: options.defaultStartUs, clock: { kind: 'UTC' } };
  }
  throw new OutpostError(
    'INVALID_INPUT',
    `${basename(path)} does not say when it was recorded. Give its start time, then import it again.`,
  );
}
