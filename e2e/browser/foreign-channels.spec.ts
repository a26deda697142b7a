/** Channels that no metric uses, from a real device: shown in lanes of their own, with their units and the values of the file. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { pino } from 'pino';
import { startSite } from '../../src-server/site/server.ts';
import {
  makeTestSite,
  signIn as signedIn,
  TEST_EMAIL,
  TEST_PASSWORD,
  upload,
} from '../../src-server/testing/test-site.ts';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';

const FILE = new URL('../../../shared/data/devices/empatica-e4/e4_short.zip', import.meta.url);

/** Members of the export of an Empatica E4 by the name of their lane. */
const LANES = {
  'Pulse wave (PPG) (raw counts)': 'BVP.csv',
  'Skin conductance (µS)': 'EDA.csv',
  'Temperature (°C)': 'TEMP.csv',
} as const;

/** Lowest, mean and highest value of each whole second: a first line with the start, a second with the rate, then the values. */
function secondsOf(text: string): Map<number, [lowest: number, mean: number, highest: number]> {
  const [start = 0, rateHz = 1, ...values] = text.trim().split(/\r?\n/).map(Number);
  const seconds = new Map<number, [number, number, number]>();
  for (let at = 0; at + rateHz <= values.length; at += rateHz) {
    const second = values.slice(at, at + rateHz);
    const mean = second.reduce((sum, value) => sum + value, 0) / rateHz;
    seconds.set(start * 1000 + (at / rateHz) * 1000, [Math.min(...second), mean, Math.max(...second)]);
  }
  return seconds;
}

const cellsOf = (line: string) => [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = '']) => cell);

test('shows the pulse wave, skin conductance and temperature of an Empatica E4 with the values of its file', async ({
  page,
}) => {
  // The recordings of real devices lie beside the project and are no part of it.
  test.skip(!existsSync(FILE), 'the recordings of real devices are not here');
  // A site of its own: a recording of 2019 on the shared one changes what its lists show.
  const { dir, studyId, subjectIds, remove } = await makeTestSite({ timeZones: ['UTC'] });
  const site = await startSite({ dir, port: 0, log: pino({ level: 'silent' }) });
  try {
    const params = { studyId, subjectId: subjectIds[0]! };
    const client = await signedIn(site.url);
    const { id: jobId } = await upload(client, params, [fileURLToPath(FILE)], { timeZone: 'UTC' });
    const job = () => client.call('getJob', { params: { jobId } });
    await expect.poll(async () => (await job()).state, { timeout: 30_000 }).toBe('done');
    const { items } = await client.call('listSubjectRecordings', { params });

    const expectNoProblems = watchPage(page);
    await page.goto(site.url);
    await signIn(page, { email: TEST_EMAIL, password: TEST_PASSWORD });
    const path = `/studies/${studyId}/subjects/${params.subjectId}`;
    await page.goto(`${site.url}${path}/recordings/${items[0]!.id}`);
    await expectValuesOfFile(page);
    expectNoProblems();
  } finally {
    await site.close();
    await remove();
  }
});

/** In the signal table of the viewer, which opens at the start: intervals begin minutes later, and nothing else is read then. */
async function expectValuesOfFile(page: Page): Promise<void> {
  await expect(page.getByTestId('in-view')).toBeVisible();
  await page.keyboard.press('t');
  const table = page.getByRole('region', { name: 'Table', exact: true });
  await expect(table.getByRole('row').nth(5)).toBeVisible();
  await expectAccessible(page);
  const lanes = await table.getByRole('combobox', { name: 'Table lane' }).locator('option').allInnerTexts();
  expect(lanes).toEqual([
    'Acceleration (g)',
    ...Object.keys(LANES),
    'Heart rate by the sensor (/min)',
    'Pulse intervals, optical (ms)',
  ]);
  const saved = page.waitForEvent('download');
  await table.getByRole('button', { name: 'Download signals in view (CSV)' }).click();
  const rows = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n').map(cellsOf);
  const members = await zipContents(await readFile(FILE));
  for (const [lane, member] of Object.entries(LANES)) {
    const truth = secondsOf(members.get(member)!.toString());
    const shown = rows.filter(([name]) => name === lane);
    expect(shown.length, lane).toBeGreaterThan(5);
    for (const cells of shown) {
      const [startMs, lowest, mean, highest] = [4, 8, 9, 10].map((at) => Number(cells[at]));
      const [low, middle, high] = truth.get(startMs!) ?? [];
      expect(lowest).toBeCloseTo(low!, 5);
      expect(mean).toBeCloseTo(middle!, 3);
      expect(highest).toBeCloseTo(high!, 5);
    }
  }
}
