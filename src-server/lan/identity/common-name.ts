/** Common names of certificates: words of people going in, and the same words coming out. */

/** A common name has at most 64 characters (RFC 5280, ub-common-name). */
const MOST_CHARACTERS = 64;

/** What a text is called in a certificate: visible characters in one line, cut between characters. */
export function commonName(text: string, mostCharacters = MOST_CHARACTERS): string {
  const visible = text.replaceAll(/\p{C}+/gu, ' ').trim();
  return [...visible].slice(0, mostCharacters).join('').trim() || 'Outpost';
}

/** The common name in a subject or issuer as Node writes it, one attribute to a line and escaped (RFC 2253). */
export function commonNameIn(name: string): string | undefined {
  const text = /(?:^|\n)CN=(.*)/.exec(name)?.[1];
  return text?.replaceAll(/\\([0-9A-F]{2}|.)/g, (_, escaped: string) =>
    escaped.length === 2 ? String.fromCharCode(Number.parseInt(escaped, 16)) : escaped,
  );
}
