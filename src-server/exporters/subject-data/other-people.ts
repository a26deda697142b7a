/**
 * Keeps other subjects out of the copy that one subject receives (GDPR 15(4)). Their ids are replaced wherever they stand, and so are
 * their names as whole words: a note or an entry of the audit trail can mention both.
 */
import type { ReadStore } from '../../db/index.ts';

export const WITHHELD = '[withheld: another subject]';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** As erasures do: a shorter name, such as a number, stands in texts about anything. */
const LEAST_NAME_LENGTH = 4;
/** Japanese writes no spaces between words, so only letters of an alphabet and digits continue a word. */
const WORD = '[\\p{Script=Latin}\\p{N}]';
const IS_WORD = new RegExp(`^${WORD}$`, 'u');

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function wholeWord(name: string): string {
  const letters = [...name];
  const before = IS_WORD.test(letters[0]!) ? `(?<!${WORD})` : '';
  const after = IS_WORD.test(letters.at(-1)!) ? `(?!${WORD})` : '';
  return `${before}${escaped(name)}${after}`;
}

export class OtherPeople {
  readonly #store: ReadStore;
  readonly #subjectId: string;
  readonly #ids: Set<string>;
  readonly #names: RegExp | undefined;
  readonly #looked = new Set<string>();
  /** Texts in which something was withheld. */
  withheld = 0;

  private constructor(store: ReadStore, subjectId: string, ids: Set<string>, names: readonly string[]) {
    this.#store = store;
    this.#subjectId = subjectId;
    this.#ids = ids;
    const longestFirst = [...names].sort((a, b) => b.length - a.length).map(wholeWord);
    this.#names = longestFirst.length > 0 ? new RegExp(longestFirst.join('|'), 'gu') : undefined;
  }

  /** @param ownName a subject of another study may have the same code */
  static async than(subject: { id: string; displayName: string }, store: ReadStore): Promise<OtherPeople> {
    const { ids, names } = await store.subjectData.others(subject.id);
    const told = names
      .map((name) => name.trim())
      .filter((name) => name.length >= LEAST_NAME_LENGTH && !subject.displayName.includes(name));
    return new OtherPeople(store, subject.id, ids, told);
  }

  /** Returns a copy without other subjects, as deep as it goes. */
  async without<T>(value: T): Promise<T> {
    const unknown = [...new Set(JSON.stringify(value)?.match(UUID) ?? [])].filter((id) => !this.#looked.has(id));
    if (unknown.length > 0) {
      for (const id of unknown) this.#looked.add(id);
      for (const id of await this.#store.subjectData.idsOfOthers(this.#subjectId, unknown)) this.#ids.add(id);
    }
    return this.#cleaned(value) as T;
  }

  /** Names only: ids of their records have to be looked up, see {@link without}. */
  text(text: string): string {
    const cleaned = text.replaceAll(UUID, (id) => (this.#ids.has(id) ? WITHHELD : id));
    const shown = this.#names ? cleaned.replaceAll(this.#names, WITHHELD) : cleaned;
    if (shown !== text) this.withheld += 1;
    return shown;
  }

  #cleaned(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#cleaned(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [this.text(name), this.#cleaned(inner)]));
  }
}
