/**
 * When what is being written is kept, and what a screen shows of what was kept before. Nothing is kept before that was read, and a text
 * that was typed meanwhile is joined to it, so neither replaces the other. Pure but for the writes.
 */
import type { Writing } from '../model.ts';

const NOTHING: Writing = { body: '', pictures: [] };

const isEmpty = ({ body, pictures, kind }: Writing): boolean =>
  body.trim() === '' && pictures.length === 0 && kind === undefined;

const isSame = (one: Writing, other: Writing): boolean =>
  one.body === other.body &&
  one.kind === other.kind &&
  (one.sensorSerial ?? '') === (other.sensorSerial ?? '') &&
  one.pictures.length === other.pictures.length &&
  one.pictures.every((picture, index) => picture === other.pictures[index]);

/** What was kept, followed by what was typed since. What was chosen since replaces what was chosen before. */
function joined(kept: Writing, typed: Writing): Writing {
  const { kind = kept.kind, sensorSerial } = typed.kind === undefined ? kept : typed;
  return {
    body: [kept.body, typed.body].filter((body) => body.trim() !== '').join('\n'),
    pictures: [...kept.pictures, ...typed.pictures],
    ...(kind && { kind }),
    ...(sensorSerial !== undefined && { sensorSerial }),
  };
}

export class WritingKeeper {
  readonly #keep: (writing: Writing | undefined) => Promise<void>;
  /** What is stored for certain. */
  #kept = NOTHING;
  #isRead = false;

  constructor(keep: (writing: Writing | undefined) => Promise<void>) {
    this.#keep = keep;
  }

  /**
   * Takes what the store had, or undefined when there was nothing or it could not be read.
   * @returns what the screen is to show instead of `typed`, if anything
   */
  read(found: Writing | undefined, typed: Writing): Writing | undefined {
    if (this.#isRead) return undefined;
    this.#isRead = true;
    if (!found) return undefined;
    this.#kept = found;
    return isEmpty(typed) ? found : joined(found, typed);
  }

  /** Stores a change. One that could not be stored is tried again by the next call. */
  async save({ body, pictures, kind, sensorSerial }: Writing): Promise<void> {
    const writing: Writing = {
      ...{ body, pictures },
      ...(kind && { kind }),
      ...(sensorSerial !== undefined && { sensorSerial }),
    };
    if (!this.#isRead || isSame(this.#kept, writing)) return;
    try {
      await this.#keep(isEmpty(writing) ? undefined : writing);
      this.#kept = writing;
    } catch {
      // Every screen shows a store without room; the text stays on this one.
    }
  }
}
