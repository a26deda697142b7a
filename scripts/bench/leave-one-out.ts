/**
 * How much a figure hangs on amounts that were set while looking at the same recordings: every record (or wearer) is scored
 * with the settings that all the others would have chosen, and once more with the worst that a change of one amount does.
 */

/** Sum of errors of one record, and of how many. */
export interface Loss {
  sum: number;
  count: number;
}

export interface LeaveOneOut {
  /** Mean error with the settings as they are. */
  plain: number;
  /** Mean error, each record with what the others chose. */
  leaveOneOut: number;
  /** Mean error with the least fitting of the candidates. */
  worst: number;
}

/** Settings with one amount changed by each of the factors, and the settings themselves, which come first. */
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

/** @param losses of each candidate, one per record, the settings in use first */
export function leaveOneOut(losses: readonly Loss[][]): LeaveOneOut {
  const chosen = losses[0]!.map((_loss, record) => {
    const others = losses.map((candidate) => meanLoss(candidate.filter((_one, i) => i !== record)));
    return losses[others.indexOf(Math.min(...others))]![record];
  });
  return {
    plain: meanLoss(losses[0]!),
    leaveOneOut: meanLoss(chosen),
    worst: Math.max(...losses.map(meanLoss)),
  };
}
