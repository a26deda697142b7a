/** The nodemailer transport of the site's mail server, and the diagnostics of its failures. */
import type { MailServer } from '../../db/index.ts';
import { type Diagnostic, diagnostic } from '../../diagnostics.ts';

/** Generous: a mail server on the internet answers within seconds. */
const TIMEOUT_MS = 20_000;

export async function openTransport(server: MailServer, password: string | undefined, timeoutMs = TIMEOUT_MS) {
  // Loaded here: a start without mails to send does not need it.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.security === 'TLS',
    requireTLS: server.security === 'STARTTLS',
    ignoreTLS: server.security === 'NONE',
    ...(server.user !== undefined && { auth: { user: server.user, pass: password ?? '' } }),
    tls: { minVersion: 'TLSv1.2', ...(server.trustedCertificate && { ca: server.trustedCertificate }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

export interface MailFailure {
  diagnostic: Diagnostic;
  /** Only this mail is affected; others may succeed. */
  isOfThisMail: boolean;
  /** A retry cannot succeed. */
  isFinal: boolean;
}

interface SmtpFault {
  code?: string;
  response?: string;
  responseCode?: number;
  message?: string;
}

/** First line of a server's reply, as plain text. */
function replyOf({ response, message }: SmtpFault): string {
  const text = response ?? message ?? '';
  return (text.split(/[\r\n]/, 1)[0] ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 300)
    .trim();
}

export function mailFailure(thrown: unknown, server: MailServer): MailFailure {
  const fault = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as SmtpFault;
  const host = `${server.host}:${server.port}`;
  const reply = replyOf(fault);
  const ofServer = (found: Diagnostic): MailFailure => ({ diagnostic: found, isOfThisMail: false, isFinal: false });
  switch (fault.code) {
    case 'EENVELOPE':
    case 'EMESSAGE': {
      const isFinal = (fault.responseCode ?? 0) >= 500 && fault.responseCode !== 503;
      return { diagnostic: diagnostic('MAIL_REFUSED', { reply }), isOfThisMail: true, isFinal };
    }
    case 'EAUTH':
    case 'ENOAUTH':
      return ofServer(diagnostic('MAIL_SIGN_IN', { reply }));
    case 'EDNS':
      return ofServer(diagnostic('NAME_NOT_FOUND', { host: server.host }));
    case 'ETIMEDOUT':
      return ofServer(diagnostic('MAIL_TIMED_OUT', { host }));
    case 'ETLS':
      return ofServer(diagnostic('MAIL_TLS', { host, reply }));
    case 'ESOCKET':
    case 'ECONNECTION':
      return ofServer(
        /ECONNREFUSED/.test(reply)
          ? diagnostic('MAIL_NOT_LISTENING', { host })
          : diagnostic('MAIL_CUT', { host, reply }),
      );
    default:
      return ofServer(diagnostic('MAIL_FAILED', { reply: reply || 'unknown reason' }));
  }
}
