/** The sign-in of a subject's phone as the desk shows it. Apart from the routes, so that the desk loads no schema for it. */

/** Days in which a sign-in token of a subject has to be used for the first time. */
export const SUBJECT_TOKEN_DAYS = 7;

/** The one QR code holds no more than fits well; devices try the addresses in their order. */
const MAX_ADDRESSES = 4;

/**
 * What the QR code of a sign-in says, as `resources/protocol/phone.md` describes it. The token is in the fragment: fragments
 * are not sent to servers, so not logged.
 *
 * @param facts `fingerprint` in hex; without it and without addresses the site does not listen on the network
 */
export function signInLink(facts: {
  siteId: string;
  siteName: string;
  token: string;
  expirationTs: number;
  fingerprint?: string;
  addresses: readonly string[];
}): string {
  const { siteId, siteName, token, expirationTs, fingerprint, addresses } = facts;
  const members = new URLSearchParams([
    ['s', siteId],
    ['n', siteName],
    ['t', token],
    ['e', String(Math.floor(expirationTs / 1000))],
    ...(fingerprint === undefined ? [] : [['f', base64urlOfHex(fingerprint)]]),
    ...addresses.slice(0, MAX_ADDRESSES).map((address) => ['a', address]),
  ]);
  return `outpost://sign-in/1#${members}`;
}

function base64urlOfHex(hex: string): string {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
