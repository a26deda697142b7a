/** Gives commands to a site that runs on this computer. */
import { request } from 'node:http';
import { errorFromJSON, OutpostError } from '../../errors.ts';
import { SecretBox } from '../../secrets/sealed-text.ts';
import { readControlFile } from './control-file.ts';

/** Long enough for a certificate that is checked by a busy computer. */
const PATIENCE_MS = 120_000;

/**
 * Returns the answer of the site, or undefined when no site of this folder answers.
 * @throws the error that the command ended with; REQUEST_TIMEOUT when it is not known how it ended
 */
export async function callRunningSite(
  dir: string,
  command: string,
  input: unknown,
): Promise<{ result: unknown } | undefined> {
  const file = await readControlFile(dir);
  if (!file) return undefined;
  const box = new SecretBox(Buffer.from(file.key, 'hex'));
  const answer = await post(file.port, box.seal(JSON.stringify({ command, input })));
  // Another program may have the port of a run that was killed.
  const opened = answer === undefined ? undefined : box.open(answer);
  if (opened === undefined) return undefined;
  const { result, error } = JSON.parse(opened) as { result?: unknown; error?: unknown };
  if (error !== undefined) throw errorFromJSON(error);
  return { result };
}

/** Undefined when nothing answers in this way. */
function post(port: number, body: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const fail = () => resolve(undefined);
    const sent = request(
      { host: '127.0.0.1', port, method: 'POST', timeout: PATIENCE_MS, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve(Buffer.concat(parts).toString('latin1')));
        response.on('error', fail);
      },
    );
    sent.on('timeout', () => {
      reject(
        new OutpostError(
          'REQUEST_TIMEOUT',
          'The running site did not answer in time. Look whether the change was made.',
        ),
      );
      sent.destroy();
    });
    sent.on('error', fail);
    sent.on('close', fail);
    sent.end(body);
  });
}
