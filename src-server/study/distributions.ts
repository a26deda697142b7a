/**
 * Quantiles of the distributions that confidence intervals need. Pure; relative error below 1e-9 for the degrees of freedom of
 * daily metrics, from one to some ten thousands.
 */

/** Of the normal distribution, two-sided 95 %. */
export const Z_95 = 1.959963984540054;

/** Lanczos approximation with the coefficients of Godfrey (2001), g = 7, n = 9. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const TINY = 1e-300;
const PRECISION = 1e-14;
const MOST_TERMS = 100_000;

/** Regularized lower incomplete gamma function P(a, x): series below a + 1, else Lentz's continued fraction (DLMF 8.11, 8.9). */
function gammaP(a: number, x: number): number {
  if (x <= 0) return 0;
  const front = Math.exp(-x + a * Math.log(x) - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < MOST_TERMS && term > sum * PRECISION; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return sum * front;
  }
  let b = x + 1 - a;
  let c = 1 / TINY;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < MOST_TERMS; n++) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / nonZero(an * d + b);
    c = nonZero(b + an / c);
    const factor = c * d;
    h *= factor;
    if (Math.abs(factor - 1) < PRECISION) break;
  }
  return 1 - front * h;
}

const nonZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);

/** Regularized incomplete beta function, by Lentz's continued fraction (DLMF 8.17.22). */
function betaI(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaI(b, a, 1 - x);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let h = d;
  for (let m = 1; m < MOST_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d);
    c = nonZero(1 + even / c);
    h *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d);
    c = nonZero(1 + odd / c);
    const factor = d * c;
    h *= factor;
    if (Math.abs(factor - 1) < PRECISION) break;
  }
  return front * h;
}

/** The root of an increasing function, between bounds, by bisection. */
function rootOf(increasing: (x: number) => number, low: number, high: number): number {
  let [from, to] = [low, high];
  for (let i = 0; i < 200 && to - from > 1e-13 * Math.max(1, Math.abs(to)); i++) {
    const middle = (from + to) / 2;
    if (increasing(middle) < 0) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/** The upper quantile of Student's t: `p` is at least 0.5. */
export function tQuantile(p: number, df: number): number {
  const cdf = (t: number) => 1 - 0.5 * betaI(df / 2, 0.5, df / (df + t * t));
  let high = 2;
  while (cdf(high) < p) high *= 2;
  return rootOf((t) => cdf(t) - p, 0, high);
}

export function chiSquareQuantile(p: number, df: number): number {
  const cdf = (x: number) => gammaP(df / 2, x / 2);
  let high = df + 1;
  while (cdf(high) < p) high *= 2;
  return rootOf((x) => cdf(x) - p, 0, high);
}
