import { describe, expect, it } from 'vitest';
import { type Agreement, AgreementSums } from './bland-altman.ts';
import { chiSquareQuantile, tQuantile } from './distributions.ts';

/** First readings of a large and a mini Wright peak flow meter, l/min, of 17 people (Bland and Altman 1986, table 1). */
const PEAK_FLOW: [number, number][] = [
  [494, 512],
  [395, 430],
  [516, 520],
  [434, 428],
  [476, 500],
  [557, 600],
  [413, 364],
  [442, 380],
  [650, 658],
  [433, 445],
  [417, 432],
  [656, 626],
  [267, 260],
  [478, 477],
  [178, 259],
  [423, 350],
  [427, 451],
];

/** Cardiac output by radionuclide ventriculography and impedance, l/min, of 4 people of Bland and Altman 1999, table 4, as in Zou 2013. */
const CARDIAC_OUTPUT: Record<string, [number, number][]> = {
  1: [
    [7.83, 6.57],
    [7.42, 5.62],
    [7.89, 6.9],
    [7.12, 6.57],
    [7.88, 6.35],
  ],
  2: [
    [6.16, 4.06],
    [7.26, 4.29],
    [6.71, 4.26],
    [6.54, 4.09],
  ],
  3: [
    [4.75, 4.71],
    [5.24, 5.5],
    [4.86, 5.08],
    [4.78, 5.02],
    [6.05, 6.01],
    [5.42, 5.67],
  ],
  4: [
    [4.21, 4.14],
    [3.61, 4.2],
    [3.72, 4.61],
    [3.87, 4.68],
    [3.92, 5.04],
  ],
};

function agreementOf(pairs: Iterable<[string, number, number]>): Agreement | undefined {
  const sums = new AgreementSums();
  for (const [subject, first, second] of pairs) sums.add(subject, first, second);
  return sums.agreement();
}

describe('agreement', () => {
  it('has the published values of peak flow', () => {
    // The paper takes the mini meter from the large one, and 2 standard deviations for the limits.
    const found = agreementOf(PEAK_FLOW.map(([large, mini], i) => [String(i), mini, large]))!;
    expect(found).toMatchObject({ pairs: 17, equalPairs: 0, subjects: 17, form: 'SINGLE' });
    expect(found.bias).toBeCloseTo(-2.1, 1);
    expect(found.sd).toBeCloseTo(38.8, 1);
    expect(found.lower! - 0.04 * found.sd!).toBeCloseTo(-79.7, 0);
    expect(found.upper! + 0.04 * found.sd!).toBeCloseTo(75.5, 0);
    expect(found.biasInterval!.low).toBeCloseTo(-22.0, 0);
    expect(found.biasInterval!.high).toBeCloseTo(17.8, 1);
    // -114.3 to -45.1 and 40.9 to 110.1, from limits of 2 standard deviations: of the same width.
    expect(found.lowerInterval!.high - found.lowerInterval!.low).toBeCloseTo(69.2, 0);
    expect(found.upperInterval!.high - found.upperInterval!.low).toBeCloseTo(69.2, 0);
  });

  it('has the published values of cardiac output with several readings of each person', () => {
    const pairs = Object.entries(CARDIAC_OUTPUT).flatMap(([subject, own]) =>
      own.map(([rv, ic]): [string, number, number] => [subject, ic, rv]),
    );
    const found = agreementOf(pairs)!;
    expect(found).toMatchObject({ pairs: 20, subjects: 4, form: 'REPEATED' });
    expect(found.bias).toBeCloseTo(0.7255, 3);
    expect(found.lower).toBeCloseTo(-2.14, 2);
    expect(found.upper).toBeCloseTo(3.59, 2);
    expect(found.lowerInterval!.low).toBeCloseTo(-9.83, 1);
    expect(found.lowerInterval!.high).toBeCloseTo(-0.33, 1);
    expect(found.upperInterval!.low).toBeCloseTo(1.77, 1);
    expect(found.upperInterval!.high).toBeCloseTo(11.27, 1);
  });

  it('takes the subjects of one pair each, and the days of one subject, as independent', () => {
    expect(agreementOf([['a', 1, 2]])).toEqual({
      ...{ pairs: 1, equalPairs: 0, subjects: 1, form: 'SINGLE', bias: 1 },
    });
    expect(
      agreementOf([
        ['a', 1, 2],
        ['a', 2, 2],
      ])?.form,
    ).toBe('SINGLE');
    expect(agreementOf([])).toBeUndefined();
  });

  it('is exact where both results are the same', () => {
    const same = agreementOf(['a', 'a', 'b', 'b'].map((subject, i) => [subject, 60 + i, 60 + i]))!;
    expect(same).toMatchObject({ pairs: 4, equalPairs: 4, bias: 0, sd: 0, lower: 0, upper: 0 });
    expect([same.lowerInterval, same.upperInterval]).toEqual([
      { low: 0, high: 0 },
      { low: 0, high: 0 },
    ]);
  });

  it('keeps its precision on large values', () => {
    const of = (offset: number) =>
      agreementOf(PEAK_FLOW.map(([large, mini], i) => [String(i % 5), mini + offset, large + offset]))!;
    expect(of(1e9).sd).toBeCloseTo(of(0).sd!, 5);
  });
});

/** Tables of Abramowitz and Stegun, 26.8 and 26.10. */
describe('quantiles', () => {
  it.each([
    [1, 12.706],
    [3, 3.182],
    [16, 2.12],
    [120, 1.98],
    [10_000, 1.9602],
  ])('of t with %i degrees of freedom', (df, expected) => {
    expect(tQuantile(0.975, df)).toBeCloseTo(expected, 3);
  });

  it.each([
    [0.025, 1, 0.00098207],
    [0.025, 3, 0.215795],
    [0.975, 3, 9.3484],
    [0.025, 16, 6.90766],
    [0.975, 30, 46.9792],
    [0.025, 100, 74.2219],
    [0.975, 20_000, 20_393.9],
  ])('of chi-square at %f with %i degrees of freedom', (p, df, expected) => {
    expect(chiSquareQuantile(p, df) / expected).toBeCloseTo(1, 4);
  });
});
