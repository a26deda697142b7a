import { expect, it } from 'vitest';
import { type FaultRecord, isSameAddress, type RecordingTime } from '../../db/index.ts';
import { seededRandom } from '../../testing/signal-fixtures.ts';
import { recordingOfFaults } from './recording-faults.ts';

const seed = Number(process.env.OUTPOST_SEED ?? Date.now() % 1_000_000);

/** The rule itself, without an index. */
function expected(times: readonly RecordingTime[], fault: FaultRecord): string | undefined {
  return times.findLast(
    (one) =>
      (one.equipmentId === null || fault.equipmentId === undefined
        ? isSameAddress(one.udid, fault.sensorId)
        : one.equipmentId === fault.equipmentId) &&
      one.subjectId === fault.subjectId &&
      one.startUs / 1000 <= fault.faultTs &&
      fault.faultTs <= one.stopUs / 1000 + 60_000,
  )?.id;
}

it(`a fault belongs to the last recording of its sensor that was running (OUTPOST_SEED=${seed})`, () => {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const addresses = ['AA:BB', 'aa-bb', 'CC:DD', 'unknown'];
  const instantMs = () => Math.floor(random() * 40) * 30_000;
  let matched = 0;
  for (let round = 0; round < 50; round++) {
    const times = Array.from({ length: 30 }, (_, i): RecordingTime => {
      const startUs = instantMs() * 1000 + pick([0, 1, 999]);
      const stopUs = startUs + instantMs() * pick([1, 100, 1000]);
      const sensor = { udid: pick(addresses), equipmentId: pick([null, 'S1', 'S2']) };
      return { id: `r${String(i).padStart(2, '0')}`, subjectId: pick(['a', 'b']), startUs, stopUs, ...sensor };
    }).sort((a, b) => a.startUs - b.startUs || (a.id < b.id ? -1 : 1));
    const recordingOf = recordingOfFaults(times);
    for (let i = 0; i < 100; i++) {
      const fault = {
        subjectId: pick(['a', 'b', 'c']),
        sensorId: pick(addresses),
        equipmentId: pick([undefined, 'S1', 'S3']),
        faultTs: instantMs() + pick([0, 1]),
      } as FaultRecord;
      const id = recordingOf(fault);
      expect(id, JSON.stringify({ seed, round, fault })).toBe(expected(times, fault));
      if (id !== undefined) matched++;
    }
  }
  expect(matched).toBeGreaterThan(500);
});
