/**
 * The annotations of one file as time-stamped annotation lists (TALs), stored as bytes because a day of beats is 100,000 of
 * them. Every data record holds the TAL of its own start and the same number of bytes for others.
 */
import { annotationList, type EdfAnnotation } from './file-writer.ts';

const START_LIST_BYTES = 40;

export class AnnotationSheet {
  readonly #zeroUs: number;
  #bytes = Buffer.alloc(1 << 12);
  #used = 0;
  readonly #onsets: number[] = [];
  readonly #offsets: number[] = [0];
  #longest = 0;

  /** @param zeroUs the start in the file's header, epoch microseconds */
  constructor(zeroUs: number) {
    this.#zeroUs = zeroUs;
  }

  /** Adds an annotation; its onset is in epoch microseconds. */
  add({ onsetUs, durationUs, text }: EdfAnnotation): void {
    const list = annotationList({ onsetUs: onsetUs - this.#zeroUs, durationUs, text });
    if (this.#used + list.length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#used)], (this.#used + list.length) * 2);
    }
    this.#used += list.copy(this.#bytes, this.#used);
    this.#onsets.push(onsetUs);
    this.#offsets.push(this.#used);
    this.#longest = Math.max(this.#longest, list.length);
  }

  /**
   * Distributes the lists over the records, in order of time.
   * @param last a list that the last record must hold
   */
  deal(recordCount: number, bytesPerSample: 2 | 3, last?: EdfAnnotation): AnnotationDealer {
    const end = last && annotationList({ ...last, onsetUs: last.onsetUs - this.#zeroUs });
    const reserved = START_LIST_BYTES + (end?.length ?? 0);
    const order = Uint32Array.from(this.#onsets.keys());
    order.sort((a, b) => this.#onsets[a]! - this.#onsets[b]! || a - b);
    const needed = reserved + this.#longest + Math.ceil(this.#used / recordCount);
    const bytesPerRecord = Math.ceil(needed / (bytesPerSample * 2)) * bytesPerSample * 2;
    const room = bytesPerRecord - reserved;
    let next = 0;
    let records = 0;
    const listAt = (place: number) =>
      this.#bytes.subarray(this.#offsets[order[place]!], this.#offsets[order[place]! + 1]);
    return {
      bytesPerRecord,
      take: (recordStartUs) => {
        const lists = [annotationList({ onsetUs: recordStartUs - this.#zeroUs, durationUs: 0, text: '' })];
        let used = 0;
        for (; next < order.length; next++) {
          const list = listAt(next);
          if (used + list.length > room) break;
          used += list.length;
          lists.push(list);
        }
        if (++records === recordCount && end) lists.push(end);
        return Buffer.concat(lists);
      },
    };
  }
}

export interface AnnotationDealer {
  /** A multiple of the bytes of a sample. */
  bytesPerRecord: number;
  /** Returns the lists of the next record, beginning with that of its start. */
  take(recordStartUs: number): Buffer;
}
