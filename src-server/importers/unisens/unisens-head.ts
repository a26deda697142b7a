/** Recognises a Unisens data set by its header file. */
import type { FileHead } from '../foreign-format.ts';

export const UNISENS_HEADER = 'unisens.xml';

/** Path of a header inside a ZIP or folder; what macOS packs beside each file is none. */
export const isHeaderPath = (name: string): boolean =>
  !name.startsWith('__MACOSX/') && name.slice(name.lastIndexOf('/') + 1).toLowerCase() === UNISENS_HEADER;

export const isUnisens = (names: readonly string[]): boolean => names.some(isHeaderPath);

/** The header alone: its data files lie beside it. */
export const isUnisensHead = ({ text }: FileHead): boolean =>
  /^\s*(?:<[?!][^>]*>\s*)*<(?:\w+:)?unisens[\s>]/.test(text);
