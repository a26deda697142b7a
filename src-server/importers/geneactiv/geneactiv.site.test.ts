import { describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';

const truth = deviceTruth('geneactiv');

describe.runIf(truth)('GENEActiv files of real devices', () => {
  it.each(truth?.files ?? [])('reads $file to its truth', async (file) => {
    const { channels, header, format } = await readImport([file.path]);
    expect(format).toBe('GENEActiv');
    expect(header).toMatchObject({
      udid: file.device.serial,
      firmwareId: file.device.firmware,
      device: { maker: 'GENEActiv' },
    });
    const of = (type: string) => channels.find(({ channel }) => channel.type === type)!;
    expectTruth(of('ACCEL').values, file.accelG, 1e-6);
    expectTruth(of('LIGHT').counts, file.lightRaw, 0);
    expect(Math.floor(of('LIGHT').values[0]!.reduce((a, b) => Math.max(a, b)))).toBe(file.lightLux.max);
    expect(of('ACCEL').timesUs[0]).toBe(file.startUtcUs);
    for (const [page, localUs] of Object.entries(file.pageStartsLocalUs as Record<string, number>)) {
      expect(of('ACCEL').timesUs[Number(page) * 300]).toBe(localUs - file.utcOffsetMinutes * 60e6);
    }
    expect(of('TEMPERATURE').values[0]![0]).toBeCloseTo(file.temperatureC.first, 9);
    expect(of('TEMPERATURE').values[0]!.at(-1)).toBeCloseTo(file.temperatureC.last, 9);
  });

  it('keeps the whole samples of a page that was cut, and says so', async () => {
    const { notes } = await readImport([truth!.files[0]!.path]);
    expect(notes).toEqual([
      'The file ends inside its last page, of which 231 of 300 samples were read.',
      'The header announces 222048 pages, the file holds 17.',
    ]);
  });

  it('stores the readings of the clock that its notes hold', async () => {
    const { header } = await readImport([truth!.files[1]!.path]);
    const [config, extract] = header.syncPoints;
    expect(config!.sensorUs).toBe(config!.hostUs);
    expect(extract!.sensorUs - extract!.hostUs).toBe(283_000);
    expect(header.physicalConfig).toMatchObject({ location: 'ANKLE', side: 'LEFT' });
  });
});
