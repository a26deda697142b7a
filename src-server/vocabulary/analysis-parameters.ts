/**
 * What a study chooses about its analysis: published cut points of intensity, the rule of non-wear, and the thresholds of pauses and
 * of slow and fast rate. Everything else is fixed by the version of the algorithms.
 */

export const WRIST_CUT_POINT_IDS = [
  'hildebrand-adults-wrist-geneactiv',
  'hildebrand-adults-wrist-actigraph',
  'hildebrand-children-wrist-geneactiv',
  'hildebrand-children-wrist-actigraph',
  'esliger-left-wrist',
  'esliger-right-wrist',
  'migueles-older-wrist',
] as const;

export const WAIST_CUT_POINT_IDS = [
  'hildebrand-adults-hip-actigraph',
  'hildebrand-adults-hip-geneactiv',
  'hildebrand-children-hip-actigraph',
  'hildebrand-children-hip-geneactiv',
  'esliger-waist',
  'vaha-ypya-hip',
  'freedson-adults-hip',
  'troiano-adults-hip',
  'sasaki-adults-hip',
] as const;

export const CUT_POINT_IDS = [...WRIST_CUT_POINT_IDS, ...WAIST_CUT_POINT_IDS] as const;
export type CutPointId = (typeof CUT_POINT_IDS)[number];

/** Where acceleration has intensities. Cut points of a waist also apply to a lower back. */
export type IntensitySite = 'wrist' | 'waist';

export const NON_WEAR_IDS = ['van-hees-2013', 'choi-2011', 'troiano-2008'] as const;
export type NonWearId = (typeof NON_WEAR_IDS)[number];

export interface AnalysisParameters {
  cutPoints: { wrist: (typeof WRIST_CUT_POINT_IDS)[number]; waist: (typeof WAIST_CUT_POINT_IDS)[number] };
  /** Of a wrist or a waist. */
  nonWear: NonWearId;
  rhythm: {
    /** An interval between two beats from which it is a pause. */
    pauseSeconds: number;
    /** Rates beyond which an episode lies, beats/min, and the least time that it lasts. */
    bradycardiaBpm: number;
    tachycardiaBpm: number;
    episodeSeconds: number;
  };
}

/** As a person gives them: what is absent is the default. */
export interface GivenAnalysisParameters {
  cutPoints?: Partial<AnalysisParameters['cutPoints']> | undefined;
  nonWear?: NonWearId | undefined;
  rhythm?: Partial<AnalysisParameters['rhythm']> | undefined;
}

/** The parameters of a study that chose none. Results computed with them carry the version alone. */
export const DEFAULT_ANALYSIS_PARAMETERS: AnalysisParameters = {
  cutPoints: { wrist: 'hildebrand-adults-wrist-geneactiv', waist: 'hildebrand-adults-hip-actigraph' },
  nonWear: 'van-hees-2013',
  rhythm: {
    // Kusumoto et al., Circulation 2019;140:e382: pauses of more than 3 s; sinus bradycardia below 50/min.
    pauseSeconds: 3,
    bradycardiaBpm: 50,
    // Page et al., Circulation 2016;133:e506: above 100/min.
    tachycardiaBpm: 100,
    // Sustained, as of tachycardias: 30 s.
    episodeSeconds: 30,
  },
};

/** Least and most of each threshold. Intervals outside 1.5 to 15 s are not taken for pauses whatever the threshold. */
export const RHYTHM_THRESHOLDS: Record<keyof AnalysisParameters['rhythm'], { least: number; most: number }> = {
  pauseSeconds: { least: 1.5, most: 15 },
  bradycardiaBpm: { least: 20, most: 100 },
  tachycardiaBpm: { least: 60, most: 250 },
  episodeSeconds: { least: 5, most: 3600 },
};

/** Completes given parameters with the defaults. */
export function completeParameters({ cutPoints, nonWear, rhythm }: GivenAnalysisParameters = {}): AnalysisParameters {
  return {
    cutPoints: withDefaults(DEFAULT_ANALYSIS_PARAMETERS.cutPoints, cutPoints),
    nonWear: nonWear ?? DEFAULT_ANALYSIS_PARAMETERS.nonWear,
    rhythm: withDefaults(DEFAULT_ANALYSIS_PARAMETERS.rhythm, rhythm),
  };
}

function withDefaults<T extends object>(defaults: T, given: { [K in keyof T]?: T[K] | undefined } = {}): T {
  const members = Object.entries(defaults).map(([name, value]) => [name, given[name as keyof T] ?? value]);
  return Object.fromEntries(members) as T;
}

/** The members that differ from the defaults: a member that a later version adds does not change those of before. */
export function chosenParameters({ cutPoints, nonWear, rhythm }: AnalysisParameters): GivenAnalysisParameters {
  const defaults = DEFAULT_ANALYSIS_PARAMETERS;
  const places = differing(cutPoints, defaults.cutPoints);
  const thresholds = differing(rhythm, defaults.rhythm);
  return {
    ...(places && { cutPoints: places }),
    ...(nonWear !== defaults.nonWear && { nonWear }),
    ...(thresholds && { rhythm: thresholds }),
  };
}

function differing<T extends object>(given: T, defaults: T): Partial<T> | undefined {
  // In the order of the defaults, so that equal parameters give the same text.
  const names = (Object.keys(defaults) as (keyof T)[]).filter((name) => given[name] !== defaults[name]);
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.map((name) => [name, given[name]])) as Partial<T>;
}

/** The canonical form: JSON of the chosen members in a fixed order; empty where all are the defaults. */
export function canonicalParameters(parameters: AnalysisParameters): string {
  const text = JSON.stringify(chosenParameters(parameters));
  return text === '{}' ? '' : text;
}

/** The different ones among the parameters of results, completed. */
export function distinctParameters(given: readonly (GivenAnalysisParameters | undefined)[]): AnalysisParameters[] {
  const complete = given.map((one) => completeParameters(one));
  return [...new Map(complete.map((one) => [canonicalParameters(one), one])).values()];
}

export const isDefaultParameters = (parameters: AnalysisParameters): boolean => canonicalParameters(parameters) === '';

/**
 * Published cut points of intensity. Each belongs to a place on the body, an age group and a metric; the device is that of the
 * publication. ENMO, ENMOa and MAD are means per epoch in mg and compare between devices; counts are those of ActiLife per minute.
 */
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

export const cutPointsOf = (id: CutPointId): CutPoints => CUT_POINTS.find((points) => points.id === id)!;
