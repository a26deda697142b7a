/**
 * Kills a server with SIGKILL at random moments while eight hubs upload at once, and starts it again, until every file has
 * arrived: all that was acknowledged is there after each kill, and in the end the site holds every file once, byte for byte.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '../durations.ts';
import { verifySite } from '../integrity/verify.ts';
import { deviceToken } from '../lan/device-identity.ts';
import { openSite } from '../site/folder.ts';
import { makeTestSite, startServerProcess, type TestSite } from './test-site.ts';
import { TestDevice, type UploadFile } from './upload-client.ts';
import { problemsInTheEnd } from './upload-outcome.ts';
import { makeUploadFile } from './upload-site.ts';

const HUBS = 8;
const FILES_OF_HUB = 2;
const FILE_SECONDS = 900;
const CHUNK_BYTES = 65_536;
const KILLS = 3;
/** Each kill comes after at most this share of all that the site has to acknowledge, which no load of the computer changes. */
const MOST_BEFORE_KILL = 0.5;
/** And at most this much later, so that it hits any step of the work. */
const LONGEST_LATER_MS = 60;

export interface HubKillRound {
  /** When each kill came: after how many acknowledgements since the start of the server, and how long after the last of them. */
  kills: { acknowledgements: number; laterMs: number }[];
  /** Files that were stored before the last kill. */
  storedBefore: number;
  /** Violations found; empty when there are none. */
  problems: string[];
}

interface Sender {
  authorization: string;
  files: UploadFile[];
}

/** What the site has acknowledged of a file. */
interface Acknowledged {
  offset: number;
  isStored: boolean;
}

/** Counts acknowledgements of all hubs together. */
class Acknowledgements {
  readonly #reached = Promise.withResolvers<void>();
  #left: number;

  /** @param count after how many {@link reached} resolves */
  constructor(count: number) {
    this.#left = count;
  }

  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  add(): void {
    this.#left -= 1;
    if (this.#left <= 0) this.#reached.resolve();
  }
}

async function addHubs(site: TestSite, folder: string): Promise<Sender[]> {
  const opened = await openSite(site.dir);
  try {
    const { store } = opened;
    const { accountId, studyId, userId, subjectIds } = site;
    const change = { actor: { type: 'USER', id: userId } } as const;
    const senders: Sender[] = [];
    for (let index = 0; index < HUBS; index++) {
      const [sensor, serial] = [`SN-${index}`, `hub-${index}`];
      const udid = `AA:BB:CC:00:02:0${index}`;
      await store.equipment.register({ accountId, id: sensor, type: 'SENSOR', udid }, change);
      await store.equipment.assign(sensor, { studyId, subjectId: subjectIds[index]!, atTs: 1 }, change);
      await store.equipment.register({ accountId, id: serial, type: 'LINK_HUB' }, change);
      const { device, secret } = await store.devices.add(
        { accountId, kind: 'HUB', serial, equipmentId: serial },
        change,
      );
      const files: UploadFile[] = [];
      for (let n = 0; n < FILES_OF_HUB; n++) {
        const startUs = (Date.now() - (6 - n) * HOUR_MS) * 1000;
        const made = await makeUploadFile(folder, { startUs, seconds: FILE_SECONDS, udid });
        files.push({ ...made, sensor });
      }
      senders.push({ authorization: `Bearer ${deviceToken(opened.site.id, device.id, secret)}`, files });
    }
    return senders;
  } finally {
    await opened.close();
  }
}

/** Sends one file until it is stored or the server is gone, and notes what is acknowledged. */
async function send(
  device: TestDevice,
  file: UploadFile,
  known: Acknowledged,
  onAcknowledged: () => void,
): Promise<string | undefined> {
  try {
    const { headers, status } = await device.announce(file);
    const there = Number(headers['upload-offset']);
    if (status !== 201) return `The announcement was answered with ${status}.`;
    if (there < known.offset) return `${known.offset} bytes were acknowledged, ${there} are there.`;
    if (known.isStored && headers['outpost-upload-state'] !== 'STORED') return 'A stored file is lost.';
    const location = headers.location ?? '';
    for (let offset = there; offset < file.bytes.length; offset = known.offset) {
      const answer = await device.patch(location, offset, file.bytes.subarray(offset, offset + CHUNK_BYTES));
      if (answer.status !== 204) return `A chunk was answered with ${answer.status}.`;
      known.offset = Number(answer.headers['upload-offset']);
      onAcknowledged();
    }
    for (;;) {
      const { state } = (await device.state(location)).body;
      if (state === 'STORED' && !known.isStored) {
        known.isStored = true;
        onAcknowledged();
      }
      if (known.isStored) return undefined;
      if (state !== 'RECEIVED') return `The upload is ${state}.`;
      await sleep(20);
    }
  } catch {
    // The server is gone.
    return undefined;
  }
}

/** @param options `random` yields numbers from 0 to 1, reproducible by seed */
export async function hubKillRounds(options: {
  random: () => number;
  rounds: number;
  onRound?: (round: HubKillRound, index: number) => void;
}): Promise<HubKillRound[]> {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-hub-kill-'));
  const template = await makeTestSite({ timeZones: new Array<string>(HUBS).fill('US/Eastern') });
  const rounds: HubKillRound[] = [];
  try {
    const senders = await addHubs(template, folder);
    for (let index = 0; index < options.rounds; index++) {
      const site = { ...template, dir: join(folder, `round-${index}`) };
      await cp(template.dir, site.dir, { recursive: true });
      const total = senders.flatMap(({ files }) => files).reduce((sum, file) => sum + acknowledgementsOf(file), 0);
      const kills = Array.from({ length: KILLS }, () => ({
        acknowledgements: 1 + Math.floor(options.random() * MOST_BEFORE_KILL * total),
        laterMs: Math.round(options.random() * LONGEST_LATER_MS),
      }));
      const round = await oneRound(site, senders, kills);
      rounds.push(round);
      options.onRound?.(round, index);
      await rm(site.dir, { recursive: true, force: true });
    }
    return rounds;
  } finally {
    await template.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** One for each chunk, and one for the stored file. */
const acknowledgementsOf = ({ bytes }: UploadFile): number => Math.ceil(bytes.length / CHUNK_BYTES) + 1;

async function oneRound(
  site: TestSite,
  senders: readonly Sender[],
  kills: HubKillRound['kills'],
): Promise<HubKillRound> {
  const problems: string[] = [];
  const files = senders.flatMap((sender) => sender.files);
  const known = new Map(files.map((file) => [file, { offset: 0, isStored: false }]));
  const sendAll = async (url: string, onAcknowledged: () => void = () => undefined) => {
    const hubs = senders.map(async ({ authorization, files: ofHub }) => {
      const device = new TestDevice({ url, authorization, chunkBytes: CHUNK_BYTES, checksums: true });
      for (const file of ofHub) {
        const problem = await send(device, file, known.get(file)!, onAcknowledged);
        if (problem !== undefined) problems.push(`${file.sensor}: ${problem}`);
      }
    });
    await Promise.all(hubs);
  };
  let storedBefore = 0;
  for (const [n, { acknowledgements, laterMs }] of kills.entries()) {
    const server = await startServerProcess(site.dir);
    const counter = new Acknowledgements(acknowledgements);
    const sending = sendAll(server.url, () => counter.add());
    // With everything stored, no more acknowledgements come.
    await Promise.race([counter.reached, sending]);
    await sleep(laterMs);
    await server.kill();
    await sending;
    storedBefore = files.filter((file) => known.get(file)!.isStored).length;
    const found = await verifySite(site.dir);
    problems.push(...found.problems.map(({ message }) => `after kill ${n + 1}: ${message}`));
  }
  const server = await startServerProcess(site.dir);
  try {
    await sendAll(server.url);
  } finally {
    if ((await server.stop()) !== 0) problems.push(`The server did not end cleanly: ${server.stderr()}`);
  }
  problems.push(...(await problemsInTheEnd(site.dir, files)));
  return { kills, storedBefore, problems };
}
