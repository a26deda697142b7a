/**
 * Leave-one-out cross-validation of tuned parameters: scores each record (or wearer) with the settings that the other
 * records would have chosen, which shows how far a figure depends on tuning on the same recordings. Also reports the worst
 * effect of changing one parameter.
 */

/** Sum and number of the errors of one record. */
export interface Loss {
  sum: number;
  count: number;
}

export interface LeaveOneOut {
  /** Mean error with the settings in use. */
  plain: number;
  /** Mean error with the settings that the other records chose for each record. */
  leaveOneOut: number;
  /** Mean error with the worst candidate. */
  worst: number;
}

/** Returns the settings, followed by variants in which one parameter is multiplied by one of the factors. */
export function neighbours<S extends object>(settings: S, factors: readonly number[]): S[] {
  return [
    settings,
    ...Object.entries(settings).flatMap(([name, value]) =>
      factors.map((factor) => ({ ...settings, [name]: (value as number) * factor })),
    ),
  ];
}

const meanLoss = (losses: readonly Loss[]): number =>
  losses.reduce((sum, loss) => sum + loss.sum, 0) / losses.reduce((sum, loss) => sum + loss.count, 0);

/** @param losses one list per candidate, with one loss per record; the settings in use come first */
export function leaveOneOut(losses: readonly Loss[][]): LeaveOneOut {
  const chosen = losses[0]!.map((_loss, record) => {
    const others = losses.map((candidate) => meanLoss(candidate.filter((_other, i) => i !== record)));
    return losses[others.indexOf(Math.min(...others))]![record]!;
  });
  return {
    plain: meanLoss(losses[0]!),
    leaveOneOut: meanLoss(chosen),
    worst: Math.max(...losses.map(meanLoss)),
  };
}
