/** A real SMTP server that stores what it receives. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and body as they came. */
  raw: string;
  isEncrypted: boolean;
  user?: string;
}

export interface TestMailServer {
  port: number;
  mails: ReceivedMail[];
  /** SMTP replies for recipients, by address: `550 no such user`. */
  refusals: Map<string, string>;
  close(): Promise<void>;
}

export interface TestMailServerOptions {
  port?: number;
  /** With it the server offers STARTTLS, or speaks TLS from the start when `isSecure`. */
  tls?: { key: string; cert: string };
  isSecure?: boolean;
  login?: { user: string; password: string };
}

function replyError(text: string): Error {
  return Object.assign(new Error(text.slice(4)), { responseCode: Number(text.slice(0, 3)) });
}

export async function startTestMailServer(options: TestMailServerOptions = {}): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const refusals = new Map<string, string>();
  const { tls, login } = options;
  const server = new SMTPServer({
    ...(tls && { key: tls.key, cert: tls.cert }),
    secure: options.isSecure ?? false,
    ...(!tls && { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }),
    authOptional: !login,
    allowInsecureAuth: true,
    onAuth: (auth, _session, done) => {
      if (auth.username === login?.user && auth.password === login?.password) done(null, { user: auth.username });
      else done(replyError('535 Wrong user or password'));
    },
    onRcptTo: ({ address }, _session, done) => {
      const refusal = refusals.get(address);
      done(refusal ? replyError(refusal) : null);
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(parts).toString('utf8'),
          isEncrypted: session.secure,
          ...(session.user && { user: String(session.user) }),
        });
        done();
      });
    },
  });
  // Tests include clients that disconnect in the middle.
  server.on('error', () => undefined);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refusals,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
