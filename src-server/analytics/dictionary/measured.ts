/** Accuracy figures saved by the last `npm run bench:accuracy -- --save`. */
import measured from './measured-accuracy.json' with { type: 'json' };

/** One figure, and the data it was measured on. */
export interface MeasuredFigure {
  what: string;
  value: number;
  unit: string;
  /** The recordings it was measured on. */
  data: string;
  /** Required value, such as `<= 5 ms`. */
  bar?: string;
}

interface StoredFigure extends MeasuredFigure {
  /** Id of the method it belongs to. */
  method: string;
}

/** Figures of one method, in the order the bench gives them. */
export function measuredFigures(method: string): MeasuredFigure[] {
  return (measured.figures as StoredFigure[])
    .filter((figure) => figure.method === method)
    .map(({ what, value, unit, data, bar }) => ({ what, value, unit, data, ...(bar !== undefined && { bar }) }));
}

/** Version of the algorithms that were measured. */
export const MEASURED_VERSION: string = measured.analyticsVersion;
