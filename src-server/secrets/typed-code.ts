/**
 * Codes that people type: of a pairing, of a sign-in, of a password reset. Case, spaces, dashes and full-width letters (a
 * Japanese keyboard) do not matter.
 */
export function typedCode(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
