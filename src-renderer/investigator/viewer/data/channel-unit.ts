/** Units of channels as people write them. Recordings hold the codes of EDF, which are ASCII. */

const WRITTEN: Partial<Record<string, string>> = {
  uS: 'µS',
  uV: 'µV',
  uT: 'µT',
  degC: '°C',
  C: '°C',
  lux: 'lx',
  dps: '°/s',
  'deg/s': '°/s',
  'm/s2': 'm/s²',
  'm/s^2': 'm/s²',
  cmH2O: 'cmH₂O',
  Ohm: 'Ω',
  kOhm: 'kΩ',
};

/** Raw counts of a sensor without a calibrated unit (ISO/IEEE 11073, "analog-to-digital units"). */
const RAW_COUNTS = 'adu';

export const writtenUnit = (unit: string, t: (key: 'viewer.rawCounts') => string): string =>
  unit === RAW_COUNTS ? t('viewer.rawCounts') : (WRITTEN[unit] ?? unit);
