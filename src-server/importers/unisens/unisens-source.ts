/**
 * Unisens 2.0 data sets, as movisens and others write them: a folder or ZIP with `unisens.xml` and one data file per signal. Each data
 * set becomes a recording; what its header names and the set does not hold is noted.
 */
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import type { SignalMark, SignalPage } from '../../signals/types.ts';
import { type DeviceFacts, makeHeader } from '../recording-header.ts';
import { empty, unsupported } from '../refusals.ts';
import { type MemberSet, openMemberSet, type SetMember } from '../set-members.ts';
import type { ImportedLabel, ImportedRecording, ImportOptions, ImportSource, SourceClock } from '../types.ts';
import { startOfDataSet } from './data-set-start.ts';
import { readEvents } from './entry-events.ts';
import { entryPages, type ScannedEntry, scanEntry } from './entry-signal.ts';
import { withFilesBeside } from './unisens-files.ts';
import { isHeaderPath } from './unisens-head.ts';
import { readUnisensHeader, type UnisensEntry, type UnisensHeader } from './unisens-header.ts';

const FORMAT = 'Unisens';
const MAX_DATA_SETS = 1000;

export async function openUnisens(paths: string[], options: ImportOptions): Promise<ImportSource> {
  const set = await openMemberSet(await withFilesBeside(paths), options);
  try {
    const headers = set.members.filter(({ name }) => isHeaderPath(name));
    if (headers.length > MAX_DATA_SETS) throw unsupported(paths[0]!, `it holds more than ${MAX_DATA_SETS} data sets.`);
    const recordings: ImportedRecording[] = [];
    let clock: SourceClock | undefined;
    let labels: ImportedLabel[] = [];
    let notes: string[] = [];
    let problem: unknown;
    for (const header of headers) {
      try {
        const opened = await openDataSet(paths[0]!, header, set, options);
        clock ??= opened.clock;
        if (opened.recording) recordings.push(opened.recording);
        else if (headers.length === 1) ({ labels, notes } = opened);
      } catch (thrown) {
        if (headers.length === 1 || !(thrown instanceof OutpostError) || thrown.code === 'CANCELLED') throw thrown;
        problem ??= thrown;
      }
    }
    if (recordings.length === 0 && labels.length === 0) {
      throw problem ?? empty(paths[0]!, `no signal in it has samples. ${notes.join(' ')}`.trim());
    }
    return {
      format: FORMAT,
      ...(clock && { clock }),
      recordings,
      labels,
      notes,
      close: async () => set.close(),
    };
  } catch (thrown) {
    set.close();
    throw thrown;
  }
}

interface OpenedSet {
  clock: SourceClock;
  recording?: ImportedRecording;
  labels: ImportedLabel[];
  notes: string[];
}

async function openDataSet(
  path: string,
  headerFile: SetMember,
  set: MemberSet,
  options: ImportOptions,
): Promise<OpenedSet> {
  const header = await readUnisensHeader(headerFile);
  const folder = headerFile.name.slice(0, headerFile.name.lastIndexOf('/') + 1);
  const notes: string[] = set.note === undefined ? [] : [set.note];
  const { startUs, clock } = startOfDataSet(path, header, options, notes);
  const scanned: ScannedEntry[] = [];
  const labels: ImportedLabel[] = [];
  for (const entry of header.entries) {
    const member = memberOf(entry, folder, set, notes);
    if (!member) continue;
    try {
      if (entry.kind === 'EVENTS') labels.push(...(await readEvents(member, entry, startUs, notes, options.signal)));
      else {
        const signal = await scanEntry(member, entry, notes, options.signal);
        if (signal) scanned.push(signal);
      }
    } catch (thrown) {
      // A file of the set that is broken is left out, and the others are kept; one that was made to do harm refuses them all.
      if (!(thrown instanceof OutpostError) || thrown.code !== 'FILE_DAMAGED') throw thrown;
      notes.push(`${entry.id} was left out: it is damaged.`);
    }
  }
  nameTwice(scanned);
  if (scanned.length === 0) return { clock, labels, notes };
  const marks: SignalMark[] = [];
  const totalBytes = scanned.reduce((sum, { member }) => sum + member.sizeBytes, 0);
  let doneBytes = 0;
  async function* pages(): AsyncGenerator<SignalPage> {
    for (const [index, entry] of scanned.entries()) {
      yield* entryPages(entry, index, startUs, marks, options.signal, (bytes) => {
        doneBytes += bytes;
      });
    }
  }
  const channels = scanned.map(({ channel }) => channel);
  const source = { format: FORMAT, fileName: basename(path), sha256: set.sha256 };
  const recording: ImportedRecording = {
    header: makeHeader({ channels, source, ...placeOf(header), ...deviceOf(header) }, options),
    pages,
    labels,
    marks,
    notes,
    progress: () => ({ doneBytes, totalBytes }),
  };
  return { clock, recording, labels: [], notes };
}

function memberOf(entry: UnisensEntry, folder: string, set: MemberSet, notes: string[]): SetMember | null {
  if (entry.kind === 'CUSTOM') {
    notes.push(`${entry.id} was left out: it is a file of no fixed form.`);
    return null;
  }
  const member = set.members.find(({ name }) => name === folder + entry.id);
  const why = !member
    ? 'the header names it, and it is not there'
    : entry.format.kind === 'OTHER'
      ? 'it is neither binary, CSV nor XML'
      : entry.sampleRateHz === 0
        ? 'the header states no possible sampling rate for it'
        : null;
  if (why === null) return member as SetMember;
  notes.push(`${entry.id} was left out: ${why}.`);
  return null;
}

/** A second channel of a type has a number behind it. */
function nameTwice(scanned: ScannedEntry[]): void {
  const turns = new Map<string, number>();
  for (const { channel } of scanned) {
    const turn = (turns.get(channel.type) ?? 0) + 1;
    turns.set(channel.type, turn);
    if (turn > 1) channel.type = `${channel.type}_${turn}`;
  }
}

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/wrist/, 'WRIST'],
  [/ankle/, 'ANKLE'],
  [/thigh/, 'THIGH'],
  [/upper_?arm/, 'UPPER_ARM'],
  [/hip/, 'HIP'],
  [/chest|thorax/, 'CHEST'],
  [/back|waist/, 'LOWER_BACK'],
];

function placeOf({ customAttributes }: UnisensHeader): { location?: string; side?: string } {
  const place = (customAttributes.get('sensorlocation') ?? '').toLowerCase().replace(/[^a-z]+/g, '_');
  const location = PLACES.find(([name]) => name.test(place))?.[1];
  const side = /left/.test(place) ? 'LEFT' : /right/.test(place) ? 'RIGHT' : undefined;
  return { ...(location && { location }), ...(side && { side }) };
}

/** Of the recorder; the subject's age, height and weight in the header are not taken. */
function deviceOf({ customAttributes, entries }: UnisensHeader): {
  device?: DeviceFacts;
  udid?: string;
  hardwareId?: string;
} {
  const of = (...keys: string[]): string | undefined => keys.map((key) => customAttributes.get(key)).find(Boolean);
  const serial = of('sensorserialnumber', 'serialnumber', 'sensorid');
  const model = of('sensortype', 'devicetype');
  const subjectCode = of('personid', 'subjectid');
  const firmware = of('sensorversion', 'firmwareversion', 'sensorfirmwareversion');
  if (serial !== undefined || /move|movisens/i.test(model ?? '')) {
    const facts = { model, serial, firmware, subjectCode };
    const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
    return { device: { maker: 'movisens', ...known } };
  }
  const recorders = [...new Set(entries.filter(({ kind }) => kind === 'SIGNAL').map(({ source }) => source))];
  return recorders.length === 1 && recorders[0] ? { hardwareId: recorders[0].slice(0, 100) } : {};
}
