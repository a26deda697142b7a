/** Answers commands of this computer to a running site. See `control-file.ts` for who can give them. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { toOutpostError } from '../../errors.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import { closeServer, createHttpServer, listenOnLoopback } from '../http-server.ts';
import { removeControlFile, writeControlFile } from './control-file.ts';

/** Far above any command. */
const MAX_BYTES = 4_000_000;
const CLOSE_GRACE_MS = 2000;

/** Commands by name. Each gets what the caller sent, parsed from JSON, and checks it. */
export type ControlCommands = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

export class SiteControl {
  readonly #dir: string;
  readonly #server: Server;

  private constructor(dir: string, server: Server) {
    this.#dir = dir;
    this.#server = server;
  }

  static async start(dir: string, commands: ControlCommands): Promise<SiteControl> {
    const key = randomBytes(32);
    const server = createHttpServer(answer(new SecretBox(key), commands));
    const port = await listenOnLoopback(server, 0);
    const control = new SiteControl(dir, server);
    try {
      await writeControlFile(dir, { format: 1, port, key: key.toString('hex') });
    } catch (thrown) {
      await control.close();
      throw thrown;
    }
    return control;
  }

  async close(): Promise<void> {
    await removeControlFile(this.#dir).catch(() => undefined);
    await closeServer(this.#server, CLOSE_GRACE_MS);
  }
}

function answer(box: SecretBox, commands: ControlCommands): RequestListener {
  return async (request, response) => {
    const text = await readBody(request).catch(() => undefined);
    const opened = text === undefined ? undefined : box.open(text);
    // Who lacks the key learns nothing.
    if (opened === undefined) {
      response.writeHead(403, { connection: 'close' }).end();
      return;
    }
    try {
      const { command, input } = JSON.parse(opened) as { command: string; input: unknown };
      const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
      if (!run) throw new TypeError(`no command ${command}`);
      response.end(box.seal(JSON.stringify({ result: (await run(input)) ?? null })));
    } catch (thrown) {
      response.end(box.seal(JSON.stringify({ error: toOutpostError(thrown).toJSON() })));
    }
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new RangeError('too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('latin1');
}
