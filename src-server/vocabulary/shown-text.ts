/**
 * Characters that make a name look like another one: controls, line separators and changes of the writing direction, with
 * which `P-01` followed by U+202E and `20-P` is shown as `P-01P-02` (Unicode Technical Report 36, section 2.5). The joiners
 * that Persian, Indic scripts and emoji are written with are not among them.
 */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** Returns whether every reader of a name sees the same as who typed it. */
export function isShownAsWritten(name: string): boolean {
  return !UNSEEN.test(name);
}

/** Continues a field's name in an error: "displayName must not contain …". */
export const NAME_WITH_UNSEEN = 'must not contain control characters or characters that change the direction of text';
