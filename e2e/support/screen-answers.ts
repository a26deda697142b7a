/** Overrides responses of the site, for states that are too short-lived to test otherwise. */
import type { Page } from '@playwright/test';

export interface ScreenAnswer {
  /** Of the path of a GET. */
  pattern: RegExp;
  /** What is answered, made of what the site answers; without a parameter the site is not asked. */
  body: ((answer: never) => unknown) | (() => unknown);
}

export async function changeAnswers(page: Page, answers: readonly ScreenAnswer[] = []): Promise<void> {
  for (const { pattern, body } of answers) {
    await page.route(
      (url) => url.pathname.startsWith('/api/') && pattern.test(url.pathname),
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
