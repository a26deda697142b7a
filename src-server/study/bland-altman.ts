/**
 * Agreement of two results for the same days: bias and 95 % limits of agreement with confidence intervals (Bland and Altman,
 * Lancet 1986; 327: 307-310). Where subjects have several days each, the variance is parted into that between subjects and that
 * within them, since days of one subject are no independent pairs (Bland and Altman, J Biopharm Stat 2007; 17: 571-582), with the
 * intervals of Zou (Stat Methods Med Res 2013; 22: 630-642). Pure.
 */
import { chiSquareQuantile, tQuantile, Z_95 } from './distributions.ts';

/** SINGLE: the pairs count as independent. REPEATED: by subject. */
export type AgreementForm = 'SINGLE' | 'REPEATED';

export interface Interval {
  low: number;
  high: number;
}

export interface Agreement {
  /** Days that have the metric in both results. */
  pairs: number;
  /** Those whose values are the same number. */
  equalPairs: number;
  subjects: number;
  form: AgreementForm;
  /** Mean of the differences, second result minus first; of the means of subjects in the form REPEATED. */
  bias: number;
  /** Standard deviation of a difference; absent with a single pair, as is what follows. */
  sd?: number;
  biasInterval?: Interval;
  /** 95 % limits of agreement. */
  lower?: number;
  upper?: number;
  lowerInterval?: Interval;
  upperInterval?: Interval;
}

/** Differences of one subject: numerically stable sums (Welford 1962). */
interface SubjectSums {
  count: number;
  mean: number;
  squares: number;
}

/** Collects the pairs of one metric, subject by subject, without keeping them. */
export class AgreementSums {
  readonly #subjects = new Map<string, SubjectSums>();
  #equal = 0;

  add(subjectId: string, first: number, second: number): void {
    const sums = this.#subjects.get(subjectId) ?? { count: 0, mean: 0, squares: 0 };
    const difference = second - first;
    sums.count++;
    const step = difference - sums.mean;
    sums.mean += step / sums.count;
    sums.squares += step * (difference - sums.mean);
    this.#subjects.set(subjectId, sums);
    if (first === second) this.#equal++;
  }

  /** Undefined without a pair. */
  agreement(): Agreement | undefined {
    const subjects = [...this.#subjects.values()];
    const pairs = subjects.reduce((sum, { count }) => sum + count, 0);
    if (pairs === 0) return undefined;
    const base = { pairs, equalPairs: this.#equal, subjects: subjects.length };
    const isRepeated = subjects.length > 1 && pairs > subjects.length;
    return isRepeated
      ? { ...base, form: 'REPEATED', ...repeated(subjects, pairs) }
      : { ...base, form: 'SINGLE', ...single(subjects, pairs) };
  }
}

const around = (centre: number, below: number, above = below): Interval => ({
  low: centre - below,
  high: centre + above,
});

type Estimates = Omit<Agreement, 'pairs' | 'equalPairs' | 'subjects' | 'form'>;

/** As the paper of 1986 has it: the standard error of a limit is about sqrt(3 / n) standard deviations. */
function single(subjects: readonly SubjectSums[], pairs: number): Estimates {
  const bias = subjects.reduce((sum, { count, mean }) => sum + count * mean, 0) / pairs;
  if (pairs < 2) return { bias };
  const squares = subjects.reduce((sum, one) => sum + one.squares + one.count * (one.mean - bias) ** 2, 0);
  const sd = Math.sqrt(squares / (pairs - 1));
  const t = tQuantile(0.975, pairs - 1);
  const lower = bias - Z_95 * sd;
  const upper = bias + Z_95 * sd;
  const ofLimit = t * sd * Math.sqrt(3 / pairs);
  return {
    bias,
    sd,
    biasInterval: around(bias, (t * sd) / Math.sqrt(pairs)),
    ...{ lower, upper, lowerInterval: around(lower, ofLimit), upperInterval: around(upper, ofLimit) },
  };
}

/**
 * The case that the true value varies from day to day: the variance of a difference is that of the subjects' means, plus the part
 * of that within subjects which the means do not hold. The limits' intervals recover the variances (MOVER, section 2.2 of Zou).
 */
function repeated(subjects: readonly SubjectSums[], pairs: number): Estimates {
  const n = subjects.length;
  const bias = subjects.reduce((sum, { mean }) => sum + mean, 0) / n;
  const ofMeans = subjects.reduce((sum, { mean }) => sum + (mean - bias) ** 2, 0) / (n - 1);
  const within = subjects.reduce((sum, { squares }) => sum + squares, 0) / (pairs - n);
  const harmonicMean = n / subjects.reduce((sum, { count }) => sum + 1 / count, 0);
  const ofWithin = (1 - 1 / harmonicMean) * within;
  const variance = ofMeans + ofWithin;
  const sd = Math.sqrt(variance);
  /** By how much each part may be smaller, or larger: `p` of the chi-square distribution. */
  const reach = (p: number) =>
    Math.hypot(
      ofMeans * (1 - (n - 1) / chiSquareQuantile(p, n - 1)),
      ofWithin * (1 - (pairs - n) / chiSquareQuantile(p, pairs - n)),
    );
  const least = Math.sqrt(Math.max(0, variance - reach(0.975)));
  const most = Math.sqrt(variance + reach(0.025));
  const ofBias = Z_95 * Math.sqrt(ofMeans / n);
  const outward = Math.hypot(ofBias, Z_95 * (most - sd));
  const inward = Math.hypot(ofBias, Z_95 * (sd - least));
  const lower = bias - Z_95 * sd;
  const upper = bias + Z_95 * sd;
  return {
    bias,
    sd,
    biasInterval: around(bias, tQuantile(0.975, n - 1) * Math.sqrt(ofMeans / n)),
    ...{ lower, upper },
    lowerInterval: around(lower, outward, inward),
    upperInterval: around(upper, inward, outward),
  };
}
