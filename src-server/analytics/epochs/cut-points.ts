/**
 * Published cut points of intensity. Each belongs to a place on the body, an age group and a metric; the device is that of the
 * publication. ENMO, ENMOa and MAD are means per epoch in mg and compare between devices; counts are those of ActiLife per minute.
 */
import type { BodySite } from '../types.ts';
import type { CutPointId, IntensitySite } from './types.ts';

export interface CutPoints {
  id: CutPointId;
  site: IntensitySite;
  /** `axis1` is the vertical axis, `vm3` the vector magnitude of the three axes. */
  metric: 'enmo' | 'enmoa' | 'mad' | 'axis1' | 'vm3';
  epochSeconds: 5 | 60;
  /** Lowest value of light, moderate and vigorous; null where the publication has none. */
  light: number | null;
  moderate: number;
  vigorous: number | null;
  title: string;
  citation: string;
}

const HILDEBRAND =
  'Hildebrand M, van Hees VT, Hansen BH, Ekelund U. Med Sci Sports Exerc 2014;46:1816 (moderate, vigorous); Hildebrand M, Hansen BH, van Hees VT, Ekelund U. Scand J Med Sci Sports 2017;27:1814 (light).';
const ESLIGER = 'Esliger DW, Rowlands AV, Hurst TL, Catt M, Murray P, Eston RG. Med Sci Sports Exerc 2011;43:1085.';

const raw = (
  id: CutPointId,
  site: IntensitySite,
  metric: 'enmo' | 'enmoa' | 'mad',
  [light, moderate, vigorous]: readonly [number | null, number, number | null],
  title: string,
  citation: string,
): CutPoints => ({ id, site, metric, epochSeconds: 5, light, moderate, vigorous, title, citation });

const perMinute = (
  id: CutPointId,
  metric: 'axis1' | 'vm3',
  [light, moderate, vigorous]: readonly [number | null, number, number],
  title: string,
  citation: string,
): CutPoints => ({ id, site: 'waist', metric, epochSeconds: 60, light, moderate, vigorous, title, citation });

export const CUT_POINTS: readonly CutPoints[] = [
  raw(
    'hildebrand-adults-wrist-geneactiv',
    'wrist',
    'enmo',
    [45.8, 93.2, 418.3],
    'Hildebrand, adults, non-dominant wrist, GENEActiv',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-adults-wrist-actigraph',
    'wrist',
    'enmo',
    [44.8, 100.6, 428.8],
    'Hildebrand, adults, non-dominant wrist, ActiGraph',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-children-wrist-geneactiv',
    'wrist',
    'enmo',
    [56.3, 191.6, 695.8],
    'Hildebrand, children of 7 to 11 years, non-dominant wrist, GENEActiv',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-children-wrist-actigraph',
    'wrist',
    'enmo',
    [35.6, 201.4, 707],
    'Hildebrand, children of 7 to 11 years, non-dominant wrist, ActiGraph',
    HILDEBRAND,
  ),
  raw(
    'esliger-left-wrist',
    'wrist',
    'enmoa',
    [45, 134, 377],
    'Esliger, adults of 40 to 65 years, left wrist, GENEA',
    ESLIGER,
  ),
  raw(
    'esliger-right-wrist',
    'wrist',
    'enmoa',
    [80, 92, 437],
    'Esliger, adults of 40 to 65 years, right wrist, GENEA',
    ESLIGER,
  ),
  raw(
    'migueles-older-wrist',
    'wrist',
    'enmo',
    [18, 60, null],
    'Migueles, adults of 70 years and more, non-dominant wrist, ActiGraph',
    'Migueles JH, Cadenas-Sanchez C, Alcantara JMA, et al. Sensors 2021;21:3326.',
  ),
  raw(
    'hildebrand-adults-hip-actigraph',
    'waist',
    'enmo',
    [47.4, 69.1, 258.7],
    'Hildebrand, adults, hip, ActiGraph',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-adults-hip-geneactiv',
    'waist',
    'enmo',
    [46.9, 68.7, 266.8],
    'Hildebrand, adults, hip, GENEActiv',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-children-hip-actigraph',
    'waist',
    'enmo',
    [63.3, 142.6, 464.6],
    'Hildebrand, children of 7 to 11 years, hip, ActiGraph',
    HILDEBRAND,
  ),
  raw(
    'hildebrand-children-hip-geneactiv',
    'waist',
    'enmo',
    [64.1, 152.8, 514.3],
    'Hildebrand, children of 7 to 11 years, hip, GENEActiv',
    HILDEBRAND,
  ),
  raw('esliger-waist', 'waist', 'enmoa', [16, 46, 428], 'Esliger, adults of 40 to 65 years, waist, GENEA', ESLIGER),
  raw(
    'vaha-ypya-hip',
    'waist',
    'mad',
    [null, 91, 414],
    'Vaha-Ypya, adults, hip, MAD',
    'Vaha-Ypya H, Vasankari T, Husu P, et al. PLoS ONE 2015;10:e0134813.',
  ),
  perMinute(
    'freedson-adults-hip',
    'axis1',
    [100, 1952, 5725],
    'Freedson, adults, hip, vertical counts',
    'Freedson PS, Melanson E, Sirard J. Med Sci Sports Exerc 1998;30:777; below 100: Matthews CE, Chen KY, Freedson PS, et al. Am J Epidemiol 2008;167:875.',
  ),
  perMinute(
    'troiano-adults-hip',
    'axis1',
    [100, 2020, 5999],
    'Troiano, adults, hip, vertical counts',
    'Troiano RP, Berrigan D, Dodd KW, Masse LC, Tilert T, McDowell M. Med Sci Sports Exerc 2008;40:181.',
  ),
  perMinute(
    'sasaki-adults-hip',
    'vm3',
    [null, 2690, 6167],
    'Sasaki, adults, hip, vector magnitude counts',
    'Sasaki JE, John D, Freedson PS. J Sci Med Sport 2011;14:411.',
  ),
];

export const DEFAULT_CUT_POINTS: Readonly<Record<IntensitySite, CutPointId>> = {
  wrist: 'hildebrand-adults-wrist-geneactiv',
  waist: 'hildebrand-adults-hip-actigraph',
};

export const cutPointsOf = (id: CutPointId): CutPoints => CUT_POINTS.find((points) => points.id === id)!;

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
