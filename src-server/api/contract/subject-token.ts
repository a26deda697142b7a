/** The sign-in link of a subject's phone. Separate from the routes, so that the desk loads no schema for it. */

/** Days after which an unused sign-in token of a subject expires. */
export const SUBJECT_TOKEN_DAYS = 7;

/** More addresses would make the QR code hard to scan. Devices try them in order. */
const MAX_ADDRESSES = 4;

/**
 * Returns the content of the QR code of a sign-in, as `resources/protocol/phone.md` describes it. The token is in the
 * fragment, which is never sent to a server and so never logged.
 *
 * @param facts `fingerprint` in hex; it and the addresses are absent when the site does not listen on the network
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

/**
 * Returns the link that the camera of a subject's own phone opens: the site's web app at one address. Browsers pin no key and try no
 * second address.
 */
export function webSignInLink(
  address: string,
  facts: { siteId: string; siteName: string; token: string; expirationTs: number },
): string {
  const members = new URLSearchParams([
    ['s', facts.siteId],
    ['n', facts.siteName],
    ['t', facts.token],
    ['e', String(Math.floor(facts.expirationTs / 1000))],
  ]);
  return `${address}/phone#1&${members}`;
}

/** The address of the site that a phone most likely reaches: in the network of the last caller, else the first. */
export function likelyAddress(addresses: readonly string[], lastCaller: string | undefined): string | undefined {
  const shared = (address: string) => {
    const parts = new URL(address).hostname.split('.');
    const other = (lastCaller ?? '').split('.');
    const differs = parts.findIndex((part, at) => part !== other[at]);
    return differs < 0 ? parts.length : differs;
  };
  return addresses.reduce<string | undefined>(
    (best, address) => (best === undefined || shared(address) > shared(best) ? address : best),
    undefined,
  );
}

function base64urlOfHex(hex: string): string {
  const bytes = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
