import { DEFAULT_CUT_POINTS } from './cut-points.ts';
import { DEFAULT_NON_WEAR } from './non-wear.ts';
import type { EpochSettings } from './types.ts';

/** The rules of a study that chose none. */
export const DEFAULT_EPOCH_SETTINGS: EpochSettings = { cutPoints: DEFAULT_CUT_POINTS, nonWear: DEFAULT_NON_WEAR };
