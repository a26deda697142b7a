/**
 * How texts are compared in a search. Text becomes words: compatibility forms (full and half width), case, Latin, Greek and Cyrillic
 * accents, and hiragana and katakana are folded, and every Chinese or Japanese character is a word of its own, because these scripts
 * do not put spaces between words. A query of one or two such characters is then a phrase like any other.
 */
import { foldText } from './text.ts';

/** Of the combining marks only these: the voicing marks of kana, and the marks of Indic scripts, tell words apart. */
const ACCENTS = /[\u0300-\u036f]/g;
const KATAKANA = /[\u30a1-\u30f6]/g;
/** From katakana to the hiragana of the same sound. */
const KANA_DISTANCE = 0x60;
const WORDS = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]|[\p{L}\p{N}\p{M}]/gu;
const IS_WORD_ALONE = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]$/u;

function foldForSearch(text: string): string {
  return foldText(text)
    .normalize('NFD')
    .replace(ACCENTS, '')
    .normalize('NFC')
    .replace(KATAKANA, (character) => String.fromCharCode(character.charCodeAt(0) - KANA_DISTANCE));
}

interface Word {
  text: string;
  /** Of the folded text. */
  start: number;
  end: number;
}

function wordsOf(folded: string): Word[] {
  const words: Word[] = [];
  let open: Word | undefined;
  for (const match of folded.matchAll(WORDS)) {
    const [text] = match;
    const end = match.index + text.length;
    if (IS_WORD_ALONE.test(text) && /[\p{L}\p{N}]/u.test(text)) {
      words.push({ text, start: match.index, end });
      open = undefined;
    } else if (open?.end === match.index) {
      open.text += text;
      open.end = end;
    } else {
      open = { text, start: match.index, end };
      words.push(open);
    }
  }
  return words;
}

/** The words of a text as they are indexed, with spaces between. */
export function searchWords(text: string): string {
  return wordsOf(foldForSearch(text))
    .map((word) => word.text)
    .join(' ');
}

/** The parts of a query: each a series of words that must follow each other, the last of which is a prefix. Empty: nothing to search for. */
export function searchPhrases(query: string): string[] {
  return [...new Set(query.split(/\s+/u).map(searchWords))].filter((phrase) => phrase !== '');
}

export interface Snippet {
  text: string;
  /** Beginnings and ends of what was found, in UTF-16 units of the text. */
  matches: [number, number][];
}

const SNIPPET_LENGTH = 120;
/** Shown before the first place that was found. */
const LEAD = 30;

/** The part of a text around what was found, with an ellipsis where it was cut. */
export function snippetOf(text: string, phrases: readonly string[]): Snippet {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const places = firstPlacesOf(line, phrases);
  const first = places[0]?.[0] ?? 0;
  const begin = line.length <= SNIPPET_LENGTH ? 0 : boundary(line, Math.max(0, first - LEAD));
  const end = boundary(line, Math.min(line.length, begin + SNIPPET_LENGTH));
  const before = begin > 0 ? '…' : '';
  const shift = before.length - begin;
  return {
    text: `${before}${line.slice(begin, end)}${end < line.length ? '…' : ''}`,
    matches: places.filter(([from, to]) => from >= begin && to <= end).map(([from, to]) => [from + shift, to + shift]),
  };
}

/** Characters that are looked at first; as many again while the first place is not among them with all of the part around it. */
const LOOKED_AT = 1000;
/** More than the longest query, whose place may reach beyond the part. */
const BEYOND = 400;

/** Returns the places of a text up to the end of the part that is shown, so that a long text costs no more than its begin. */
function firstPlacesOf(line: string, phrases: readonly string[]): [number, number][] {
  for (let length = LOOKED_AT; length < line.length; length *= 2) {
    const places = placesOf(line.slice(0, boundary(line, length)), phrases);
    const [first] = places;
    if (first && first[0] + SNIPPET_LENGTH + BEYOND < length) return places;
  }
  return placesOf(line, phrases);
}

/** Not within a surrogate pair. */
const boundary = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at);

function placesOf(line: string, phrases: readonly string[]): [number, number][] {
  // Folding changes lengths, so each character of the line is folded alone, and its place remembered.
  let folded = '';
  const origins: number[] = [];
  let at = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(line)) {
    const piece = foldForSearch(segment);
    for (let n = 0; n < piece.length; n++) origins.push(at);
    folded += piece;
    at += segment.length;
  }
  origins.push(line.length);
  const words = wordsOf(folded);
  const found: [number, number][] = [];
  for (const phrase of phrases) {
    const wanted = phrase.split(' ');
    const last = wanted.length - 1;
    for (const [index, word] of words.entries()) {
      const isHere = wanted.every((part, n) => {
        const text = words[index + n]?.text;
        return n === last ? text?.startsWith(part) : text === part;
      });
      if (!isHere) continue;
      const end = words[index + last]!.start + wanted[last]!.length;
      found.push([origins[word.start]!, origins[end]!]);
    }
  }
  return found.sort(([a], [b]) => a - b).filter(([from], n, all) => n === 0 || from >= all[n - 1]![1]);
}
