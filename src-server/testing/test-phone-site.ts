/** A running study with one activity, and phones of its subjects that call over the site's real listener. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { Client } from '../api/contract/client.ts';
import type { Routes } from '../api/contract/index.ts';
import type { ResponseOf } from '../api/contract/route.ts';
import type { Store } from '../services/index.ts';
import { type Answer, type Call, Connection } from '../simulator/device/connection.ts';
import type { SiteLanOptions } from '../site/lan.ts';
import type { TaskRecord } from '../study/definition-input.ts';
import { startTestLanSite, type TestLanSite } from './test-lan-site.ts';
import { TEST_PASSWORD, type TestSite } from './test-site.ts';

type Synced = ResponseOf<Routes['syncPhone']>;
type Place = { studyId: string; subjectId: string };

export interface TestPhoneSite {
  lan: TestLanSite;
  client: Client;
  store: Store;
  place: TestSite;
  walk: TaskRecord;
  now(): number;
  /** A phone that signed in for a subject of the site; default: the first. */
  signIn(subject?: number): Promise<TestPhone>;
  /** Files of pictures on the disk. */
  imageNames(): string[];
  /** Erases a subject, as an administrator orders it. */
  erase(place: Place): Promise<void>;
  close(): Promise<void>;
}

const CHANGE = { actor: { type: 'SYSTEM' } } as const;

/** @param timeZones of the subjects; one for each */
export async function startTestPhoneSite(timeZones?: string[], listener: SiteLanOptions = {}): Promise<TestPhoneSite> {
  const lan = await startTestLanSite(listener, timeZones);
  const { studyId } = lan.place;
  const { store } = lan.site.folder;
  const questions = [
    { text: 'How hard was it?', type: 'RANGE', values: ['0', '10'] },
    { text: 'Which of these?', type: 'MULTIPLECHOICE', values: ['Calm', 'Tense', 'Tired'] },
  ];
  const walk = { displayName: 'Walk', mode: 'UNSUPERVISED', durationSec: 360, instructions: 'Walk.', questions };
  const defined = await store.studies.putDefinition(
    studyId,
    {
      activities: [walk],
      deviceConfigs: [
        {
          mode: 'UNSUPERVISED',
          physicalConfig: { location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' },
          sensorConfig: { sensingType: 'MPU_ANALOG' },
        },
      ],
    },
    CHANGE,
  );
  const activity = defined.activities[0] as TaskRecord;
  const window = { start: '08:00', end: '09:59' };
  const due = [{ taskId: activity.id, type: 'activity' as const, days: 'daily' as const, window }];
  await store.studies.putDefinition(studyId, { program: { days: 5, tasks: due } }, CHANGE);
  await store.studies.move(studyId, 'start', CHANGE);
  const now = () => Date.now() + lan.clock.aheadMs;
  const phones: TestPhone[] = [];
  const made: TestPhoneSite = {
    lan,
    client: lan.client,
    get store() {
      return lan.site.folder.store;
    },
    place: lan.place,
    walk: activity,
    now,
    signIn: async (index = 0) => {
      const place = { studyId, subjectId: lan.place.subjectIds[index] ?? '' };
      const { token } = await made.client.call('createSubjectToken', { params: place });
      const phone = new TestPhone(() => lan.lanUrl, place, activity, now);
      await phone.signIn(token);
      phones.push(phone);
      return phone;
    },
    imageNames: () => readdirSync(lan.site.folder.imagesDir),
    async erase(place) {
      const { displayName } = await lan.site.folder.store.subjects.require(place.subjectId);
      const body = { reason: 'Asked for in writing', confirmation: displayName, password: TEST_PASSWORD };
      await this.client.call('eraseSubject', { params: place, body });
    },
    close: async () => {
      for (const phone of phones) phone.close();
      await lan.close();
    },
  };
  return made;
}

/** A phone as `resources/protocol/phone.md` describes it. Its clock may be wrong. */
export class TestPhone {
  readonly place: Place;
  readonly phoneId = randomUUID();
  /** How far the phone's clock is ahead of the site's. */
  clockAheadMs = 0;
  token = '';
  credentialId = '';
  readonly #walk: TaskRecord;
  readonly #siteNow: () => number;
  readonly #connection: Connection;

  constructor(url: () => string, place: Place, walk: TaskRecord, siteNow: () => number) {
    this.place = place;
    this.#walk = walk;
    this.#siteNow = siteNow;
    this.#connection = new Connection({ urls: [url()], pins: [] });
  }

  /** The phone's own clock. */
  now(): number {
    return this.#siteNow() + this.clockAheadMs;
  }

  async signIn(token: string): Promise<void> {
    const json = { token, phoneId: this.phoneId, clockTs: this.now() };
    const { body } = await this.#connection.call({ path: '/phone/sign-in', json, method: 'POST' });
    ({ token: this.token, credentialId: this.credentialId } = body as { token: string; credentialId: string });
  }

  async call(path: string, more: Omit<Call, 'path'> = {}): Promise<Answer> {
    return await this.#connection.send({ ...more, path, headers: { ...more.headers, ...this.#authorization() } });
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
  async get(path: string): Promise<any> {
    return (await this.call(path)).body;
  }

  /** Sends a text as it is. */
  async post(path: string, text: string, more: Omit<Call, 'path'> = {}): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return await this.call(path, { method: 'POST', bytes: Buffer.from(text), headers, ...more });
  }

  /** The text of a batch, sent now. */
  batch(items: object): string {
    return JSON.stringify({ clockTs: this.now(), ...items });
  }

  async sync(items: object): Promise<Synced> {
    const answer = await this.post('/phone/sync', this.batch(items));
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Synced;
  }

  /** A report of the walk that lasted six minutes. */
  report<T extends { startTs: number }>(facts: T) {
    const { startTs } = facts;
    const stopTs = startTs + 6 * 60_000;
    const answers: object[] = [{ questionId: this.#walk.questions[0]?.id ?? '', value: '4' }];
    return { id: randomUUID(), taskId: this.#walk.id, stopTs, answers, ...facts };
  }

  close(): void {
    this.#connection.close();
  }

  #authorization() {
    return { authorization: `Bearer ${this.token}` };
  }
}
