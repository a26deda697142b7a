/**
 * A site and its desk as a program that runs in a network namespace: `node site.ts FOLDER [MEGABYTES]`. Hands out a sensor,
 * starts the site as a child process, prints the link of a pairing, and confirms the pairing when a device connects. When
 * its standard input ends, it stops the site and prints what arrived.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifySite } from '../../../src-server/integrity/verify.ts';
import { handOutSensorsOf } from '../../../src-server/testing/paired-hubs.ts';
import { allJobsEnd, makeTestSite, signIn, startServerProcess } from '../../../src-server/testing/test-site.ts';
import { makeUploadFile } from '../../../src-server/testing/upload-site.ts';

export interface SiteStart {
  link: string;
  path: string;
  sensor: string;
  sizeBytes: number;
}

export interface SiteEnd {
  /** SHA-256 of the generated file, and of every signal file at the site. */
  madeSha256: string;
  storedSha256: string[];
  /** Problems found by `outpost verify`. */
  problems: string[];
}

const ECG_BYTES_PER_SECOND = 500;
const print = (message: SiteStart | SiteEnd): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
};
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const [folder = '', megabytes = '60'] = process.argv.slice(2);
const site = await makeTestSite({ timeZones: ['US/Eastern'] });
try {
  const [[sensor] = []] = await handOutSensorsOf(site);
  const seconds = Math.ceil((Number(megabytes) * 1e6) / ECG_BYTES_PER_SECOND);
  const startUs = (Date.now() - (seconds + 3600) * 1000) * 1000;
  const made = await makeUploadFile(folder, { seconds, startUs, udid: sensor?.udid ?? '' });
  const path = join(folder, `${made.recordingId}.sig`);
  await writeFile(path, made.bytes);
  const server = await startServerProcess(site.dir, { lan: true });
  const client = await signIn(server.url);
  const { id: pairingId, link } = await client.call('startPairing', { body: {} });
  print({ link, path, sensor: sensor?.serial ?? '', sizeBytes: made.bytes.length });
  let hasInputEnded = false;
  process.stdin.on('end', () => {
    hasInputEnded = true;
  });
  process.stdin.resume();
  while (!hasInputEnded) {
    const { state, checkCode } = await client.call('getPairing', { params: { pairingId } });
    if (state === 'COMPARING' && checkCode) {
      await client.call('confirmPairing', { params: { pairingId }, body: { checkCode } });
    }
    await sleep(100);
  }
  await allJobsEnd(client);
  await server.stop();
  const signals = join(site.dir, 'signals');
  const stored = (await readdir(signals)).filter((name) => name.endsWith('.sig'));
  const storedSha256: string[] = [];
  for (const name of stored) storedSha256.push(sha256Of(await readFile(join(signals, name))));
  const { problems } = await verifySite(site.dir);
  print({ madeSha256: sha256Of(made.bytes), storedSha256, problems: problems.map(({ message }) => message) });
} finally {
  await site.remove();
}
