/**
 * A clinic's site over a simulated month. Its computer is switched off between the days on which somebody works there, and each morning
 * the site starts by the clock of that day. Recordings come as files of a recorder on the thigh, tasks and messages from phones of subjects.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { pino } from 'pino';
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src-server/durations.ts';
import { SimulatedPhone } from '../../src-server/simulator/phone/phone.ts';
import { initSite } from '../../src-server/site/folder.ts';
import { type RunningSite, startSite } from '../../src-server/site/server.ts';
import { madeBlock, madeHeader } from '../../src-server/testing/made-cwa.ts';
import { allJobsEnd } from '../../src-server/testing/test-site.ts';
import { EMPTY_SITE_ADMIN } from './sites.ts';

/** People work from nine, when it is the same date in the time zones of all subjects. */
const OPENING_MS = 9 * HOUR_MS;

/** Midnight in UTC of the first Monday to come, so that every run has the same weekdays. */
function nextMonday(): number {
  const today = Math.floor(Date.now() / DAY_MS);
  // Day 0 of the epoch was a Thursday.
  const weekday = (today + 3) % 7;
  return (today + 7 - weekday) * DAY_MS;
}

const RATE_HZ = 12.5;
const RATE_CODE = 0x47;
const SAMPLES_PER_BLOCK = 120;

const PLACEMENT = { location: 'ANTERIOR_THIGH', side: 'RIGHT', timeZone: 'UTC' };

/** A file of a recorder on the thigh of somebody who never rests. */
function thighFile({ startMs, hours, serial }: { startMs: number; hours: number; serial: number }): Buffer {
  const blocks = Math.ceil((hours * 3600 * RATE_HZ) / SAMPLES_PER_BLOCK);
  const file = Buffer.alloc(1024 + blocks * 512);
  madeHeader({ deviceId: serial, session: serial }).copy(file);
  let noise = serial;
  for (let sequence = 0; sequence < blocks; sequence++) {
    const value = (i: number, axis: number): number => {
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
      const swing = Math.sin((sequence * SAMPLES_PER_BLOCK + i) * (0.85 + (serial % 7) / 50) + axis);
      return (axis === 2 ? 250 : 0) + Math.round(60 * swing) + (noise >>> 29);
    };
    const timeUs = startMs * 1000 + (sequence * SAMPLES_PER_BLOCK * 1e6) / RATE_HZ;
    const into = file.subarray(1024 + sequence * 512, 1536 + sequence * 512);
    madeBlock({ timeUs, sequence, session: serial, rateCode: RATE_CODE, value }, into);
  }
  return file;
}

export class MonthSite {
  /** Midnight in UTC of its first day, a Monday. */
  readonly startMs = nextMonday();
  readonly #folder: string;
  #aheadMs = 0;
  #running: RunningSite | undefined;
  #client: Client | undefined;
  #accountId = '';
  #lanPort = 0;
  readonly #phones = new Map<string, SimulatedPhone>();
  /** Each recorder and file is another. */
  #serial = 41_000;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<MonthSite> {
    const folder = await mkdtemp(join(tmpdir(), 'outpost-month-'));
    const month = new MonthSite(folder);
    await initSite(month.dir, { account: 'Harbour Clinic', timeZone: 'UTC', ...EMPTY_SITE_ADMIN });
    return month;
  }

  get dir(): string {
    return join(this.#folder, 'site');
  }

  get site(): RunningSite {
    if (!this.#running) throw new Error('The site is closed.');
    return this.#running;
  }

  get client(): Client {
    if (!this.#client) throw new Error('The site is closed.');
    return this.#client;
  }

  readonly clock = (): number => Date.now() + this.#aheadMs;

  /** Local date of a day of the month, 0 the first. */
  date(day: number): string {
    return new Date(this.startMs + day * DAY_MS).toISOString().slice(0, 10);
  }

  /** Starts the site in the morning of a day, and lets it analyse what waits. */
  async open(day: number): Promise<void> {
    await this.close();
    this.#aheadMs = this.startMs + day * DAY_MS + OPENING_MS - Date.now();
    const running = await startSite({
      dir: this.dir,
      port: 0,
      clock: this.clock,
      log: pino({ level: 'silent' }),
      // Phones keep the address that they signed in at.
      lan: { port: this.#lanPort, host: '127.0.0.1', addresses: () => ['127.0.0.1'], discovery: false },
    });
    this.#running = running;
    this.#lanPort = Number(new URL(running.lan.urls[0] ?? '').port);
    const client = createClient({ baseUrl: running.url });
    const { user, accessToken } = await client.call('login', { body: EMPTY_SITE_ADMIN });
    this.#accountId = user.accountId;
    client.credentials = { userId: user.id, accessToken };
    this.#client = client;
  }

  async close(): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
  }

  /** Closes the site and answers its folder, which is to be removed. */
  async end(): Promise<string> {
    for (const phone of this.#phones.values()) phone.close();
    await this.close();
    return this.#folder;
  }

  async studyId(): Promise<string> {
    const [study] = await this.client.call('listStudies', { params: { accountId: this.#accountId } });
    return study?.id ?? '';
  }

  /** Ids of the subjects by name. */
  async subjectIds(): Promise<Map<string, string>> {
    const params = { studyId: await this.studyId() };
    const { items } = await this.client.call('listSubjects', { params });
    return new Map(items.map(({ displayName, id }) => [displayName, id]));
  }

  /** A recording of a subject from an hour of a day on, in UTC. */
  recording(day: number, hour: number, hours: number): { name: string; mimeType: string; buffer: Buffer } {
    const serial = this.#serial++;
    const startMs = this.startMs + day * DAY_MS + hour * HOUR_MS;
    const mimeType = 'application/octet-stream';
    return { name: `${serial}.cwa`, mimeType, buffer: thighFile({ startMs, hours, serial }) };
  }

  /** Imports a file of each recording, as a script of the clinic does. */
  async import(recordings: readonly { subject: string; day: number; hour: number; hours: number }[]): Promise<void> {
    const studyId = await this.studyId();
    const ids = await this.subjectIds();
    for (const { subject, day, hour, hours } of recordings) {
      const { name, buffer } = this.recording(day, hour, hours);
      const body = new FormData();
      for (const [field, value] of Object.entries(PLACEMENT)) body.append(field, value);
      body.append('file', new Blob([Uint8Array.from(buffer)]), name);
      await this.client.call('importRecordings', { params: { studyId, subjectId: ids.get(subject) ?? '' }, body });
    }
  }

  /** Waits for all imports and analyses. */
  async analysed(): Promise<void> {
    await allJobsEnd(this.client);
  }

  /** Signs the phone of a subject in with the token that the desk shows. */
  async signInPhone(name: string, token: string): Promise<void> {
    const phone = await SimulatedPhone.open({ folder: join(this.#folder, `phone-${name}`), clock: this.clock });
    this.#phones.set(name, phone);
    const [url = ''] = this.site.lan.urls;
    await phone.signIn(url, token, this.site.lan.fingerprint);
  }

  /** A phone sends the first survey as it was answered in the middle of these days, and a message. */
  async send(name: string, days: readonly number[], message?: string): Promise<void> {
    const phone = this.#phones.get(name);
    const task = (await phone?.tasks())?.find(({ type }) => type === 'diary');
    if (!phone || !task) throw new Error(`The phone of ${name} has no survey.`);
    for (const day of days) {
      const startTs = this.startMs + day * DAY_MS + 8 * HOUR_MS;
      const answers = task.questions.map(({ id }) => ({ questionId: id, value: 'YES' }));
      const stopTs = startTs + 2 * MINUTE_MS;
      await phone.report({ taskId: task.id, startTs, stopTs, completedTs: stopTs, answers });
    }
    if (message !== undefined) await phone.write(message);
    await phone.sync();
  }

  /** A copy of the store as it is now, to count in. */
  async copyOfStore(name: string): Promise<BetterSqlite3.Database> {
    const path = join(this.#folder, `${name}.db`);
    const live = new BetterSqlite3(this.site.folder.store.path, { readonly: true });
    try {
      await live.backup(path);
    } finally {
      live.close();
    }
    return new BetterSqlite3(path, { readonly: true });
  }
}
