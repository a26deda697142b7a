/**
 * Normalizes a code that a person typed, for pairing, sign-in or a password reset: ignores case, spaces and dashes, and
 * converts full-width letters (Japanese keyboards).
 */
export function typedCode(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
