/** Channels that no metric uses, from a real device: shown in lanes of their own, with their units and the values of the file. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { zipContents } from '../../src-server/testing/zip-contents.ts';
import { expectAccessible, signIn, test, watchPage } from '../support/desk.ts';
import { ownStudy } from '../support/study.ts';

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
  site,
}) => {
  // The recordings of real devices lie beside the project and are no part of it.
  test.skip(!existsSync(FILE), 'the recordings of real devices are not here');
  const study = await ownStudy(site, 'Wristbands');
  const params = { studyId: study.studyId };
  const subject = await study.client.call('createSubject', { params, body: { displayName: 'E-1', timezone: 'UTC' } });
  const content = await readFile(FILE);
  const body = new FormData();
  body.set('timeZone', 'UTC');
  body.set('file', new File([Uint8Array.from(content)], 'e4.zip'));
  const ids = { ...params, subjectId: subject.id };
  const { id: jobId } = await study.client.call('importRecordings', { params: ids, body });
  const job = () => study.client.call('getJob', { params: { jobId } });
  await expect.poll(async () => (await job()).state, { timeout: 30_000 }).toBe('done');
  const { items } = await study.client.call('listSubjectRecordings', { params: ids });

  const expectNoProblems = watchPage(page);
  await page.goto('/');
  await signIn(page, site);
  await page.goto(`/studies/${ids.studyId}/subjects/${ids.subjectId}/recordings/${items[0]!.id}`);
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
  const members = await zipContents(content);
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
  expectNoProblems();
});
