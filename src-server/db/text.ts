/** Text as people compare it: SQLite's own LOWER knows ASCII only, so accented and Japanese names would not be found. */

/** Key for search and for "same regardless of letter case": compatibility forms and case folded away. */
export function foldText(text: string): string {
  // Upper first, so that letters with several lower forms (ß, final sigma) meet.
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Key for "the same name": spelling variants of one character are the same, letter case is not. */
export function nameKeyOf(name: string): string {
  return name.trim().normalize('NFC');
}
