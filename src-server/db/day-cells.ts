/**
 * The stored form of a day's metrics: the values as JSON arrays, and their names in a row of `metricNames` that days share. With
 * the names in each row, a day took a page of the database alone.
 */

/** Members that are undefined are left out, as in JSON. */
type Metrics = Readonly<Record<string, number>>;

export interface MetricNames {
  metrics: string[];
  validSeconds: string[];
}

export interface DayCells {
  /** Of `metricNames`. */
  names: string;
  metrics: string;
  validSeconds: string;
  /** In a column of its own for the index that lists read. */
  wearSeconds: number | null;
}

const isDefined = ([, value]: [string, unknown]) => value !== undefined;
const namesOf = (values: Metrics) => Object.entries(values).flatMap((entry) => (isDefined(entry) ? [entry[0]] : []));

/** The values of an object as a JSON array. */
export function valuesAsJson(values: Metrics): string {
  return JSON.stringify(Object.values(values).filter((value) => value !== undefined));
}

/** The names of both objects as JSON, which is the same for days with the same metrics. */
export function namesAsJson(metrics: Metrics, validSeconds: Metrics): string {
  const names: MetricNames = { metrics: namesOf(metrics), validSeconds: namesOf(validSeconds) };
  return JSON.stringify(names);
}

export function dayCells(metrics: Metrics, validSeconds: Metrics): DayCells {
  return {
    names: namesAsJson(metrics, validSeconds),
    metrics: valuesAsJson(metrics),
    validSeconds: valuesAsJson(validSeconds),
    wearSeconds: metrics.SENSOR_WEAR_DURATION ?? null,
  };
}

/** The object that {@link valuesAsJson} was made of. */
export function withNames(names: readonly string[], values: readonly number[]): Record<string, number> {
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
}
