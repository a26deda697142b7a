/** A coordinator records a strap at the desk, without a phone; the strap is made in software, everything else is real. */
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { PolarStrap } from '../../src-renderer/shared/sensors/testing/polar-strap.ts';
import { openSignalFile } from '../../src-server/signals/index.ts';
import { expectAccessible, watchPage } from '../support/desk.ts';
import { test } from '../support/lan-site.ts';
import { strapScript } from '../support/strap-script.ts';

const SERIAL = 'ABCD1234';
const STREAMS = { ecg: 0, acc: 2 } as const;

/** Samples of the frames that reached the page, in the order of the strap. */
const arrived = (page: Page, stream: number): Promise<number[][]> =>
  page.evaluate((wanted) => {
    const { strap } = window as unknown as { strap: PolarStrap };
    return strap.sent
      .filter((frame) => frame.stream === wanted && frame.fate === 'DELIVERED')
      .flatMap(({ first, count }) =>
        Array.from({ length: count }, (_, i) => (wanted === 0 ? [strap.ecgOf(first + i)] : strap.accOf(first + i))),
      );
  }, stream);

/** Notifications that are durable in the browser. */
const storedFrames = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('outpost-desk');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const counting = opening.result.transaction('frames').objectStore('frames').count();
          counting.onsuccess = () => {
            opening.result.close();
            resolve(counting.result);
          };
        };
      }),
  );

// Recordings of other flows would stand in the list of the subject.
test.use({ siteName: 'record-sensor' });

test('records a strap through a reload, and the site has every sample', async ({ desk: page, lan }) => {
  const { store, signalsDir } = lan.site.folder;
  const { accountId, studyId, userId, subjectIds } = lan.place;
  const subjectId = subjectIds[0] ?? '';
  const change = { actor: { type: 'USER', id: userId } } as const;
  await store.equipment.register(
    { accountId, id: SERIAL, type: 'SENSOR', hardwareId: 'Polar H10', displayName: 'Heart strap' },
    change,
  );
  await store.equipment.assign(SERIAL, { studyId, subjectId, atTs: Date.now() - 3_600_000 }, change);
  const expectNoProblems = watchPage(page);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.addInitScript({ content: await strapScript() });
  await page.goto(`/studies/${studyId}/subjects/${subjectId}/recordings`);
  await page.getByRole('link', { name: 'Record sensor' }).click();
  await expect(page.getByRole('radio', { name: 'Heart strap' })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Connect sensor' }).press('Enter');
  const live = page.getByRole('region', { name: 'Heart strap' });
  await expect(live.getByText('Recording', { exact: true })).toBeVisible();
  await expect(live.getByRole('img', { name: 'Last seconds of the signal' })).toBeVisible();
  await expect(live.getByText('87%')).toBeVisible();
  await expectAccessible(page);

  // Killed in the middle: what was durable is sent by the next page, whichever screen it shows.
  await expect.poll(() => storedFrames(page)).toBeGreaterThan(4);
  const durable = await storedFrames(page);
  const before = { ecg: await arrived(page, STREAMS.ecg), acc: await arrived(page, STREAMS.acc) };
  await page.reload();
  await expect(page.getByText('The window was closed during a recording.')).toBeVisible();

  await page.getByRole('button', { name: 'Connect sensor' }).press('Enter');
  await expect(live.getByText('Recording', { exact: true })).toBeVisible();
  // A recording that ends before its first samples leaves nothing.
  await expect.poll(async () => (await arrived(page, STREAMS.ecg)).length).toBeGreaterThan(0);
  await page.evaluate(() => (window as unknown as { strap: PolarStrap }).strap.drop());
  await expect(live.getByText('Reconnecting')).toBeVisible();
  await expect(live.getByText('Recording', { exact: true })).toBeVisible();
  await expect(live.getByText('The connection to the sensor was lost.')).toBeVisible();
  await live.getByRole('button', { name: 'Stop recording' }).press('Enter');
  await expect(page.getByRole('link', { name: 'Open recording' })).toHaveCount(2);
  const after = { ecg: await arrived(page, STREAMS.ecg), acc: await arrived(page, STREAMS.acc) };

  const { items } = await lan.client.call('listSubjectRecordings', { params: { studyId, subjectId } });
  const [first, second] = items.sort((a, b) => a.recordingStartTs - b.recordingStartTs).map(({ id }) => id);
  const samplesOf = async (id: string | undefined) => {
    const file = await openSignalFile(join(signalsDir, `${id}.sig`));
    const of = (channel: number) =>
      [...file.pages(channel)].flatMap((one) =>
        Array.from({ length: one.count }, (_, i) => one.columns.map((column) => column[i]!)),
      );
    const samples = { ecg: of(0), acc: of(1) };
    await file.close();
    return samples;
  };
  expect(await samplesOf(second)).toEqual(after);
  const kept = await samplesOf(first);
  for (const stream of ['ecg', 'acc'] as const) {
    // A flush may have come between the look at the store and the reload.
    expect(before[stream].slice(0, kept[stream].length)).toEqual(kept[stream].slice(0, before[stream].length));
  }
  expect(kept.ecg.length / 73 + kept.acc.length / 36).toBeGreaterThanOrEqual(durable - 1);
  const [upload] = await store.uploads.list({ recordingIds: [second ?? ''] });
  expect(upload).toMatchObject({ userId, subjectId, state: 'STORED' });
  await page.getByRole('link', { name: 'Open recording' }).first().click();
  await expect(page).toHaveURL(new RegExp(`/recordings/${second}`));
  expectNoProblems();
});
