/** Events of Unisens as labels: a sample stamp, a type and a comment each. */
import { throwIfAborted, unsupported } from '../refusals.ts';
import { linesOf, type SetMember } from '../set-members.ts';
import type { ImportedLabel } from '../types.ts';
import { stemOf } from './entry-channels.ts';
import { cellsOf, numberOf, type RowFaults, untilCut } from './entry-rows.ts';
import type { UnisensEntry } from './unisens-header.ts';
import { xmlElements } from './xml-elements.ts';

interface Event {
  stamp: number;
  type: string;
  comment: string;
}

const STAMP_BYTES = 8;
const MAX_EVENTS = 1_000_000;
const MAX_TEXT_BYTES = 1 << 16;
const MAX_SECONDS = 10 * 365 * 86_400;

export async function readEvents(
  member: SetMember,
  entry: UnisensEntry,
  startUs: number,
  notes: string[],
  signal: AbortSignal | undefined,
): Promise<ImportedLabel[]> {
  const labels: ImportedLabel[] = [];
  const faults: RowFaults = { broken: 0, isCut: false };
  for await (const events of eventsOf(member, entry, faults)) {
    throwIfAborted(signal);
    for (const { stamp, type, comment } of events) {
      if (!(Math.abs(stamp) <= MAX_SECONDS * entry.sampleRateHz)) {
        faults.broken++;
        continue;
      }
      if (labels.length === MAX_EVENTS) throw unsupported(member.name, `it has more than ${MAX_EVENTS} events.`);
      const timeUs = Math.round(startUs + (stamp / entry.sampleRateHz) * 1e6);
      const name = type === '' ? stemOf(entry) : `${type} (${stemOf(entry)})`;
      labels.push({ startUs: timeUs, stopUs: timeUs, displayName: name, ...(comment !== '' && { value: comment }) });
    }
  }
  if (faults.broken > 0) notes.push(`${entry.id}: ${faults.broken} rows are no events and were left out.`);
  if (faults.isCut) notes.push(`${entry.id} was cut off; the events before were kept.`);
  return labels;
}

function eventsOf(member: SetMember, entry: UnisensEntry, faults: RowFaults): AsyncGenerator<Event[]> {
  const { format } = entry;
  if (format.kind === 'BIN') return binaryEvents(member, entry, format.isLittleEndian, faults);
  if (format.kind === 'CSV') return textEvents(member, format.separator, faults);
  if (format.kind === 'XML') return xmlEvents(member, faults);
  throw unsupported(member.name, 'it is neither binary, CSV nor XML.');
}

async function* binaryEvents(
  member: SetMember,
  { typeLength, commentLength }: UnisensEntry,
  little: boolean,
  faults: RowFaults,
): AsyncGenerator<Event[]> {
  const isLength = (length: number): boolean => Number.isInteger(length) && length >= 0 && length <= MAX_TEXT_BYTES;
  if (!isLength(typeLength) || !isLength(commentLength)) {
    throw unsupported(member.name, 'the lengths of its types and comments are not stated.');
  }
  const eventBytes = STAMP_BYTES + typeLength + commentLength;
  let rest = Buffer.alloc(0);
  for await (const chunk of member.open()) {
    const bytes = Buffer.concat([rest, chunk]);
    const events: Event[] = [];
    let at = 0;
    for (; at + eventBytes <= bytes.length; at += eventBytes) {
      const text = at + STAMP_BYTES;
      events.push({
        stamp: Number(little ? bytes.readBigInt64LE(at) : bytes.readBigInt64BE(at)),
        type: plainText(bytes.subarray(text, text + typeLength)),
        comment: plainText(bytes.subarray(text + typeLength, at + eventBytes)),
      });
    }
    rest = Buffer.from(bytes.subarray(at));
    yield events;
  }
  faults.isCut ||= rest.length > 0;
}

const plainText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '').trim();

async function* textEvents(member: SetMember, separator: string, faults: RowFaults): AsyncGenerator<Event[]> {
  for await (const { lines, isCut } of linesOf(member)) {
    const events: Event[] = [];
    for (const line of lines) {
      if (line.trim() === '') continue;
      const [first = '', type = '', ...comment] = cellsOf(line, separator);
      const stamp = numberOf(first);
      if (!Number.isNaN(stamp)) events.push({ stamp, type: type.trim(), comment: comment.join(separator).trim() });
      else if (isCut) faults.isCut = true;
      else faults.broken++;
    }
    yield events;
  }
}

async function* xmlEvents(member: SetMember, faults: RowFaults): AsyncGenerator<Event[]> {
  let events: Event[] = [];
  const elements = xmlElements(member, {
    opened(name, attributes) {
      if (name !== 'event') return;
      events.push({
        stamp: numberOf(attributes.get('sampleStamp') ?? ''),
        type: attributes.get('type')?.trim() ?? '',
        comment: attributes.get('comment')?.trim() ?? '',
      });
    },
  });
  for await (const _ of untilCut(elements, faults)) {
    yield events;
    events = [];
  }
}
