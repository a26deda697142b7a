import { describe, expect, it } from 'vitest';
import { PRESETS } from '../../investigator/studies/builder/sensors/places.ts';
import { defaultLocation, driverFor, isThatSensor, measuresEcg, sensingTypeOf } from '../../shared/sensors/pick.ts';
import { canRecordLive } from './live-hardware.ts';

describe('the device that was picked', () => {
  it('is known by the end of its name', () => {
    const sensor = { serial: 'ABCD1234', displayName: 'Strap 7' };
    expect(isThatSensor('Polar H10 ABCD1234', sensor)).toBe(true);
    expect(isThatSensor('Polar H10 abcd1234 ', { ...sensor, serial: 'H10-ABCD1234' })).toBe(true);
    expect(isThatSensor('Polar H10 ABCD9999', sensor)).toBe(false);
    expect(isThatSensor('Polar H10', sensor)).toBe(false);
    expect(isThatSensor('', sensor)).toBe(false);
    expect(isThatSensor('Strap 7', sensor)).toBe(true);
  });

  it('is spoken to as what it is', () => {
    expect(driverFor({ name: 'Polar H10 ABCD1234' }).kind).toBe('POLAR');
    expect(driverFor({ name: 'Polar Sense 0A1B2C3D' }).kind).toBe('POLAR');
    expect(driverFor({ name: 'Polar H7 12345678' }).kind).toBe('HEART_RATE');
    expect(driverFor({ name: 'Movesense 174430000051' }).kind).toBe('MOVESENSE');
    expect(driverFor({}).kind).toBe('HEART_RATE');
    expect([{ name: 'Polar H10 1' }, { name: 'Polar Sense 1' }, {}].map(measuresEcg)).toEqual([true, false, false]);
    expect(defaultLocation({ name: 'Polar Sense 0A1B2C3D' })).toBe('UPPER_ARM');
    expect(defaultLocation({ name: 'Polar H10 ABCD1234' })).toBe('MEDIAL_CHEST');
  });
});

it('is listed as the presets of the study name it', () => {
  const devices = [{ name: 'Polar H10 1' }, { name: 'Polar Sense 1' }, {}];
  const presets = [PRESETS.h10, PRESETS.verity, PRESETS.strap];
  expect(devices.map(sensingTypeOf)).toEqual(presets.map(({ sensorConfig }) => sensorConfig.sensingType));
  expect(devices.map(measuresEcg)).toEqual(presets.map(({ signal }) => signal === 'ECG'));
});

it('offers recording for straps only', () => {
  expect(canRecordLive({ hardwareId: 'Polar H10', displayName: 'S' })).toBe(true);
  expect(canRecordLive({ hardwareId: '', displayName: 'Heart strap 2' })).toBe(true);
  expect(canRecordLive({ hardwareId: 'BRCS02', displayName: 'Chest patch' })).toBe(false);
});
