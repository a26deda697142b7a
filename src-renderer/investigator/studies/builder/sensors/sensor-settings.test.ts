import { expect, it } from 'vitest';
import { newConfig, presetOf, withPreset } from './places.ts';
import { LIMITS, numberIn, withAfe, withElectrodes, withGyro, withMotion } from './sensor-settings.ts';

it('accepts whole numbers within the limits, also as full-width digits', () => {
  expect(numberIn('250', LIMITS.rateHz)).toBe(250);
  expect(numberIn(' ２５０ ', LIMITS.rateHz)).toBe(250);
  for (const text of ['', '0', '-1', '2.5', '4001', 'fast']) expect(numberIn(text, LIMITS.rateHz)).toBeUndefined();
});

it('keeps the settings of a sensor consistent', () => {
  const ecg = newConfig();
  expect(presetOf(ecg)).toBe('ecg');
  const fast = withAfe(ecg, { rate: 500 });
  expect(fast.sensorConfig.afe).toEqual({ gain: 10, rate: 500 });
  expect(presetOf(fast)).toBeUndefined();
  expect(presetOf(withAfe(fast, { rate: 250 }))).toBe('ecg');
  const plain = withElectrodes(ecg, undefined);
  expect(plain.sensorConfig).toMatchObject({ sensingType: 'MPU', gyro: { periodMs: 32 } });
  expect(plain.sensorConfig.afe).toBeUndefined();
  expect(plain.physicalConfig).toEqual({ location: 'ECG_LEAD_II', side: 'NONE' });
  expect(withMotion(ecg, false).sensorConfig.sensingType).toBe('ANALOG');
  expect(withElectrodes(plain, 'EMG')).toMatchObject({
    physicalConfig: { signal: 'EMG' },
    sensorConfig: { sensingType: 'MPU_ANALOG', afe: { rate: 250 } },
  });
});

it('sets a rotation range only where rotation is measured, and keeps unknown settings', () => {
  const turning = withGyro(withPreset(newConfig(), 'day'), { mode: 'ACCEL_GYRO' });
  expect(turning.sensorConfig.gyro).toMatchObject({ mode: 'ACCEL_GYRO', gyroRange: 2000 });
  expect(withGyro(turning, { mode: 'ACCEL' }).sensorConfig.gyro).not.toHaveProperty('gyroRange');
  const odd = { ...turning, sensorConfig: { ...turning.sensorConfig, led: 'off' } };
  expect(withGyro(odd, { periodMs: 16 }).sensorConfig).toMatchObject({ led: 'off', gyro: { periodMs: 16 } });
});
