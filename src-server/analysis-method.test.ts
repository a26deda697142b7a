import { expect, it } from 'vitest';
import { analysisMethodHash } from './analysis-method.ts';
import { analysisParameters } from './api/contract/resources/analysis-parameters.ts';
import {
  CUT_POINT_IDS,
  canonicalParameters,
  chosenParameters,
  completeParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
  isDefaultParameters,
} from './vocabulary/analysis-parameters.ts';

const CHOSEN = {
  cutPoints: { waist: 'freedson-adults-hip' },
  nonWear: 'choi-2011',
  rhythm: { tachycardiaBpm: 120, pauseSeconds: 2.5 },
} as const;

it('completes what a person gives with the defaults, in the schema and without it', () => {
  expect(analysisParameters.parse({})).toEqual(DEFAULT_ANALYSIS_PARAMETERS);
  expect(completeParameters()).toEqual(DEFAULT_ANALYSIS_PARAMETERS);
  expect(analysisParameters.parse(CHOSEN)).toEqual(completeParameters(CHOSEN));
  expect(chosenParameters(completeParameters(CHOSEN))).toEqual(CHOSEN);
});

it('gives equal parameters one form and one hash, in whatever order they come', () => {
  const parameters = completeParameters(CHOSEN);
  const { nonWear, rhythm, cutPoints } = parameters;
  const { bradycardiaBpm, ...others } = rhythm;
  const reordered = { rhythm: { ...others, bradycardiaBpm }, nonWear, cutPoints };
  expect(canonicalParameters(parameters)).toBe(
    '{"cutPoints":{"waist":"freedson-adults-hip"},"nonWear":"choi-2011","rhythm":{"pauseSeconds":2.5,"tachycardiaBpm":120}}',
  );
  expect(canonicalParameters(reordered)).toBe(canonicalParameters(parameters));
  expect(analysisMethodHash('11', reordered)).toBe(analysisMethodHash('11', parameters));
  const hashes = ['11', '12'].flatMap((version) =>
    [parameters, DEFAULT_ANALYSIS_PARAMETERS].map((one) => analysisMethodHash(version, one)),
  );
  expect(new Set(hashes).size).toBe(4);
  expect(isDefaultParameters(DEFAULT_ANALYSIS_PARAMETERS)).toBe(true);
  expect(canonicalParameters(DEFAULT_ANALYSIS_PARAMETERS)).toBe('');
});

it.each([
  ['an unknown member', { cutpoints: {} }],
  ['cut points of another place', { cutPoints: { wrist: 'freedson-adults-hip' } }],
  ['an unknown rule of non-wear', { nonWear: 'choi' }],
  ['a threshold out of range', { rhythm: { pauseSeconds: 0.5 } }],
  ['a threshold that is not a number', { rhythm: { pauseSeconds: Number.NaN } }],
  ['a slow rate above the fast one', { rhythm: { bradycardiaBpm: 90, tachycardiaBpm: 80 } }],
])('rejects %s', (_what, given) => {
  expect(analysisParameters.safeParse(given).success).toBe(false);
});

it('names every set of cut points once', () => {
  expect(new Set(CUT_POINT_IDS).size).toBe(CUT_POINT_IDS.length);
});
