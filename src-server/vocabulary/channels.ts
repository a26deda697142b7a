/** Kinds of channels beside the evenly spaced ECG, EMG, acceleration and rotation. */

/**
 * Whether samples are beats, each with the interval that it ends: RR intervals (`RR`, dimension `rr`) or pulse intervals (`PPI`;
 * `ppi`, `error`), unit s. They have no sampling rate, and lie as far apart as they say.
 */
export const holdsIntervals = ({ type }: { type: string }): boolean => type === 'RR' || type === 'PPI';

/**
 * Signals that sensors of other makers record beside these. They are stored, shown and exported, and no metric uses them. A second
 * channel of a type has a number behind it (`TEMPERATURE_2`). Sensors without a calibrated unit store raw counts (unit `adu`).
 */
export const FOREIGN_CHANNELS = {
  /** Light through the skin, by a counter of the sensor; one dimension per light, `ambient` for the light around. */
  PPG: { unit: 'adu' },
  /** Conductance of the skin. */
  EDA: { unit: 'uS' },
  /** Of the skin or of the sensor itself. */
  TEMPERATURE: { unit: 'degC' },
  LIGHT: { unit: 'lux' },
  MAGNETOMETER: { unit: 'uT' },
  /** Air pressure. */
  PRESSURE: { unit: 'hPa' },
  /** Of the sensor. */
  BATTERY: { unit: 'V' },
  /** As the sensor states it, smoothed by its own rule. */
  HR: { unit: '/min' },
} as const;
export type ForeignChannelType = keyof typeof FOREIGN_CHANNELS;
export const FOREIGN_CHANNEL_TYPES = Object.keys(FOREIGN_CHANNELS) as ForeignChannelType[];

/** The type without the number of a second channel; undefined for the label of a signal that no reader knows. */
export function foreignChannelType(type: string): ForeignChannelType | undefined {
  const plain = type.replace(/_\d+$/, '');
  return FOREIGN_CHANNEL_TYPES.find((known) => known === plain);
}
