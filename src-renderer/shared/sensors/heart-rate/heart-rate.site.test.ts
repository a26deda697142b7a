/** Straps of the standard Heart Rate Service, as several makers speak it; the files are read by the reader of the site. */
import 'fake-indexeddb/auto';
import { afterAll, describe, expect, it } from 'vitest';
import { sampleTimesUs } from '../../../../src-server/signals/index.ts';
import { fileOfOnly, recordSensor } from '../../../../src-server/testing/sensor-recording.ts';
import { temporaryFolder } from '../../../../src-server/testing/signal-fixtures.ts';
import { type HeartRateHabits, HeartRateStrap } from '../testing/heart-rate-strap.ts';
import { openTestStore } from '../testing/open-store.ts';
import { VirtualTime } from '../testing/virtual-time.ts';
import { HeartRateDriver } from './driver.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const MINUTE = 60_000;
const START_MS = Date.UTC(2026, 3, 1, 9);

/** An interval that wanders between 780 and 900 steps. */
function heart(): () => number {
  let i = 0;
  return () => 840 + Math.round(60 * Math.sin(i++ / 5));
}

describe('a Heart Rate Service strap', () => {
  it('gives one sample for each beat, whose intervals join up inside a page and break where beats are missing', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new HeartRateStrap('HRM 1', time, heart());
    const store = await openTestStore();
    const { stop, recorder } = recordSensor(strap, new HeartRateDriver(), store, time);
    await time.advanceTo(3 * MINUTE);
    strap.isDeaf = true;
    await time.advanceTo(3 * MINUTE + 6000);
    strap.isDeaf = false;
    await time.advanceTo(5 * MINUTE);
    strap.hasContact = false;
    await time.advanceTo(5 * MINUTE + 20_000);
    expect(recorder.status.hasContact).toBe(false);
    strap.hasContact = true;
    await time.advanceTo(6 * MINUTE);
    await stop();
    const { header, pages, marks } = await fileOfOnly(store, folder.path);
    expect(header.channels).toMatchObject([
      { type: 'RR', dimensions: ['rr'], unit: 's', scale: [1 / 1024], sampleBits: 16 },
    ]);
    const sent = strap.beats.filter(({ isSent }) => isSent);
    expect(pages.flatMap(({ columns }) => [...columns[0]!])).toEqual(sent.map(({ count }) => count));
    const times = pages.flatMap((page) => [...sampleTimesUs(page)]);
    // By arrival: up to a second late, never early.
    times.forEach((us, i) => {
      const lateMs = us / 1000 - START_MS - sent[i]!.atMs;
      expect(lateMs).toBeGreaterThan(-20);
      expect(lateMs).toBeLessThan(1100);
    });
    for (const page of pages) {
      const beats = sampleTimesUs(page);
      for (let i = 1; i < page.count; i++) {
        const intervalUs = (page.columns[0]![i]! * 1e6) / 1024;
        expect(Math.abs(beats[i]! - beats[i - 1]! - intervalUs)).toBeLessThanOrEqual(1);
      }
    }
    expect(marks.map(({ reason }) => reason)).toEqual(['LOST_BLOCK', 'NO_CONTACT']);
  });
});

describe('a strap of another maker', () => {
  it.each([
    ['several intervals at once', { everyMs: 2800 }],
    ['a wide rate, energy and no sense of contact', { isWide: true, hasEnergy: true, isNumb: true }],
    ['energy before several intervals', { everyMs: 2500, hasEnergy: true }],
  ] as const)('that sends %s loses and doubles no interval', async (_name, habits) => {
    const time = new VirtualTime(START_MS);
    const strap = new HeartRateStrap('HRM 2', time, heart(), habits);
    const store = await openTestStore();
    const { stop, recorder } = recordSensor(strap, new HeartRateDriver(), store, time);
    await time.advanceTo(4 * MINUTE);
    expect(recorder.status).toMatchObject({ problem: undefined, hasContact: 'isNumb' in habits ? null : true });
    await stop();
    const { pages, marks } = await fileOfOnly(store, folder.path);
    const sent = strap.beats.filter(({ isSent }) => isSent).map(({ count }) => count);
    expect(sent.length).toBeGreaterThan(280);
    expect(pages.flatMap(({ columns }) => [...columns[0]!])).toEqual(sent);
    expect(marks).toEqual([]);
  });

  it('that sends its heart rate alone is reported after a minute, until an interval arrives', async () => {
    const time = new VirtualTime(START_MS);
    const habits: HeartRateHabits = { isRateOnly: true };
    const strap = new HeartRateStrap('HRM 3', time, heart(), habits);
    const store = await openTestStore();
    const { stop, recorder } = recordSensor(strap, new HeartRateDriver(), store, time);
    await time.advanceTo(45_000);
    expect(recorder.status.problem).toBeUndefined();
    await time.advanceTo(75_000);
    expect(recorder.status).toMatchObject({ phase: 'RECORDING', recordedMs: 0, problem: { code: 'NO_INTERVALS' } });
    habits.isRateOnly = false;
    await time.advanceTo(90_000);
    expect(recorder.status.problem).toBeUndefined();
    habits.isRateOnly = true;
    strap.hasContact = false;
    await time.advanceTo(5 * MINUTE);
    expect(recorder.status.problem).toBeUndefined();
    await stop();
    expect(await store.list()).toHaveLength(1);
  });

  it('that never sends an interval leaves no recording', async () => {
    const time = new VirtualTime(START_MS);
    const strap = new HeartRateStrap('HRM 3', time, heart(), { isRateOnly: true });
    const store = await openTestStore();
    const { stop } = recordSensor(strap, new HeartRateDriver(), store, time);
    await time.advanceTo(2 * MINUTE);
    await stop();
    expect(await store.list()).toEqual([]);
  });
});
