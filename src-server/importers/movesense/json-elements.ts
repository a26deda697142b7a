/**
 * The elements of the arrays of a large JSON text, one at a time: those of every array that lies in objects alone. Each element is parsed by
 * itself, so memory stays flat; one that cannot be parsed is counted, and the text behind it is read.
 */
import { damaged } from '../refusals.ts';

/** No notification of a sensor is longer. */
const MAX_ELEMENT_CHARACTERS = 1 << 20;
const MAX_DEPTH = 16;
const MAX_KEY_CHARACTERS = 200;

export interface JsonElement {
  /** Keys from the root to the array. */
  path: readonly string[];
  value: unknown;
}

interface Container {
  isArray: boolean;
  /** Of the value that is read in an object. */
  key: string;
}

export class JsonElements {
  readonly #name: string;
  readonly #open: Container[] = [];
  /** Text of the element that is read; null between elements. */
  #element: string | null = null;
  /** Brackets that are open in the element. */
  #depth = 0;
  #text: string | null = null;
  #isEscaped = false;
  /** The last string outside elements: a key, where a colon follows. */
  #string = '';
  broken = 0;
  isWhole = false;

  constructor(name: string) {
    this.#name = name;
  }

  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonElement[]> {
    const decoder = new TextDecoder('utf-8');
    for await (const chunk of chunks) {
      const found = this.#take(decoder.decode(chunk, { stream: true }));
      if (found.length > 0) yield found;
    }
  }

  #take(text: string): JsonElement[] {
    const found: JsonElement[] = [];
    /** Where the element that is read begins in this text. */
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#text !== null) {
        this.#inString(code);
        continue;
      }
      if (code === QUOTE) {
        if (this.#element === null && this.#isInArray()) from = this.#begin(at);
        this.#text = '';
      } else if (this.#element !== null) {
        if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#depth++;
        else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
          if (this.#depth > 0) this.#depth--;
          else {
            this.#end(text.slice(from, at), found);
            this.#close(code);
          }
        } else if (code === COMMA && this.#depth === 0) this.#end(text.slice(from, at), found);
      } else if (this.#isInArray() && !isBetween(code) && code !== CLOSE_ARRAY) {
        from = this.#begin(at);
        if (code === OPEN_OBJECT || code === OPEN_ARRAY) this.#depth = 1;
      } else this.#outside(code);
    }
    if (this.#element !== null) {
      this.#element += text.slice(from);
      if (this.#element.length > MAX_ELEMENT_CHARACTERS) {
        throw damaged(this.#name, 'it has an element longer than any notification of a sensor.');
      }
    }
    return found;
  }

  #inString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) {
      if (this.#element === null) this.#string = this.#text!;
      this.#text = null;
      return;
    }
    if (this.#element === null && this.#text!.length < MAX_KEY_CHARACTERS) this.#text += String.fromCharCode(code);
  }

  #isInArray(): boolean {
    return this.#open.at(-1)?.isArray === true;
  }

  #begin(at: number): number {
    this.#element = '';
    this.#depth = 0;
    return at;
  }

  #end(rest: string, found: JsonElement[]): void {
    const text = this.#element! + rest;
    this.#element = null;
    try {
      found.push({ path: this.#open.slice(0, -1).map(({ key }) => key), value: JSON.parse(text) as unknown });
    } catch {
      this.broken++;
    }
  }

  #outside(code: number): void {
    if (code === COLON) {
      const object = this.#open.at(-1);
      if (object) object.key = this.#string;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (this.#open.length === MAX_DEPTH) throw damaged(this.#name, 'it is nested deeper than any log.');
      this.#open.push({ isArray: code === OPEN_ARRAY, key: '' });
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#close(code);
  }

  #close(code: number): void {
    const container = this.#open.pop();
    if (!container || container.isArray !== (code === CLOSE_ARRAY)) {
      throw damaged(this.#name, 'its brackets do not match.');
    }
    if (this.#open.length === 0) this.isWhole = true;
  }
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** White space, a comma between elements, or a byte-order mark. */
const isBetween = (code: number): boolean =>
  code === 32 || code === 10 || code === 13 || code === 9 || code === COMMA || code === 0xfeff;
