/** The sign-in link of the desk's QR code: `https://<address>/phone#1&s=<site>&n=<site name>&t=<token>&e=<expiry, epoch s>`. Pure. */

export interface SignInLink {
  text: string;
  siteName: string;
  expiresTs: number | undefined;
}

/** Reads a link, or the text of a QR code. Undefined if it is something else. */
export function readSignInLink(text: string): SignInLink | undefined {
  const fragment = /#(1&.+)$/.exec(text.trim())?.[1];
  if (fragment === undefined) return undefined;
  const fields = new URLSearchParams(fragment);
  if (!fields.get('t')) return undefined;
  const expiry = Number(fields.get('e') ?? Number.NaN);
  return {
    text: text.trim(),
    siteName: fields.get('n') ?? '',
    expiresTs: Number.isFinite(expiry) ? expiry * 1000 : undefined,
  };
}

const TOKEN_LENGTH = 20;

/** The letters and digits of a token as typed, in groups of four; what else was typed is left out. */
export function groupedToken(typed: string): string {
  const plain = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, TOKEN_LENGTH);
  return plain.replace(/(.{4})(?=.)/g, '$1-');
}

export const isWholeToken = (typed: string): boolean => typed.replace(/[^A-Z0-9]/g, '').length === TOKEN_LENGTH;
