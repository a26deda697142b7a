import { describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';

const truth = deviceTruth('axivity');

describe.runIf(truth)('Axivity files of real devices', () => {
  it.each(truth?.files ?? [])('reads $file to its truth', async (file) => {
    const { channels, header, marks, notes, format } = await readImport([file.path], { timeZone: 'UTC' });
    expect(format).toBe('Axivity CWA');
    expect(header).toMatchObject({
      udid: `${file.device.deviceId}`,
      hardwareId: file.device.hardware,
      firmwareId: `${file.device.firmware}`,
      deviceRecordingId: file.device.sessionId,
      device: { maker: 'Axivity' },
    });
    const of = (type: string) => channels.find(({ channel }) => channel.type === type)!;
    expectTruth(of('ACCEL').values, file.accelG, 1e-6);
    if (file.gyroDps) expectTruth(of('GYRO').values, file.gyroDps, 1e-5);
    for (const [block, timeUs] of Object.entries(file.blockStartsUs as Record<string, number>)) {
      const sample = (Number(block) * file.accelG.count) / file.blocks.total;
      expect(Math.abs(of('ACCEL').timesUs[sample]! - timeUs)).toBeLessThanOrEqual(50);
    }
    const { startUs } = file.segments[0];
    expect(of('ACCEL').timesUs[0]).toBeCloseTo(startUs, -1);
    expect(of('TEMPERATURE').values[0]!.slice(0, 3)).toEqual(
      file.temperatureC.first.map((v: number) => expect.closeTo(v, 6)),
    );
    expect(of('TEMPERATURE').values[0]!.at(-1)).toBeCloseTo(file.temperatureC.last, 6);
    expect(of('TEMPERATURE').values[0]!.length).toBe(file.blocks.good);
    expect(of('LIGHT').values[0]!.slice(0, 3)).toEqual(file.lightRaw.first);
    expect(of('BATTERY').values[0]![0]).toBeCloseTo(file.batteryV.first, 6);
    expect(marks).toEqual([]);
    expect(notes.filter((note) => !note.includes('subject code'))).toEqual([]);
  });
});
