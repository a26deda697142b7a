/** Decoders against bytes of real devices and the values that their makers' software gives for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StreamPlan } from './driver.ts';
import { readMeasurement } from './heart-rate/measurement.ts';
import { decodeMovesense, readResult, subscribe } from './movesense/messages.ts';
import { readAnswer, readFeatures, readSettings, settingsCommand, startCommand } from './polar/control-point.ts';
import { decodePolarFrame, deltaColumns } from './polar/frames.ts';

const DEVICES = join(import.meta.dirname, '../../../../shared/data/devices');
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(DEVICES, path), 'utf8')) as T;
const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.replace(/\s+/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

interface Capture {
  featureRead: string;
  controlPoint: { what: string; write: string; response: string }[];
  ecgFrames: string[];
}
interface Truth {
  files: {
    file: string;
    ecgMicrovolt: { frameTimesNs: string[]; values: { sum: number[]; first: number[][]; last: number[][] } };
    heartRate: { hr: number; rr1024: number[] }[];
    expected: { name: string; count: number; first: number[][]; last: number[][]; sumAbs: number[] }[];
  }[];
}

const stream = (type: number, dimensions: number): StreamPlan => ({
  stream: type,
  kind: 'EVEN',
  channel: {
    type: 'ANY',
    dimensions: Array.from({ length: dimensions }, (_, i) => `${i}`),
    unit: '',
    nominalRateHz: 1,
    scale: [],
    offset: [],
    sampleBits: 32,
  },
});
const evenOf = (bytes: Uint8Array, plan: StreamPlan[]) => {
  const decoded = decodePolarFrame(bytes, plan);
  if (decoded.kind !== 'EVEN') throw new Error(`The frame holds ${decoded.kind}.`);
  return decoded;
};

describe('a real Polar H10', () => {
  const capture = readJson<Capture>('polar-ble/h10-capture.json');
  const truth = readJson<Truth>('polar-ble/truth.json').files[0]!;
  const exchange = (what: string) => capture.controlPoint.find((entry) => entry.what === what)!;

  it('has electrocardiogram and acceleration', () => {
    expect(readFeatures(bytesOf(capture.featureRead))).toEqual([0, 2]);
  });

  it('is asked with the bytes of the capture', () => {
    for (const [what, type] of [
      ['ECG settings', 0],
      ['ACC settings', 2],
    ] as const) {
      const { write, response } = exchange(what);
      expect(hexOf(settingsCommand(type))).toBe(write);
      const answer = readAnswer(bytesOf(response))!;
      expect(answer).toMatchObject({ op: 1, type, status: 0, hasMore: false });
      const start = startCommand(type, readSettings(answer.parameters), { rateHz: 50, rangeG: type === 0 ? 0 : 2 });
      expect(hexOf(start.command).toUpperCase()).toBe(
        exchange(type === 0 ? 'ECG start 130 Hz 14 bit' : 'ACC start 50 Hz 2 g').write.toUpperCase(),
      );
    }
    expect(readAnswer(bytesOf(exchange('SDK mode on (not on H10)').response))).toMatchObject({ status: 2 });
  });

  it('sends the samples and stamps that its capturing library decoded', () => {
    const frames = capture.ecgFrames.map((hex) => evenOf(bytesOf(hex), [stream(0, 1)]));
    expect(frames.map(({ stampNs }) => String(stampNs))).toEqual(truth.ecgMicrovolt.frameTimesNs);
    const samples = frames.flatMap(({ columns }) => columns[0]!);
    const { values } = truth.ecgMicrovolt;
    expect(samples.slice(0, 5)).toEqual(values.first.flat());
    expect(samples.slice(-3)).toEqual(values.last.flat());
    expect(samples.reduce((sum, value) => sum + value, 0)).toBe(values.sum[0]);
  });
});

describe("compressed frames of Polar's own tests", () => {
  const frames = readJson<{ name: string; hex: string }[]>('polar-ble/delta-frames.json');
  const { expected } = readJson<Truth>('polar-ble/truth.json').files[1]!;
  it.each(expected.map((entry) => [entry.name, entry] as const))('decode as those tests say: %s', (name, entry) => {
    const bytes = bytesOf(frames.find((frame) => frame.name === name)!.hex);
    const isGyro = bytes[0] === 5;
    const columns = isGyro ? deltaColumns(bytes.subarray(10), 3, 16) : evenOf(bytes, [stream(2, 3)]).columns;
    const rows = columns[0]!.map((_, i) => columns.map((column) => column[i]!));
    expect(rows).toHaveLength(entry.count);
    expect(rows.slice(0, entry.first.length)).toEqual(entry.first);
    expect(rows.slice(-entry.last.length)).toEqual(entry.last);
    expect(columns.map((column) => column.reduce((sum, value) => sum + Math.abs(value), 0))).toEqual(entry.sumAbs);
  });

  it('are refused in a layout that is not known, and cut ones give what is whole', () => {
    const bytes = bytesOf(frames[1]!.hex);
    const unknown = bytes.slice();
    unknown[9] = 0x85;
    expect(() => decodePolarFrame(unknown, [stream(2, 3)])).toThrow(RangeError);
    expect(evenOf(bytes.subarray(0, bytes.length - 5), [stream(2, 3)]).count).toBeLessThan(57);
    expect(decodePolarFrame(bytes.subarray(0, 9), [stream(2, 3)])).toEqual({ kind: 'NOTHING' });
  });
});

describe('pulse intervals of a Verity Sense', () => {
  it('leave out what the sensor marks as disturbed', () => {
    const plan: StreamPlan[] = [{ ...stream(3, 2), kind: 'BEATS' }];
    const head = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const good = [72, 0x40, 0x03, 10, 0, 0b110];
    const moved = [72, 0x40, 0x03, 30, 0, 0b111];
    const off = [0, 0x40, 0x03, 30, 0, 0b100];
    expect(decodePolarFrame(Uint8Array.from([...head, ...good, ...moved]), plan)).toEqual({
      kind: 'BEATS',
      channel: 0,
      intervals: [
        { counts: [832, 10], isValid: true },
        { counts: [832, 30], isValid: false },
      ],
      isAbsent: false,
    });
    expect(decodePolarFrame(Uint8Array.from([...head, ...off]), plan)).toMatchObject({ isAbsent: true });
  });
});

describe('a Heart Rate Service strap', () => {
  it('gives rates and intervals as captured, and is not read past its end', () => {
    const { heartRate } = readJson<Truth>('polar-ble/truth.json').files[0]!;
    const captured = readJson<{ heartRate?: string[]; hrFrames?: string[] }>('polar-ble/h10-capture.json');
    const frames = captured.heartRate ?? captured.hrFrames ?? [];
    expect(frames.length).toBe(heartRate.length);
    frames.forEach((hex, i) => {
      expect(readMeasurement(bytesOf(hex))).toEqual({
        rateBpm: heartRate[i]!.hr,
        hasContact: null,
        intervals: heartRate[i]!.rr1024,
      });
    });
    // Wide rate, contact lost, energy, one interval and half of another.
    expect(readMeasurement(bytesOf('1d 48 00 10 00 34 03 35'))).toEqual({
      rateBpm: 72,
      hasContact: false,
      intervals: [0x0334],
    });
    expect(readMeasurement(bytesOf('1d 48'))).toBeNull();
  });
});

describe('a real Movesense', () => {
  const captured = readJson<Record<string, { packet_hex: string }>>('movesense/gatt-notifications.json');
  const plan = [
    { ...stream(1, 1), stream: 1 },
    { ...stream(2, 3), stream: 2 },
  ];
  const notification = (path: string, reference: number) =>
    Uint8Array.from([2, reference, ...bytesOf(captured[path]!.packet_hex)]);

  it("sends what its maker's converter gives", () => {
    const ecg = decodeMovesense(notification('/Meas/Ecg/200/mV', 1), plan);
    expect(ecg).toMatchObject({
      kind: 'EVEN',
      stampNs: 122_090_000_000n,
      stampIs: 'FIRST',
      columns: [[0, 0, 0, -1, -18, 21, 72, -260, -154, 1128, 635, -2615, -2028, 8039, 22_232, 28_615]],
    });
    const acc = decodeMovesense(notification('/Meas/Acc/52', 2), plan);
    if (acc.kind !== 'EVEN') throw new Error('No samples.');
    expect(acc.stampNs).toBe(122_371_000_000n);
    expect(acc.columns.map((column) => (column[0]! * 9.80665) / 1e6)).toEqual([
      expect.closeTo(-1.091_166, 4),
      expect.closeTo(4.436_451, 4),
      expect.closeTo(8.679_078, 4),
    ]);
  });

  it('is asked by path, and answers like HTTP', () => {
    expect(new TextDecoder().decode(subscribe(1, '/Meas/ECG/200/mV').subarray(2))).toBe('/Meas/ECG/200/mV');
    expect(readResult(Uint8Array.of(1, 2, 0xc8, 0))).toEqual({ reference: 2, status: 200 });
    expect(readResult(Uint8Array.of(2, 2, 0xc8, 0))).toBeNull();
  });
});
