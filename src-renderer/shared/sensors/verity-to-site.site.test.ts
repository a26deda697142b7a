/** Twenty minutes of a software Verity Sense on an arm, recorded in the browser's module and uploaded to a real site. */
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SensorSite, type StoredChannel, startSensorSite } from '../../../src-server/testing/sensor-site.ts';
import { seededRandom } from '../../../src-server/testing/synthetic-ecg.ts';
import { browserCodec } from './browser-codec.ts';
import { PolarDriver } from './polar/driver.ts';
import { SensorRecorder } from './recording/recorder.ts';
import { openTestStore } from './testing/open-store.ts';
import { VeritySense } from './testing/verity-sense.ts';
import { VirtualTime } from './testing/virtual-time.ts';
import { browserTiming } from './timing.ts';
import { sendRecordings } from './upload.ts';

const MINUTE = 60_000;
const SERIALS = { 60: 'VERITY-FAST', [-60]: 'VERITY-SLOW' } as const;
const ACC = 2;
const BLOCKED = 1;
const CONTACT = 2;

let at: SensorSite;
beforeAll(async () => {
  at = await startSensorSite(...Object.values(SERIALS));
});
afterAll(async () => await at?.close());

describe.each([60, -60] as const)('an arm band whose clock drifts by %i ppm', (driftPpm) => {
  const startMs = Date.now() - 21 * MINUTE;
  const time = new VirtualTime(startMs);
  const random = seededRandom(11);
  let sensor: VeritySense;
  let pulses: StoredChannel;
  let acc: StoredChannel;

  beforeAll(async () => {
    let beat = 0;
    sensor = new VeritySense('Polar Sense 0A1B2C3D', time, {
      driftPpm,
      delayMs: () => 2 - 40 * Math.log(1 - random()) + (random() < 0.01 ? 800 * random() : 0),
      interval: () => {
        beat += 1;
        return { ms: 860 + Math.round(70 * Math.sin(beat / 6)), errorMs: beat % 90 === 0 ? 45 : 4 + (beat % 9) };
      },
      fate: (type, number) => (number === (type === ACC ? 300 : 60) ? 'DROP' : 'SEND'),
    });
    const store = await openTestStore();
    const recorder = new SensorRecorder({
      device: sensor,
      driver: new PolarDriver(),
      sensor: {
        serial: SERIALS[driftPpm],
        displayName: 'Arm band',
        hardwareId: '',
        physicalConfig: { location: 'MEDIAL_UPPERARM', side: 'LEFT' },
        sensorConfig: {},
      },
      store,
      codec: browserCodec,
      timing: time,
      newId: randomUUID,
    });
    recorder.start();
    await time.advanceTo(8 * MINUTE);
    sensor.isMoving = true;
    await time.advanceTo(8 * MINUTE + 12_000);
    sensor.isMoving = false;
    await time.advanceTo(10 * MINUTE);
    sensor.hasContact = false;
    await time.advanceTo(10 * MINUTE + 30_000);
    expect(recorder.status.hasContact).toBe(false);
    sensor.hasContact = true;
    await time.advanceTo(13 * MINUTE);
    sensor.isReachable = false;
    sensor.drop();
    await time.advanceTo(13 * MINUTE + 40_000);
    sensor.isReachable = true;
    await time.advanceTo(20 * MINUTE);
    const stopped = recorder.stop();
    await time.advanceTo(20 * MINUTE + 10_000);
    await stopped;
    expect(recorder.status).toMatchObject({ phase: 'STOPPED', unreadableFrames: 0 });
    const [row, ...more] = await store.list();
    expect(more).toEqual([]);
    expect(await sendRecordings({ store, call: at.call, timing: browserTiming })).toBeNull();
    expect(await store.list()).toEqual([]);
    pulses = await at.read(row!.recordingId, 0);
    acc = await at.read(row!.recordingId, 1);
  }, 120_000);

  it('is asked for pulse intervals without settings and for acceleration with its own', () => {
    expect(sensor.commands.slice(0, 3)).toEqual([
      '02 03',
      '01 02',
      '02 02 00 01 34 00 01 01 10 00 02 01 08 00 04 01 03',
    ]);
    expect(sensor.commands.slice(-2)).toEqual(['03 03', '03 02']);
    expect(pulses.header.channels).toMatchObject([
      { type: 'PPI', dimensions: ['ppi', 'error'], unit: 's', scale: [1e-3, 1e-3], sampleBits: 16 },
      { type: 'ACCEL', nominalRateHz: 52, unit: 'g', scale: Array(3).fill(8 / 2 ** 15) },
    ]);
    expect(pulses.header.hardwareId).toBe('Polar Verity Sense');
  });

  it('has at the site exactly the samples of the compressed frames that arrived, within 5 ms', () => {
    const samples = sensor.heardAcc.flatMap(({ first, count }) => Array.from({ length: count }, (_, i) => first + i));
    expect(samples.length).toBeGreaterThan(18.5 * 60 * 51);
    expect(acc.counts).toEqual(samples.map((i) => sensor.accOf(i)));
    const errorsMs = acc.times.map((us, i) => Math.abs(us / 1000 - startMs - sensor.accTimeMs(samples[i]!)));
    expect(errorsMs.reduce((worst, ms) => Math.max(worst, ms), 0)).toBeLessThan(5);
    expect(acc.marks.map(({ reason }) => reason)).toEqual(['LOST_BLOCK', 'LINK_LOST']);
  });

  it('has every interval that arrived undisturbed, with its error, and none that the sensor flagged', () => {
    const heard = sensor.pulses.filter(({ isHeard }) => isHeard);
    const valid = heard.filter(({ flags }) => !(flags & BLOCKED) && flags & CONTACT);
    expect(heard.length - valid.length).toBeGreaterThan(60);
    expect(pulses.counts).toEqual(valid.map(({ ms, errorMs }) => [ms, errorMs]));
    // No stamps: a beat is known to within its way to the phone, here five seconds at most.
    pulses.times.forEach((us, i) => {
      const lateMs = us / 1000 - startMs - valid[i]!.atMs;
      expect(lateMs).toBeGreaterThan(-1200);
      expect(lateMs).toBeLessThan(2200);
    });
  });

  it('joins an interval to the one before exactly where no beat is missing between them', () => {
    const heard = sensor.pulses.filter(({ isHeard }) => isHeard);
    const valid = heard.filter(({ flags }) => !(flags & BLOCKED) && flags & CONTACT);
    for (let i = 1; i < valid.length; i++) {
      const follows = Math.abs(pulses.times[i]! - pulses.times[i - 1]! - 1000 * valid[i]!.ms) < 5000;
      const isNext = sensor.pulses.indexOf(valid[i]!) === sensor.pulses.indexOf(valid[i - 1]!) + 1;
      expect(follows, `beat ${i}`).toBe(isNext);
      expect(pulses.times[i]!).toBeGreaterThan(pulses.times[i - 1]!);
    }
    expect(pulses.marks.map(({ reason }) => reason)).toEqual(['LOST_BLOCK', 'NO_CONTACT', 'NO_CONTACT', 'LINK_LOST']);
  });
});
