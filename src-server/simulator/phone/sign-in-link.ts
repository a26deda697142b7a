/** Parses the QR code of a sign-in: `resources/protocol/phone.md`, section 1. */

export interface SignInCode {
  token: string;
  /** Fingerprint of the site's key, hex. */
  fingerprint: string;
  urls: string[];
}

export const isSignInLink = (text: string): boolean => text.startsWith('outpost://sign-in/');

/** @throws Error when the text is not a sign-in code, has expired by the phone's clock, or names no address */
export function readSignInLink(link: string, nowMs: number): SignInCode {
  if (!link.startsWith('outpost://sign-in/1#')) throw new Error('This is not an Outpost sign-in code.');
  const members = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const token = members.get('t');
  const fingerprint = Buffer.from(members.get('f') ?? '', 'base64url').toString('hex');
  const urls = members.getAll('a');
  if (!token) throw new Error('The sign-in code holds no token.');
  if (urls.length === 0 || fingerprint.length !== 64) {
    throw new Error('The site does not listen on its network, so its code leads nowhere. Ask the study team.');
  }
  if (Number(members.get('e')) * 1000 < nowMs) {
    throw new Error('The sign-in code is too old. Ask the study team for a new one.');
  }
  return { token, fingerprint, urls };
}
