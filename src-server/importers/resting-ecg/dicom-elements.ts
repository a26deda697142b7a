/**
 * The elements of a DICOM data set in memory: both little-endian forms, with sequences of any depth that a file of waveforms has. Values stay
 * bytes until they are asked for.
 */
import { damaged, unsupported } from '../refusals.ts';

const PREAMBLE_BYTES = 128;
const MARK_BYTES = 4;
const META_GROUP = 0x0002;
const ITEM = 0xfffe_e000;
const ITEM_END = 0xfffe_e00d;
const SEQUENCE_END = 0xfffe_e0dd;
const UNDEFINED_LENGTH = 0xffff_ffff;
const MAX_DEPTH = 16;
const MAX_ELEMENTS = 200_000;

const IMPLICIT_LITTLE = '1.2.840.10008.1.2';
const EXPLICIT_LITTLE = '1.2.840.10008.1.2.1';
const TRANSFER_SYNTAX = 0x0002_0010;

/** Value representations with a length of four bytes. */
const LONG = new Set(['OB', 'OD', 'OF', 'OL', 'OV', 'OW', 'SQ', 'UC', 'UN', 'UR', 'UT', 'SV', 'UV']);

/** Sequences that are looked into where the file does not say which elements are sequences. */
const SEQUENCES: ReadonlySet<number> = new Set([0x5400_0100, 0x003a_0200, 0x003a_0208, 0x003a_0211, 0x003a_0209]);

export class DicomSet {
  readonly #values = new Map<number, Buffer>();
  readonly #items = new Map<number, DicomSet[]>();

  addValue(tag: number, value: Buffer): void {
    this.#values.set(tag, value);
  }

  addItems(tag: number, items: DicomSet[]): void {
    this.#items.set(tag, items);
  }

  bytes(tag: number): Buffer | undefined {
    return this.#values.get(tag);
  }

  items(tag: number): readonly DicomSet[] {
    return this.#items.get(tag) ?? [];
  }

  /** Text without padding; empty where the element is absent. */
  text(tag: number): string {
    return (this.#values.get(tag)?.toString('latin1') ?? '').replace(/[\0 ]+$/, '').trim();
  }

  /** A decimal string; NaN where it is absent. */
  decimal(tag: number): number {
    const [first = ''] = this.text(tag).split('\\');
    return /^[-+]?[\d.]+(?:e[-+]?\d+)?$/i.test(first) ? Number(first) : Number.NaN;
  }

  /** A whole number of two or four bytes; NaN where it is absent. */
  whole(tag: number): number {
    const bytes = this.#values.get(tag);
    if (bytes?.length === 2) return bytes.readUInt16LE(0);
    return bytes?.length === 4 ? bytes.readUInt32LE(0) : Number.NaN;
  }
}

interface Element {
  tag: number;
  isSequence: boolean;
  length: number;
  valueAt: number;
}

class DicomReader {
  readonly #bytes: Buffer;
  readonly #path: string;
  #elements = 0;

  constructor(bytes: Buffer, path: string) {
    this.#bytes = bytes;
    this.#path = path;
  }

  /** Reads elements from `at` until `stop`, an end mark, or another group than the given one. Returns where it ended. */
  readSet(
    at: number,
    stop: number,
    isExplicit: boolean,
    depth: number,
    onlyGroup?: number,
  ): { set: DicomSet; at: number } {
    const set = new DicomSet();
    let position = at;
    while (position + 8 <= stop) {
      const tag = this.#tagAt(position);
      if (tag === ITEM_END) return { set, at: position + 8 };
      if (onlyGroup !== undefined && tag >>> 16 !== onlyGroup) break;
      position = this.#readElement(set, this.#elementAt(position, isExplicit), stop, isExplicit, depth);
    }
    return { set, at: position };
  }

  #readElement(set: DicomSet, element: Element, stop: number, isExplicit: boolean, depth: number): number {
    if (++this.#elements > MAX_ELEMENTS) throw unsupported(this.#path, 'it has too many elements.');
    const { tag, length, valueAt } = element;
    const isOpen = length === UNDEFINED_LENGTH;
    if (element.isSequence || isOpen) {
      if (depth === MAX_DEPTH) throw unsupported(this.#path, 'its sequences are nested too deeply.');
      const { items, at } = this.#readItems(valueAt, isOpen ? stop : valueAt + length, isExplicit, depth + 1);
      set.addItems(tag, items);
      return at;
    }
    const end = valueAt + length;
    if (end > stop) throw damaged(this.#path, 'an element reaches beyond its end.');
    set.addValue(tag, this.#bytes.subarray(valueAt, end));
    return end;
  }

  #readItems(at: number, stop: number, isExplicit: boolean, depth: number): { items: DicomSet[]; at: number } {
    if (stop > this.#bytes.length) throw damaged(this.#path, 'a sequence reaches beyond its end.');
    const items: DicomSet[] = [];
    let position = at;
    while (position + 8 <= stop) {
      const tag = this.#tagAt(position);
      const length = this.#bytes.readUInt32LE(position + 4);
      position += 8;
      if (tag === SEQUENCE_END) return { items, at: position };
      if (tag !== ITEM) throw damaged(this.#path, 'a sequence holds something else than items.');
      const itemStop = length === UNDEFINED_LENGTH ? stop : position + length;
      if (itemStop > stop) throw damaged(this.#path, 'an item reaches beyond its sequence.');
      const read = this.readSet(position, itemStop, isExplicit, depth);
      items.push(read.set);
      position = length === UNDEFINED_LENGTH ? read.at : itemStop;
    }
    return { items, at: position };
  }

  #tagAt(at: number): number {
    return this.#bytes.readUInt16LE(at) * 0x1_0000 + this.#bytes.readUInt16LE(at + 2);
  }

  #elementAt(at: number, isExplicit: boolean): Element {
    const tag = this.#tagAt(at);
    if (!isExplicit) {
      return { tag, isSequence: SEQUENCES.has(tag), length: this.#bytes.readUInt32LE(at + 4), valueAt: at + 8 };
    }
    const representation = this.#bytes.toString('latin1', at + 4, at + 6);
    if (!/^[A-Z]{2}$/.test(representation)) throw damaged(this.#path, 'an element has no value representation.');
    const isSequence = representation === 'SQ';
    if (!LONG.has(representation)) {
      return { tag, isSequence, length: this.#bytes.readUInt16LE(at + 6), valueAt: at + 8 };
    }
    if (at + 12 > this.#bytes.length) throw damaged(this.#path, 'it ends inside an element.');
    return { tag, isSequence, length: this.#bytes.readUInt32LE(at + 8), valueAt: at + 12 };
  }
}

/** @throws FILE_DAMAGED; UNSUPPORTED_FORMAT for a packed or big-endian data set */
export function readDicom(bytes: Buffer, path: string): DicomSet {
  const reader = new DicomReader(bytes, path);
  const start = PREAMBLE_BYTES + MARK_BYTES;
  const meta = reader.readSet(start, bytes.length, true, 0, META_GROUP);
  const syntax = meta.set.text(TRANSFER_SYNTAX) || IMPLICIT_LITTLE;
  if (syntax !== IMPLICIT_LITTLE && syntax !== EXPLICIT_LITTLE) {
    throw unsupported(path, `its transfer syntax ${syntax} is not read. Export it uncompressed, as little endian.`);
  }
  return reader.readSet(meta.at, bytes.length, syntax === EXPLICIT_LITTLE, 0).set;
}
