/** Keys for comparing texts. SQLite's LOWER folds ASCII only and would miss accented and Japanese names. */

/** Key for search and case-insensitive equality: compatibility forms and case are folded away. */
export function foldText(text: string): string {
  // Upper case first, so that letters with several lower-case forms (ß, final sigma) meet.
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFC');
}

/** Key of a name: spelling variants of one character are equal, letter case is significant. */
export function nameKeyOf(name: string): string {
  return name.trim().normalize('NFC');
}

/** Key of a MAC address or a serial number: people, hubs and sensors write them with and without separators, in either case. */
export const addressKeyOf = (address: string): string => address.replaceAll(/[:-]/g, '').toUpperCase();

/** Key of an e-mail address: letter case is ignored. */
export function emailKeyOf(email: string): string {
  return foldText(email.trim());
}
