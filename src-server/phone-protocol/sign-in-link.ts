/**
 * The QR code of a sign-in in both its forms (`resources/protocol/phone.md`, section 1): `outpost://sign-in/1#...` for programs
 * that pin the site's key, and the address of the web app with the same members after `#1&`.
 */
import type { PhoneProblemCode } from './problems.ts';
import { PhoneProblem } from './problems.ts';

export interface SignInCode {
  token: string;
  siteId: string;
  siteName: string;
  /** Epoch ms. */
  expiresTs: number;
  /** Fingerprint of the site's key, hex; empty in the form for browsers, which check a certificate instead. */
  fingerprint: string;
  /** Addresses of the site; in the form for browsers that of the page. */
  urls: string[];
}

const PROGRAM = 'outpost://sign-in/';

export const isSignInLink = (text: string): boolean =>
  text.startsWith(PROGRAM) || /^https?:\/\/[^#]*\/phone\/?#/.test(text);

/** 32 bytes of base64url as hex; empty for anything else. */
function hexOf(base64url: string): string {
  if (!/^[\w-]{43}$/.test(base64url)) return '';
  const bytes = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/**
 * @throws PhoneProblem: NOT_A_SIGN_IN_CODE, CODE_VERSION (of a newer site), CODE_WITHOUT_ADDRESS, and CODE_EXPIRED by the
 * phone's clock; a web page, whose phone may have any time, gives no `nowMs` and lets the site judge
 */
export function readSignInLink(link: string, nowMs?: number): SignInCode {
  const fail = (code: PhoneProblemCode, message: string): never => {
    throw new PhoneProblem(code, message);
  };
  const [address = '', fragment = ''] = link.trim().split('#', 2);
  const isProgram = address.startsWith(PROGRAM);
  if (!isSignInLink(`${address}#${fragment}`)) fail('NOT_A_SIGN_IN_CODE', 'This is not an Outpost sign-in code.');
  const version = isProgram ? address.slice(PROGRAM.length) : fragment.split('&', 1)[0];
  if (!/^\d+$/.test(version ?? '')) fail('NOT_A_SIGN_IN_CODE', 'This is not an Outpost sign-in code.');
  if (version !== '1') fail('CODE_VERSION', 'The sign-in code is of a newer version of Outpost. Reload this program.');
  const members = new URLSearchParams(isProgram ? fragment : fragment.slice(2));
  const token = members.get('t') ?? '';
  const fingerprint = hexOf(members.get('f') ?? '');
  const urls = isProgram ? members.getAll('a') : [new URL(address).origin];
  const expiresTs = Number(members.get('e')) * 1000;
  if (!token) fail('NOT_A_SIGN_IN_CODE', 'The sign-in code holds no token.');
  if (isProgram && (urls.length === 0 || !fingerprint)) {
    fail(
      'CODE_WITHOUT_ADDRESS',
      'The site does not listen on its network, so its code leads nowhere. Ask the study team.',
    );
  }
  if (nowMs !== undefined && expiresTs < nowMs) {
    fail('CODE_EXPIRED', 'The sign-in code is too old. Ask the study team for a new one.');
  }
  return { token, siteId: members.get('s') ?? '', siteName: members.get('n') ?? '', expiresTs, fingerprint, urls };
}
