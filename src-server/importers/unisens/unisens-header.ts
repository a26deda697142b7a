/** `unisens.xml`: the header of a Unisens 2.0 data set, which names the data files and says how they are read. */
import { damaged } from '../refusals.ts';
import type { SetMember } from '../set-members.ts';
import { type Attributes, xmlElements } from './xml-elements.ts';

const MAX_HEADER_BYTES = 4 << 20;
const MAX_ENTRIES = 1000;
const MAX_CHANNELS = 256;
const MAX_RATE_HZ = 1e6;

export type EntryKind = 'SIGNAL' | 'VALUES' | 'EVENTS' | 'CUSTOM';

export type EntryFormat =
  | { kind: 'BIN'; isLittleEndian: boolean }
  | { kind: 'CSV'; separator: string; decimalSeparator: string }
  | { kind: 'XML' }
  | { kind: 'OTHER' };

export interface UnisensEntry {
  kind: EntryKind;
  /** Name of the data file. */
  id: string;
  contentClass: string;
  format: EntryFormat;
  sampleRateHz: number;
  /** In lower case, empty when it is not given. */
  dataType: string;
  unit: string;
  lsbValue: number;
  baseline: number | null;
  adcZero: number | null;
  adcResolution: number | null;
  typeLength: number;
  commentLength: number;
  source: string;
  sourceId: string;
  channels: string[];
}

export interface UnisensHeader {
  timestampStart: string;
  timestampStartUtc: string;
  timeZoneStart: string;
  /** Keys in lower case. */
  customAttributes: Map<string, string>;
  entries: UnisensEntry[];
}

const KINDS: Record<string, EntryKind> = {
  signalEntry: 'SIGNAL',
  valuesEntry: 'VALUES',
  eventEntry: 'EVENTS',
  customEntry: 'CUSTOM',
};

/** @throws FILE_DAMAGED when it is no such header, or names a file outside the data set; UNSUPPORTED_FORMAT as `xmlElements` */
export async function readUnisensHeader(member: SetMember): Promise<UnisensHeader> {
  if (member.sizeBytes > MAX_HEADER_BYTES) throw damaged(member.name, 'it is larger than any real header.');
  const header: UnisensHeader = {
    timestampStart: '',
    timestampStartUtc: '',
    timeZoneStart: '',
    customAttributes: new Map(),
    entries: [],
  };
  let isRoot = false;
  let entry: UnisensEntry | null = null;
  const opened = (name: string, attributes: Attributes, depth: number): void => {
    if (depth === 0) {
      isRoot = name === 'unisens';
      header.timestampStart = attributes.get('timestampStart')?.trim() ?? '';
      header.timestampStartUtc = attributes.get('timestampStartUTC')?.trim() ?? '';
      header.timeZoneStart = attributes.get('timeZoneStart')?.trim() ?? '';
      return;
    }
    if (depth === 1 && KINDS[name]) {
      if (header.entries.length === MAX_ENTRIES) throw damaged(member.name, `it names more than ${MAX_ENTRIES} files.`);
      entry = entryOf(KINDS[name], attributes, member.name);
      header.entries.push(entry);
    } else if (depth === 2 && name === 'customAttribute') {
      header.customAttributes.set((attributes.get('key') ?? '').toLowerCase(), attributes.get('value')?.trim() ?? '');
    } else if (depth === 2 && entry) inEntry(entry, name, attributes, member.name);
  };
  const closed = (_: string, __: string, depth: number): void => {
    if (depth === 1) entry = null;
  };
  // Nothing is taken while it is read: the header is small.
  for await (const _ of xmlElements(member, { opened, closed }));
  if (!isRoot) throw damaged(member.name, 'its root is not that of a Unisens header.');
  const ids = header.entries.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw damaged(member.name, `it describes ${twice} twice.`);
  return header;
}

function inEntry(entry: UnisensEntry, name: string, attributes: Attributes, file: string): void {
  if (name === 'channel') {
    if (entry.channels.length === MAX_CHANNELS)
      throw damaged(file, `${entry.id} has more than ${MAX_CHANNELS} channels.`);
    entry.channels.push(attributes.get('name')?.trim() ?? '');
  } else if (name === 'binFileFormat') {
    entry.format = { kind: 'BIN', isLittleEndian: attributes.get('endianess')?.toUpperCase() !== 'BIG' };
  } else if (name === 'csvFileFormat') {
    const separator = attributes.get('separator') || ';';
    entry.format = {
      kind: 'CSV',
      separator: separator === '\\t' ? '\t' : separator,
      decimalSeparator: attributes.get('decimalSeparator') || '.',
    };
  } else if (name === 'xmlFileFormat') entry.format = { kind: 'XML' };
}

function entryOf(kind: EntryKind, attributes: Attributes, file: string): UnisensEntry {
  const text = (key: string): string => attributes.get(key)?.trim() ?? '';
  const number = (key: string): number | null => {
    const found = text(key);
    const value = Number(found);
    return found === '' || !Number.isFinite(value) ? null : value;
  };
  const id = text('id');
  if (id === '') throw damaged(file, 'it describes a file without a name.');
  if (/^[/\\]|^[a-z]:|\\|\0|(?:^|\/)\.{1,2}(?:\/|$)/i.test(id)) {
    throw damaged(file, `it names ${JSON.stringify(id.slice(0, 100))}, which lies outside of it.`);
  }
  const rate = number('sampleRate') ?? 0;
  return {
    kind,
    id,
    contentClass: text('contentClass').toUpperCase(),
    format: { kind: 'OTHER' },
    sampleRateHz: rate > 0 && rate <= MAX_RATE_HZ ? rate : 0,
    dataType: text('dataType').toLowerCase(),
    unit: text('unit'),
    lsbValue: number('lsbValue') || 1,
    baseline: number('baseline'),
    adcZero: number('adcZero'),
    adcResolution: number('adcResolution'),
    typeLength: number('typeLength') ?? 0,
    commentLength: number('commentLength') ?? 0,
    source: text('source'),
    sourceId: text('sourceId'),
    channels: [],
  };
}
