/** The intensity of an epoch by the cut points of its place. */
import type { CutPoints, IntensitySite } from '../../vocabulary/analysis-parameters.ts';
import type { BodySite } from '../types.ts';

/** Whose cut points apply at a body site; null where none is published. The lower back is worn on the same belt as the hip. */
export function intensitySiteOf(site: BodySite): IntensitySite | null {
  if (site === 'wrist') return 'wrist';
  return site === 'waist' || site === 'back' ? 'waist' : null;
}

/** Codes of the `intensity` column; 0 unknown. `BELOW_MODERATE` where the cut points do not tell sedentary from light. Stored. */
export const INTENSITIES = [null, 'SEDENTARY', 'LIGHT', 'MODERATE', 'VIGOROUS', 'BELOW_MODERATE', 'MVPA'] as const;

const code = (name: (typeof INTENSITIES)[number]): number => INTENSITIES.indexOf(name);
const SEDENTARY = code('SEDENTARY');
const LIGHT = code('LIGHT');
const MODERATE = code('MODERATE');
const VIGOROUS = code('VIGOROUS');
const BELOW_MODERATE = code('BELOW_MODERATE');
const MVPA = code('MVPA');

/** The intensity of one epoch; 0 where its value is unknown. */
export function intensityOf(value: number, { light, moderate, vigorous }: CutPoints): number {
  if (Number.isNaN(value)) return 0;
  if (value >= moderate) {
    if (vigorous === null) return MVPA;
    return value >= vigorous ? VIGOROUS : MODERATE;
  }
  if (light === null) return BELOW_MODERATE;
  return value >= light ? LIGHT : SEDENTARY;
}
