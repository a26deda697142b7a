/** The QR code of a sign-in, from the phone's side: `resources/protocol/phone.md`, section 1. */

export interface SignInCode {
  token: string;
  /** Of the key that the site shows, hex. */
  fingerprint: string;
  urls: string[];
}

export const isSignInLink = (text: string): boolean => text.startsWith('outpost://sign-in/');

/** @throws Error when the text is no code of a sign-in, is too old by the phone's clock, or leads nowhere */
export function readSignInLink(link: string, nowMs: number): SignInCode {
  if (!link.startsWith('outpost://sign-in/1#')) throw new Error('This is no sign-in code of Outpost.');
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
