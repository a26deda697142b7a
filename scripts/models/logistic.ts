/** Logistic regression by Newton's method with a small ridge: enough for the few weights the analytics use. */

/** Solves A x = b by Gaussian elimination with partial pivoting. Overwrites A and b. */
function solve(a: number[][], b: number[]): number[] {
  const n = b.length;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let row = column + 1; row < n; row++)
      if (Math.abs(a[row]![column]!) > Math.abs(a[pivot]![column]!)) pivot = row;
    [a[column], a[pivot]] = [a[pivot]!, a[column]!];
    [b[column], b[pivot]] = [b[pivot]!, b[column]!];
    for (let row = column + 1; row < n; row++) {
      const factor = a[row]![column]! / a[column]![column]!;
      for (let k = column; k < n; k++) a[row]![k]! -= factor * a[column]![k]!;
      b[row]! -= factor * b[column]!;
    }
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let k = row + 1; k < n; k++) b[row]! -= a[row]![k]! * b[k]!;
    b[row]! /= a[row]![row]!;
  }
  return b;
}

/** Returns the weights of P(y = 1) for rows of features, the intercept first. */
export function fitLogistic(rows: number[][], y: ArrayLike<number>, ridge = 1): number[] {
  const n = rows[0]!.length + 1;
  const weights = new Array<number>(n).fill(0);
  for (let pass = 0; pass < 25; pass++) {
    const hessian = Array.from({ length: n }, (_, i) =>
      Array.from({ length: n }, (_, j) => (i === j && i > 0 ? ridge : 1e-9)),
    );
    const gradient = weights.map((weight, i) => (i > 0 ? ridge * weight : 0));
    for (const [r, features] of rows.entries()) {
      const row = [1, ...features];
      let score = 0;
      for (let i = 0; i < n; i++) score += weights[i]! * row[i]!;
      const p = 1 / (1 + Math.exp(-score));
      const spread = Math.max(1e-6, p * (1 - p));
      for (let i = 0; i < n; i++) {
        gradient[i]! += (p - y[r]!) * row[i]!;
        for (let j = 0; j < n; j++) hessian[i]![j]! += spread * row[i]! * row[j]!;
      }
    }
    const step = solve(hessian, gradient);
    for (let i = 0; i < n; i++) weights[i]! -= step[i]!;
  }
  return weights;
}

/** Returns Cohen's kappa of two binary series of equal length. */
export function kappa(truth: ArrayLike<number>, found: ArrayLike<number>): number {
  const n = truth.length;
  let agreements = 0;
  let truthPositives = 0;
  let foundPositives = 0;
  for (let i = 0; i < n; i++) {
    if (truth[i] === found[i]) agreements++;
    truthPositives += truth[i]!;
    foundPositives += found[i]!;
  }
  const chance = (truthPositives * foundPositives + (n - truthPositives) * (n - foundPositives)) / (n * n);
  return chance === 1 ? 0 : (agreements / n - chance) / (1 - chance);
}
