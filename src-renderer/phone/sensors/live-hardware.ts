const LIVE_HARDWARE = /polar|verity|\bh(9|10)\b|oh1|movesense|heart|\bhrm?\b|strap/i;

/** Whether it makes sense to offer recording with this phone: most sensors of a site store their data themselves. */
export const canRecordLive = (sensor: { hardwareId: string; displayName: string }): boolean =>
  LIVE_HARDWARE.test(sensor.hardwareId) || LIVE_HARDWARE.test(sensor.displayName);
