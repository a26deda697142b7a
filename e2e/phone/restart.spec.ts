/**
 * The phone's browser is killed in the middle of a survey while the site is stopped, and again once the survey is complete: nothing
 * is lost, and the site has it once. The app opens from its cache, so this browser trusts the site.
 */
import { mkdtemp, readlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, chromium, devices, expect, type Page } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from '../support/chromium.ts';
import { test } from '../support/lan-site.ts';
import { removeFolder } from '../support/remove-folder.ts';
import { RoughLine } from '../support/rough-line.ts';
import { hasCertutil, homeThatTrusts } from '../support/trust-store.ts';

test.use({ siteName: 'phone-restart' });
// Without trust there is no service worker, and no app while the site is stopped. `certutil` is on Linux alone here.
test.skip(!hasCertutil(), 'certutil is missing: install libnss3-tools.');

const { defaultBrowserType: _browser, ...PHONE } = devices['Pixel 7'];

/** A browser with its data in a folder, as on a phone. */
class Phone {
  readonly #profile: string;
  readonly #env: Record<string, string>;
  #context: BrowserContext | undefined;

  constructor(profile: string, env: Record<string, string>) {
    this.#profile = profile;
    this.#env = env;
  }

  async open(): Promise<Page> {
    this.#context = await chromium.launchPersistentContext(this.#profile, {
      ...PHONE,
      executablePath: findChromium(),
      args: CHROMIUM_FLAGS,
      env: this.#env,
      locale: 'en-US',
    });
    return this.#context.pages()[0] ?? (await this.#context.newPage());
  }

  /** Ends the process of the browser as the system does it: nothing of it can be written any more. */
  async kill(): Promise<void> {
    // Chromium links its lock to the name of the computer and the number of its process.
    const pid = Number((await readlink(join(this.#profile, 'SingletonLock'))).split('-').at(-1));
    const closed = new Promise((resolve) => this.#context?.once('close', resolve));
    process.kill(pid, 'SIGKILL');
    await closed;
    // Its helpers end with it, and let go of the profile.
    for (let tries = 0; tries < 100 && isAlive(pid); tries++) await sleep(50);
  }

  async close(): Promise<void> {
    await this.#context?.close().catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('keeps a half-finished survey when the browser is killed while the site is stopped, and sends it once', async ({
  lan,
}) => {
  test.setTimeout(150_000);
  const { store } = lan.site.folder;
  const { studyId, userId, subjectIds } = lan.place;
  const params = { studyId, subjectId: subjectIds[0]! };
  const change = { actor: { type: 'USER', id: userId } } as const;
  const questions = [
    { text: 'How do you feel?', type: 'RANGE', values: ['0', '10'] },
    { text: 'Did you sleep well?', type: 'BOOLEAN', values: [] },
  ];
  const diaries = [{ displayName: 'Diary', mode: 'UNSUPERVISED' as const, pipelineIds: [], questions }];
  const study = await store.studies.putDefinition(studyId, { activities: [], diaries }, change);
  const tasks = [{ taskId: study.diaries[0]!.id, type: 'diary' as const, days: 'daily' as const }];
  await store.studies.putDefinition(studyId, { program: { days: 9, tasks } }, change);
  await store.studies.move(studyId, 'start', change);
  const { token } = await lan.client.call('createSubjectToken', { params });
  const root = await (await fetch(`${lan.site.url}/phone/trust/authority.crt`)).arrayBuffer();
  const pem = `-----BEGIN CERTIFICATE-----\n${Buffer.from(root).toString('base64')}\n-----END CERTIFICATE-----\n`;

  const line = await new RoughLine(lan.lanUrl).open();
  const home = homeThatTrusts([pem]);
  const profile = await mkdtemp(join(tmpdir(), 'outpost-profile-'));
  const phone = new Phone(profile, home.env);
  try {
    let page = await phone.open();
    const expiry = Math.round(Date.now() / 1000) + 3600;
    await page.goto(`${line.url}/phone#1&s=site&n=Harbour&t=${token}&e=${expiry}`);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, this is right' }).click();
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');
    await expect(page.getByRole('button', { name: 'Begin Diary' })).toBeVisible();

    await lan.stop();
    await page.getByRole('button', { name: 'Begin Diary' }).click();
    await page.getByRole('radio', { name: '7', exact: true }).check({ force: true });
    await page.getByRole('button', { name: 'Next' }).click();
    // The next question comes once the answer is stored.
    await expect(page.getByRole('heading', { name: 'Did you sleep well?' })).toBeVisible();
    await phone.kill();

    page = await phone.open();
    await page.goto(`${line.url}/phone/`);
    await page.getByRole('button', { name: 'Continue Diary' }).click();
    await expect(page.getByRole('heading', { name: 'Did you sleep well?' })).toBeVisible();
    await page.getByRole('radio', { name: 'Yes' }).check({ force: true });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('button', { name: /^(Send|Finish)$/ }).click();
    await expect(page.getByText('Kept on this phone', { exact: true })).toBeVisible();
    await phone.kill();

    await lan.start();
    line.leadTo(lan.lanUrl);
    page = await phone.open();
    await page.goto(`${line.url}/phone/#/waiting`);
    const reports = async () => (await lan.client.call('listTaskReports', { params })).items;
    await expect.poll(async () => (await reports()).length).toBe(1);
    // Once more from the start: nothing waits, and nothing comes twice.
    await page.goto(`${line.url}/phone/#/today`);
    await page.reload();
    await expect(page.getByText(/^Done/).first()).toBeVisible();
    expect(await reports()).toHaveLength(1);
    const { items } = await lan.client.call('listAnnotations', { params, query: {} });
    const answers = items.flatMap(({ event, value }) =>
      event?.relationship?.id === study.diaries[0]!.id && value !== undefined ? [value] : [],
    );
    expect(answers.toSorted()).toEqual(['7', 'YES']);
  } finally {
    await phone.close();
    await line.close();
    home.remove();
    await removeFolder(profile);
  }
});
