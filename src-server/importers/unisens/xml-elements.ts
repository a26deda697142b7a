/**
 * Reads the elements of an XML text piece by piece. A document type is refused, so that no entity beyond the five of XML exists and a
 * small file cannot unfold into a large one; depth, names and texts are bounded.
 */
import { type SaxesAttributePlain, SaxesParser } from 'saxes';
import type { OutpostError } from '../../errors.ts';
import { damaged, unsupported } from '../refusals.ts';
import type { SetMember } from '../set-members.ts';

const MAX_ATTRIBUTES = 64;
/** Of a format whose files hold few values in their texts. */
const LIMITS: XmlLimits = { depth: 16, textCharacters: 1 << 16 };

interface XmlLimits {
  depth: number;
  /** Of the text directly in one element. */
  textCharacters: number;
}

export type Attributes = ReadonlyMap<string, string>;

export interface XmlHandler {
  /** @param name without a prefix @param depth 0 of the root */
  opened(name: string, attributes: Attributes, depth: number): void;
  /** @param text the text directly in the element */
  closed?(name: string, text: string, depth: number): void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Calls the handler for each piece; the caller takes what it collected whenever this yields.
 *
 * @throws FILE_DAMAGED where the text is no XML, UNSUPPORTED_FORMAT for a document type or text beyond the bounds
 */
export async function* xmlElements(
  member: SetMember,
  handler: XmlHandler,
  onBytes?: (bytes: number) => void,
  limits: XmlLimits = LIMITS,
): AsyncGenerator<void> {
  const parser = new SaxesParser({ xmlns: false });
  const texts: string[] = [];
  const stop = (refusal: OutpostError): never => {
    throw refusal;
  };
  parser.on('error', ({ message }) => stop(damaged(member.name, `it is not XML (${message}).`)));
  parser.on('doctype', () => stop(unsupported(member.name, 'it declares a document type, which no such file needs.')));
  parser.on('opentag', ({ name, attributes }) => {
    const entries = Object.entries(attributes as Record<string, SaxesAttributePlain | string>);
    if (texts.length === limits.depth) stop(unsupported(member.name, 'its elements are nested too deeply.'));
    if (entries.length > MAX_ATTRIBUTES) stop(unsupported(member.name, 'an element has too many attributes.'));
    const plain = entries.map(([key, value]) => [key, typeof value === 'string' ? value : value.value] as const);
    handler.opened(localName(name), new Map(plain), texts.length);
    texts.push('');
  });
  const addText = (text: string): void => {
    const at = texts.length - 1;
    if (at < 0) return;
    texts[at] += text;
    if (texts[at]!.length > limits.textCharacters) stop(unsupported(member.name, 'an element holds too long a text.'));
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', ({ name }) => {
    const text = texts.pop() as string;
    handler.closed?.(localName(name), text, texts.length);
  });
  const decoder = new TextDecoder('utf-8');
  for await (const chunk of member.open(onBytes)) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.write(decoder.decode()).close();
  yield;
}
