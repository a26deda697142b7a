/** Overrides responses of the site, for states that are too short-lived to test otherwise. */
import type { Page } from '@playwright/test';

export interface ScreenAnswer {
  /** Of the path of a GET. */
  pattern: RegExp;
  /** Of its query; default: any. */
  query?: RegExp;
  /** What is answered, made of what the site answers; without a parameter the site is not asked. */
  body: ((answer: never) => unknown) | (() => unknown);
}

export async function changeAnswers(page: Page, answers: readonly ScreenAnswer[] = []): Promise<void> {
  for (const { pattern, query = /^/, body } of answers) {
    await page.route(
      (url) => url.pathname.startsWith('/api/') && pattern.test(url.pathname) && query.test(url.search),
      async (route) => {
        if (route.request().method() !== 'GET') return await route.continue();
        if (body.length === 0) return await route.fulfill({ json: (body as () => unknown)() });
        const response = await route.fetch();
        await route.fulfill({ response, json: body((await response.json()) as never) });
      },
    );
  }
}

/** Holds back responses. */
export async function holdAnswers(page: Page, pattern: RegExp | undefined): Promise<void> {
  if (pattern)
    await page.route(
      (url) => pattern.test(url.pathname),
      () => {},
    );
}

const DEVICE = {
  kind: 'HUB',
  serial: 'HUB-2041',
  displayName: 'Bedside hub',
  hardwareId: 'H2',
  firmwareId: '1.4.0',
};

/** Another program took the last byte of the disk. */
export const DISK_IN_RESERVE: readonly ScreenAnswer[] = [
  {
    pattern: /\/accounts\/[^/]+\/attention$/,
    body: (answer: { items: object[]; size: number }) => {
      const item = {
        id: 'DISK_FULL:site',
        reason: 'DISK_FULL',
        sentence: 'The disk of the site is full.',
        severity: 'HIGH',
        sinceTs: Date.now(),
        evidence: {
          detail: '139 MB',
          code: 'emergency',
          largest: [
            { part: 'others', sizeBytes: 182_000_000_000 },
            { part: 'backups', sizeBytes: 41_000_000_000 },
            { part: 'exports', sizeBytes: 2_300_000_000 },
          ],
        },
        evidenceKey: 'DISK_FULL',
        action: { kind: 'CHECK_DISK', target: { type: 'site', id: 'site' } },
      };
      return { ...answer, items: [item, ...answer.items], size: answer.size + 1 };
    },
  },
  {
    pattern: /\/site\/disk_use$/,
    body: () => ({
      disk: { freeBytes: 4_100_000, totalBytes: 256_000_000_000 },
      level: 'emergency',
      neededBytes: 139_000_000,
      neededForAllBytes: 340_000_000,
      promisedBytes: 88_000_000,
      emergencyBytes: 37_700_000,
      othersBytes: 182_000_000_000,
      parts: [
        { part: 'backups', sizeBytes: 41_000_000_000 },
        { part: 'recordings', sizeBytes: 29_000_000_000 },
        { part: 'exports', sizeBytes: 2_300_000_000 },
        { part: 'reserve', sizeBytes: 37_700_000 },
      ],
    }),
  },
];

/** The address `?pairing=shown` shows a pairing in this state, with the device that called. */
export const pairingIn = (state: object): ScreenAnswer[] => [
  {
    pattern: /\/pairings\/shown$/,
    body: () => ({
      id: 'shown',
      address: '192.168.1.57',
      device: DEVICE,
      deviceId: 'shown',
      wrongTries: 0,
      maxWrongTries: 60,
      createdTs: Date.now(),
      expirationTs: Date.now() + 600_000,
      ...state,
    }),
  },
  {
    pattern: /\/devices\/shown$/,
    body: () => ({
      ...DEVICE,
      id: 'shown',
      equipmentId: DEVICE.serial,
      batteryPercent: 64,
      lastContactTs: Date.now(),
      pairedTs: Date.now(),
      isConnected: true,
    }),
  },
];

const completed = (study: object) => ({ ...study, lifecycleState: 'COMPLETE' });

/** Studies that were completed: their pages are read-only. */
export const COMPLETED_STUDIES: ScreenAnswer[] = [
  { pattern: /\/studies\/[^/]+$/, body: completed },
  { pattern: /\/studies$/, body: (list: object[]) => list.map(completed) },
];

const JOB_STATES: readonly object[] = [
  { kind: 'archive', state: 'running', progress: { done: 3, total: 7, step: 'recordings' }, actions: ['cancel'] },
  { kind: 'analyse', state: 'queued', actions: ['cancel'] },
  {
    kind: 'analyse',
    state: 'parked',
    error: { code: 'ANALYTICS_CRASHED', message: 'This job stopped the analytics process 3 times and was set aside.' },
    actions: ['cancel', 'retry'],
  },
  {
    kind: 'backup',
    state: 'failed',
    error: { code: 'DISK_FULL', message: 'The disk is full. Free up space and try again.' },
    actions: ['retry'],
  },
  { kind: 'analyse', state: 'cancelled', actions: ['retry'] },
  { kind: 'import', state: 'cancelled', actions: [] },
];

/** The newest jobs in each state that they can be in. */
export const JOBS_IN_EACH_STATE: readonly ScreenAnswer[] = [
  {
    pattern: /\/jobs$/,
    body: ({ items, ...list }: { items: object[] }) => ({
      ...list,
      items: items.map((item, index) => ({ ...item, ...JOB_STATES[index] })),
    }),
  },
];

const SOON_MS = 20 * 24 * 3_600_000;

/** A clinic with a certificate of its own that ends soon, and a phone that trusts the authority. */
export const CERTIFICATES: readonly ScreenAnswer[] = [
  {
    pattern: /\/network\/certificates$/,
    body: () => ({
      authority: {
        state: 'READY',
        name: 'Clinic North 7F3A',
        fingerprint: '3b9f0c51d2a84e6677c0b1a29e4f8d3c5a6e7f80912b3c4d5e6f708192a3b4c5',
        notAfterTs: Date.UTC(2036, 10, 20),
        hostName: 'clinic-north.local',
        ranges: ['192.168.0.0/16'],
      },
      current: { hosts: ['192.168.1.20'], notAfterTs: Date.now() + SOON_MS, isSigned: true },
      uncovered: ['2001:db8::20'],
      own: {
        hostName: 'outpost.clinic.example',
        url: 'https://outpost.clinic.example:8481',
        names: ['outpost.clinic.example'],
        notBeforeTs: Date.now() - SOON_MS,
        notAfterTs: Date.now() + SOON_MS,
        warnings: [
          {
            code: 'CERTIFICATE_ENDS_SOON',
            message: 'The certificate ends on 2026-12-13. Renew it, then set the new one here.',
            facts: { date: '2026-12-13' },
          },
        ],
      },
      trustPages: ['192.168.1.20', '10.0.0.20'].map((host) => ({
        url: `https://${host}:8481/phone/trust`,
        qrSvg:
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="#fff" d="M0 0h9v9H0z"/><path d="M1 1h3v3H1zM5 1h3v3H5zM1 5h3v3H1z"/></svg>',
      })),
      trustedCalls: [{ address: '192.168.1.77', system: 'ANDROID', ts: Date.now() }],
    }),
  },
];

/** Phones used an address that the computer no longer has, and others its name. */
/** A watched folder with files that cannot be read, and the rest of their session. */
export const UNREADABLE_FILES: readonly ScreenAnswer[] = [
  {
    pattern: /\/docks$/,
    body: (docks: object) => ({
      ...docks,
      isOn: true,
      lookedTs: Date.now(),
      folders: [
        {
          ...{ path: '/srv/recordings/ward 3', studyId: '01970000-0000-7000-8000-000000000000', action: 'TAKE' },
          ...{ isThere: true, recordings: 1, growing: 0, foreign: 2, unreadable: 2, isCut: false },
          unreadableFiles: [
            { name: 'week 1/Polar_H10_02849638_20260106080000_HR.txt', why: 'IN_USE' },
            { name: 'week 2/', why: 'NO_ACCESS' },
          ],
        },
      ],
    }),
  },
  {
    pattern: /\/transfers$/,
    body: () => {
      const name = 'Polar_H10_02849638_20260106080000';
      const item = {
        ...{ id: '01970000-0000-7000-8000-000000000001', source: 'FOLDER', displayName: `week 1/${name}` },
        ...{ files: [`${name}_ACC.txt`, `${name}_ECG.txt`], isTable: false, needsStart: false, isPresent: true },
        ...{ unreadableFiles: [{ name: `${name}_HR.txt`, why: 'IN_USE' }], model: 'Polar H10', serial: '02849638' },
        ...{ state: 'QUESTION', question: 'UNREADABLE_FILES', sizeBytes: 8_200_000, receivedBytes: 0 },
        ...{ recordingIds: [], isAnalysed: false, actions: ['take', 'dismiss'] },
      };
      return { items: [item], size: 1 };
    },
  },
];

export const PHONE_ADDRESSES: readonly ScreenAnswer[] = [
  {
    pattern: /\/network$/,
    body: (network: object) => ({ ...network, nameUrl: 'https://clinic-north.local:8481', isNameUsed: true }),
  },
  {
    pattern: /\/network\/phone-addresses$/,
    body: () => {
      const subjectId = '01970000-0000-7000-8000-000000000000';
      const phone = (subjectName: string) => ({
        ...{ studyId: subjectId, subjectId: `${subjectName}`, subjectName, lastTs: Date.now() - SOON_MS / 10 },
      });
      return {
        items: [
          { host: '192.168.1.20:8481', isGone: true, lastTs: Date.now(), phones: [phone('S-0012'), phone('S-0013')] },
          { host: 'clinic-north.local:8481', isGone: false, lastTs: Date.now(), phones: [phone('S-0007')] },
        ],
        size: 2,
      };
    },
  },
];
