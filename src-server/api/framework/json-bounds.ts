/** What a JSON text would cost to parse, seen without parsing it: nesting, and the number of different objects. */
import { OutpostError } from '../../errors.ts';

/** The interface itself needs only a few levels. */
const MAX_DEPTH = 64;
/**
 * Sequences of member names, counted by their beginnings. An engine builds a hidden class for each of them: 6 MB of objects
 * that are all different stop it for seconds. Calls of the interface have some dozens.
 */
const MAX_SHAPES = 2000;

/** Returns the index of the quote that ends a string. `indexOf` is far faster than a look at each character of a picture. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let before = quote;
    while (before > at && text.charCodeAt(before - 1) === 0x5c) before--;
    // An odd number of backslashes escapes the quote.
    if ((quote - before) % 2 === 0) return quote;
    at = quote + 1;
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** True if a colon follows: the string before it names a member. */
function isNameBefore(text: string, from: number): boolean {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === 0x3a;
}

/** @throws INVALID_JSON for a text that only an attack or a fault makes. The text need not be valid JSON. */
export function requireModestJson(text: string): void {
  const names = new Map<string, number>();
  const shapes = new Map<number, number>();
  /** The shape so far of each open object. */
  const open: number[] = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      const end = endOfString(text, i + 1);
      if (isNameBefore(text, end + 1)) {
        const name = text.slice(i + 1, end);
        const nameId = names.get(name) ?? names.size;
        names.set(name, nameId);
        const key = (open.at(-1) ?? 0) * MAX_SHAPES + nameId;
        const shape = shapes.get(key) ?? shapes.size + 1;
        shapes.set(key, shape);
        open[open.length - 1] = shape;
        if (shapes.size >= MAX_SHAPES) {
          throw new OutpostError('INVALID_JSON', 'The body has too many objects with different members.');
        }
      }
      i = end;
    } else if (code === 0x7b || code === 0x5b) {
      open.push(0);
      if (open.length - 1 > MAX_DEPTH) {
        throw new OutpostError('INVALID_JSON', `The body is nested deeper than ${MAX_DEPTH} levels.`);
      }
    } else if ((code === 0x7d || code === 0x5d) && open.length > 1) open.pop();
  }
}
