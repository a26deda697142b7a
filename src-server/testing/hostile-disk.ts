/**
 * A site on a small disk while two hubs, two phones and an importer try to fill it, an honest hub delivers, and a person works at the
 * desk. In the end another program takes every byte that is left; then the site is closed, opened on the full disk, and verified.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { basicAuthorization, type Client, type Credentials, createClient } from '../api/contract/client.ts';
import { hashPassword } from '../db/index.ts';
import { HOUR_MS } from '../durations.ts';
import { verifySite } from '../integrity/verify.ts';
import { deviceToken } from '../lan/device-identity.ts';
import { openSite } from '../site/folder.ts';
import type { SmallDisk } from './small-disk.ts';
import { openTls } from './test-device.ts';
import { testJpeg } from './test-jpeg.ts';
import {
  makeTestSite,
  type ServerProcess,
  signIn,
  startServerProcess,
  TEST_PASSWORD,
  type TestSite,
} from './test-site.ts';
import { TestDevice, type UploadFile } from './upload-client.ts';
import { makeUploadFile } from './upload-site.ts';

export interface HostileOptions {
  disk: SmallDisk;
  attackMs: number;
  /** For how long another program holds every byte of the disk. */
  filledMs: number;
  /** Uploads of the honest hub before the attack, which say how long one usually takes. */
  usualUploads: number;
  /** Length of an honest recording. */
  fileSeconds: number;
  /** Of the honest hub's link. */
  bytesPerSecond: number;
  /** Between two honest uploads. */
  uploadPauseMs: number;
  deskEveryMs: number;
  onProgress?: (line: string) => void;
}

export interface HostileOutcome {
  deskWrites: number;
  deskReads: number;
  signIns: number;
  /** What a person at the desk was refused. */
  deskFailures: string[];
  /** Slowest write at the desk. */
  slowestDeskMs: number;
  usualMs: number[];
  attackedMs: number[];
  uploadFailures: string[];
  /** How often each attack was answered with which status. */
  attacks: Record<string, number>;
  /** Smallest free space before another program took it. */
  leastFreeBytes: number;
  /** Whether the desk showed that the disk is full. */
  isShown: boolean;
  problems: string[];
}

const CHUNK_BYTES = 64 << 10;
const IMPORTER = 'importer@example.org';
const INSIDER = 'insider@example.org';

interface Sender {
  authorization: string;
  serial: string;
  sensor: string;
  udid: string;
}

interface Cast {
  site: TestSite;
  honest: Sender;
  hostile: Sender[];
}

/** Subjects with a sensor and hub each, and users who import. */
async function makeCast(folder: string): Promise<Cast> {
  const site = await makeTestSite({ folder, timeZones: new Array<string>(3).fill('US/Eastern') });
  const opened = await openSite(site.dir);
  try {
    const { store } = opened;
    const { accountId, studyId, userId, subjectIds } = site;
    const change = { actor: { type: 'USER', id: userId } } as const;
    const senders: Sender[] = [];
    for (const [index, subjectId] of subjectIds.entries()) {
      const [sensor, serial] = [`SN-${index}`, `hub-${index}`];
      const udid = `AA:BB:CC:00:03:0${index}`;
      await store.equipment.register({ accountId, id: sensor, type: 'SENSOR', udid }, change);
      await store.equipment.assign(sensor, { studyId, subjectId, atTs: 1 }, change);
      await store.equipment.register({ accountId, id: serial, type: 'LINK_HUB' }, change);
      const input = { accountId, kind: 'HUB', serial, equipmentId: serial } as const;
      const { device, secret } = await store.devices.add(input, change);
      senders.push({ authorization: `Bearer ${deviceToken(opened.site.id, device.id, secret)}`, serial, sensor, udid });
    }
    const passwordHash = await hashPassword(TEST_PASSWORD);
    for (const email of [IMPORTER, INSIDER]) {
      const names = { firstName: 'Ida', lastName: email.slice(0, 8), locale: 'en_US', timezone: 'US/Eastern' } as const;
      await store.users.create({ accountId, email, passwordHash, ...names, role: 'ADMIN' }, change);
    }
    const [honest, ...hostile] = senders;
    return { site, honest: honest!, hostile };
  } finally {
    await opened.close();
  }
}

export async function hostileDisk(options: HostileOptions): Promise<HostileOutcome> {
  const { disk, onProgress = () => undefined } = options;
  const outcome: HostileOutcome = {
    deskWrites: 0,
    deskReads: 0,
    signIns: 0,
    deskFailures: [],
    slowestDeskMs: 0,
    usualMs: [],
    attackedMs: [],
    uploadFailures: [],
    attacks: {},
    leastFreeBytes: freeBytes(disk),
    isShown: false,
    problems: [],
  };
  const scratch = await mkdtemp(join(tmpdir(), 'outpost-hostile-'));
  const cast = await makeCast(disk.path);
  const server = await startServerProcess(cast.site.dir, { lan: true });
  let isStopped = false;
  try {
    const run = new HostileRun(options, outcome, cast, server, scratch);
    await run.begin();
    const desk = new AbortController();
    const working = run.workAtDesk(desk.signal);
    for (let n = 0; n < options.usualUploads; n++) {
      outcome.usualMs.push(await run.deliver());
      await sleep(options.uploadPauseMs);
    }
    onProgress(`usual: ${outcome.usualMs.map(Math.round).join(', ')} ms; ${freeBytes(disk)} bytes free`);
    const attack = new AbortController();
    const attacking = run.attack(attack.signal);
    const until = performance.now() + options.attackMs;
    while (performance.now() < until) {
      outcome.attackedMs.push(await run.deliver(until + 30_000));
      onProgress(
        `${Math.round((until - performance.now()) / 1000)} s left: upload ${Math.round(outcome.attackedMs.at(-1) ?? 0)} ms, ${outcome.deskWrites} desk writes, ${outcome.deskFailures.length} failed, ${(freeBytes(disk) / 1e6).toFixed(1)} MB free ${JSON.stringify(outcome.attacks)}`,
      );
      await sleep(options.uploadPauseMs);
    }
    outcome.leastFreeBytes = run.leastFreeBytes;
    // Another program, while the attack still runs.
    disk.fill();
    onProgress('filled by another program');
    const filledUntil = performance.now() + options.filledMs;
    while (performance.now() < filledUntil) {
      await sleep(Math.min(1000, options.filledMs / 4));
      disk.fill();
      outcome.isShown ||= await run.isShown();
    }
    attack.abort();
    await attacking;
    desk.abort();
    await working;
    onProgress(`${outcome.deskWrites} desk writes, ${outcome.deskFailures.length} failed; closing on the full disk`);
    const code = await server.stop();
    isStopped = true;
    if (code !== 0) outcome.problems.push(`The server ended with code ${code}: ${server.stderr().slice(-2000)}`);
    disk.fill();
    await run.openAndClose('on the full disk');
    disk.free();
    await run.openAndClose('with room');
    outcome.problems.push(...(await verifySite(cast.site.dir)).problems.map(({ message }) => message));
    outcome.problems.push(...(await run.lostWrites()));
    return outcome;
  } finally {
    if (!isStopped) await server.kill();
    disk.free();
    await cast.site.remove();
    await rm(scratch, { recursive: true, force: true });
  }
}

function freeBytes({ path }: SmallDisk): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

class HostileRun {
  readonly #options: HostileOptions;
  readonly #outcome: HostileOutcome;
  readonly #cast: Cast;
  readonly #server: ServerProcess;
  readonly #scratch: string;
  readonly #written: string[] = [];
  #delivered = 0;
  #lanUrl = '';
  #ca = '';
  #client: Client | undefined;
  #phones: { authorization: string }[] = [];
  leastFreeBytes = Number.POSITIVE_INFINITY;

  constructor(options: HostileOptions, outcome: HostileOutcome, cast: Cast, server: ServerProcess, scratch: string) {
    this.#options = options;
    this.#outcome = outcome;
    this.#cast = cast;
    this.#server = server;
    this.#scratch = scratch;
  }

  async begin(): Promise<void> {
    const { site } = this.#cast;
    this.#lanUrl = `https://127.0.0.1:${new URL(this.#server.lanUrls[0] ?? '').port}`;
    const socket = await openTls(this.#lanUrl);
    this.#ca = socket.getPeerX509Certificate()?.toString() ?? '';
    socket.destroy();
    this.#client = await signIn(this.#server.url);
    await this.#client.call('startStudy', { params: { studyId: site.studyId } });
    for (const subjectId of site.subjectIds.slice(1)) {
      const params = { studyId: site.studyId, subjectId };
      const { token } = await this.#client.call('createSubjectToken', { params });
      const body = Buffer.from(JSON.stringify({ token, phoneId: randomUUID(), clockTs: Date.now() }));
      const device = this.#device('', 9);
      const answer = await device.request(
        'POST',
        '/api/v1/phone/sign-in',
        { 'content-type': 'application/json' },
        body,
      );
      this.#phones.push({ authorization: `Bearer ${String(answer.body.token)}` });
    }
  }

  /** Each sender calls from an address of its own, as in a clinic. */
  #device(authorization: string, address: number): TestDevice {
    const localAddress = `127.0.0.${address}`;
    return new TestDevice({ url: this.#lanUrl, authorization, ca: this.#ca, localAddress });
  }

  async #makeFile(sender: Sender, seconds: number, hoursAgo: number): Promise<UploadFile> {
    const startUs = Math.round((Date.now() - hoursAgo * HOUR_MS) * 1000);
    const made = await makeUploadFile(this.#scratch, { startUs, seconds, udid: sender.udid });
    return { ...made, sensor: sender.sensor };
  }

  /** Delivers one recording of the honest hub at the pace of its link. Returns how long it took until the recording was stored. */
  async deliver(untilMs = Number.POSITIVE_INFINITY): Promise<number> {
    const { fileSeconds, bytesPerSecond } = this.#options;
    const device = this.#device(this.#cast.honest.authorization, 1);
    this.#delivered += 1;
    const file = await this.#makeFile(this.#cast.honest, fileSeconds, 1000 - this.#delivered * 2);
    const began = performance.now();
    let waits = 0;
    for (;;) {
      try {
        const announced = await device.announce(file);
        if (announced.status !== 201) throw new Error(`announcing: ${announced.status} ${String(announced.body.code)}`);
        const location = announced.headers.location ?? '';
        let offset = Number(announced.headers['upload-offset']);
        while (offset < file.bytes.length) {
          const chunk = file.bytes.subarray(offset, offset + CHUNK_BYTES);
          const sent = performance.now();
          const answer = await device.patch(location, offset, chunk, { checksum: true });
          if (answer.status !== 204) throw new Error(`sending: ${answer.status} ${String(answer.body.code)}`);
          offset = Number(answer.headers['upload-offset']);
          // A link has a rate: what the site takes of the time of a chunk, the link does not have to wait for.
          await sleep(Math.max(0, (chunk.length / bytesPerSecond) * 1000 - (performance.now() - sent)));
        }
        for (;;) {
          const { state } = (await device.state(location)).body;
          if (state === 'STORED') return performance.now() - began;
          if (state !== 'RECEIVED') throw new Error(`the upload is ${String(state)}`);
          await sleep(20);
        }
      } catch (thrown) {
        waits += 1;
        if (waits === 1) this.#outcome.uploadFailures.push((thrown as Error).message);
        if (performance.now() > untilMs) return performance.now() - began;
        await sleep(500);
      }
    }
  }

  /** A person adds a subject, looks at the lists, and now and then signs in. */
  async workAtDesk(signal: AbortSignal): Promise<void> {
    const { deskEveryMs } = this.#options;
    const { studyId, accountId } = this.#cast.site;
    for (let n = 0; !signal.aborted; n++) {
      const began = performance.now();
      const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
        try {
          await work();
        } catch (thrown) {
          const { code, message } = thrown as { code?: string; message: string };
          this.#outcome.deskFailures.push(`${what} ${n}: ${code ?? ''} ${message}`);
        }
      };
      const displayName = `Desk ${n}`;
      await attempt('write', async () => {
        await this.#client?.call('createSubject', { params: { studyId }, body: { displayName, timezone: 'UTC' } });
        this.#written.push(displayName);
        this.#outcome.deskWrites += 1;
      });
      this.#outcome.slowestDeskMs = Math.max(this.#outcome.slowestDeskMs, performance.now() - began);
      if (n % 5 === 1) {
        await attempt('read', async () => {
          await this.#client?.call('listAttention', { params: { accountId } });
          this.#outcome.deskReads += 1;
        });
      }
      if (n % 10 === 2) {
        await attempt('sign-in', async () => {
          await signIn(this.#server.url);
          this.#outcome.signIns += 1;
        });
      }
      this.leastFreeBytes = Math.min(this.leastFreeBytes, freeBytes(this.#options.disk));
      await sleep(Math.max(0, deskEveryMs - (performance.now() - began)), undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whether Today names the full disk. */
  async isShown(): Promise<boolean> {
    const { accountId } = this.#cast.site;
    const found = await this.#client?.call('listAttention', { params: { accountId } }).catch(() => undefined);
    return found?.items.some(({ reason }) => reason === 'DISK_FULL') ?? false;
  }

  async attack(signal: AbortSignal): Promise<void> {
    const loop = async (name: string, step: (n: number) => Promise<string>): Promise<void> => {
      for (let n = 0; !signal.aborted; n++) {
        const answer = await step(n).catch((thrown: unknown) => {
          const { code, message } = thrown as { code?: string; message: string };
          return code ?? message.slice(0, 40);
        });
        const key = `${name} ${answer}`;
        this.#outcome.attacks[key] = (this.#outcome.attacks[key] ?? 0) + 1;
        await sleep(50);
      }
    };
    const hubs = this.#cast.hostile.flatMap((sender, index) => this.#hubAttacks(sender, 20 + index));
    const phones = this.#phones.flatMap(({ authorization }, index) => this.#phoneAttacks(authorization, 30 + index));
    const importers = await this.#importerAttacks();
    await Promise.all([...hubs, ...phones, ...importers].map(([name, step]) => loop(name, (n) => step(n, signal))));
    await Promise.all(this.#cuts.map((cut) => cut()));
  }

  readonly #cuts: (() => void)[] = [];

  #hubAttacks(sender: Sender, address: number): Attack[] {
    const device = this.#device(sender.authorization, address);
    const half = () => Math.max(1 << 20, Math.floor(freeBytes(this.#options.disk) / 3));
    const announce = async (sizeBytes: number): Promise<{ status: number; location: string; code: string }> => {
      const answer = await device.announce({
        recordingId: randomUUID(),
        sensor: sender.sensor,
        bytes: Buffer.alloc(0),
        startUs: (Date.now() - HOUR_MS) * 1000,
        metadata: { size: String(sizeBytes), sha256: randomBytes(32).toString('hex') },
      });
      return { status: answer.status, location: answer.headers.location ?? '', code: String(answer.body.code ?? '') };
    };
    const head = Buffer.from([0x89, 0x4f, 0x53, 0x49, 0x47, 0x0d, 0x0a, 0x1a, 1, 0]);
    return [
      // Promises that are never kept.
      [
        'hub announces',
        async (n) => {
          const { status, code } = await announce(n % 3 === 0 ? 1e12 : n % 3 === 1 ? half() : 1 << 20);
          return `${status} ${code}`;
        },
      ],
      // Kept but for the last bytes, so that little is outstanding and much is on the disk.
      [
        'hub sends all but the end',
        async (_n, signal) => {
          const sizeBytes = half();
          const { status, location, code } = await announce(sizeBytes);
          if (status !== 201) return `announce ${status} ${code}`;
          let offset = 0;
          while (offset < sizeBytes - 100 && !signal.aborted) {
            const length = Math.min(1 << 20, sizeBytes - 100 - offset);
            const bytes = randomBytes(length);
            if (offset === 0) head.copy(bytes);
            const answer = await device.patch(location, offset, bytes);
            if (answer.status !== 204) return `patch ${answer.status} ${String(answer.body.code)}`;
            offset = Number(answer.headers['upload-offset']);
          }
          return 'stalled';
        },
      ],
      // Whole files with the wrong hash.
      [
        'hub lies',
        async (n) => {
          const file = await this.#makeFile(sender, 300, 500 - n / 100);
          const sha256 = randomBytes(32).toString('hex');
          const lie = { ...file, metadata: { sha256 } };
          const announced = await device.announce(lie);
          if (announced.status !== 201) return `announce ${announced.status} ${String(announced.body.code)}`;
          const answer = await device.patch(announced.headers.location ?? '', 0, file.bytes);
          return `${answer.status} ${String(answer.body.code ?? '')}`;
        },
      ],
    ];
  }

  #phoneAttacks(authorization: string, address: number): Attack[] {
    const device = this.#device(authorization, address);
    const json = { 'content-type': 'application/json' };
    const sync = async (items: object): Promise<string> => {
      const text = Buffer.from(JSON.stringify({ clockTs: Date.now(), ...items }));
      const { status, body } = await device.request('POST', '/api/v1/phone/sync', json, text);
      const [first] = (body.messages ?? []) as { state?: string; code?: string }[];
      return `${status} ${String(body.code ?? first?.code ?? first?.state ?? '')}`;
    };
    return [
      [
        'phone pictures',
        async () => {
          const image = {
            id: randomUUID(),
            mimeType: 'image/jpeg',
            base64: testJpeg({ sizeBytes: 3_000_000, fill: 0x61 }).toString('base64'),
          };
          return await sync({ messages: [{ id: randomUUID(), body: 'Look', createdTs: Date.now(), images: [image] }] });
        },
      ],
      [
        'phone messages',
        async () => {
          const body = randomBytes(1000).toString('hex').slice(0, 1900);
          const messages = Array.from({ length: 20 }, () => ({ id: randomUUID(), body, createdTs: Date.now() }));
          return await sync({ messages });
        },
      ],
    ];
  }

  async #importerAttacks(): Promise<Attack[]> {
    const { studyId, subjectIds } = this.#cast.site;
    const subjectId = subjectIds[1] ?? '';
    const path = `/api/v1/studies/${studyId}/subjects/${subjectId}/imports`;
    const signInAs = async (email: string) => {
      const client = createClient({ baseUrl: this.#server.url });
      const session = await client.call('login', { body: { email, password: TEST_PASSWORD } });
      client.credentials = { userId: session.user.id, accessToken: session.accessToken };
      return client;
    };
    const importer = await signInAs(IMPORTER);
    const insider = await signInAs(INSIDER);
    const authorization = basicAuthorization(importer.credentials as Credentials);
    const post = async (
      announcedBytes: number | undefined,
      signal: AbortSignal,
      stallsAfter: number,
    ): Promise<string> =>
      await new Promise((resolve) => {
        const boundary = 'never-ending';
        const headers = {
          authorization,
          'content-type': `multipart/form-data; boundary=${boundary}`,
          ...(announcedBytes === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': announcedBytes }),
        };
        const call = httpRequest(
          new URL(path, this.#server.url),
          { method: 'POST', headers, agent: false },
          (response) => {
            response.resume();
            response.on('end', () => end(String(response.statusCode)));
            response.on('error', () => end('cut'));
          },
        );
        let timer: NodeJS.Timeout | undefined;
        const end = (answer: string) => {
          clearTimeout(timer);
          call.destroy();
          resolve(answer);
        };
        call.on('error', (error) => end((error as NodeJS.ErrnoException).code ?? 'cut'));
        signal.addEventListener('abort', () => end('stopped'), { once: true });
        call.write(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n`);
        let sent = 0;
        const more = () => {
          if (signal.aborted) return;
          if (sent >= stallsAfter) {
            timer = setTimeout(() => end('stalled'), 20_000);
            return;
          }
          sent += 1 << 18;
          call.write(randomBytes(1 << 18), (error) => {
            if (!error) setTimeout(more, 5);
          });
        };
        more();
      });
    return [
      ['import without end', async (_n, signal) => await post(undefined, signal, Number.POSITIVE_INFINITY)],
      [
        'import that promises and stalls',
        async (_n, signal) => await post(Math.floor(freeBytes(this.#options.disk) * 0.8), signal, 1 << 20),
      ],
      ['import of a terabyte', async (_n, signal) => await post(1e12, signal, 1 << 20)],
      [
        'export',
        async (n) => {
          const format = (['ARCHIVE', 'PARQUET', 'BIDS', 'BEATS'] as const)[n % 4]!;
          await sleep(1000);
          await insider.call('requestStudyExport', { params: { studyId }, body: { format } });
          return 'queued';
        },
      ],
      [
        'backup',
        async () => {
          await sleep(3000);
          const { items } = await insider.call('listJobs', { query: { state: ['queued', 'running'] } });
          if (items.some(({ kind }) => kind === 'backup')) return 'waits';
          await insider.call('createBackup', { body: {} });
          return 'queued';
        },
      ],
    ];
  }

  async openAndClose(when: string): Promise<void> {
    const { dir } = this.#cast.site;
    for (const turn of ['first', 'second']) {
      try {
        const folder = await openSite(dir);
        await folder.close();
      } catch (thrown) {
        const { code, message } = thrown as { code?: string; message: string };
        this.#outcome.problems.push(`Opening ${when}, ${turn} time: ${code ?? ''} ${message}`);
      }
    }
    const names = await readdir(dir);
    if (names.some((name) => name.endsWith('-wal')) && when === 'with room') {
      this.#outcome.problems.push(`The log of the database is still there after closing ${when}.`);
    }
  }

  /** Subjects that the desk acknowledged and the site does not have. */
  async lostWrites(): Promise<string[]> {
    const folder = await openSite(this.#cast.site.dir);
    try {
      const stored = new Set(
        (await folder.store.subjects.list(this.#cast.site.studyId)).map(({ displayName }) => displayName),
      );
      return this.#written.filter((name) => !stored.has(name)).map((name) => `${name} was acknowledged and is lost.`);
    } finally {
      await folder.close();
    }
  }
}

type Attack = readonly [name: string, step: (n: number, signal: AbortSignal) => Promise<string>];
