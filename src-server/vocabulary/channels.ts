/** Kinds of channels that are no evenly spaced signal. */

/**
 * Whether samples are beats, each with the interval that it ends: RR intervals (`RR`, dimension `rr`) or pulse intervals (`PPI`;
 * `ppi`, `error`), unit s. They have no sampling rate, and lie as far apart as they say.
 */
export const holdsIntervals = ({ type }: { type: string }): boolean => type === 'RR' || type === 'PPI';
