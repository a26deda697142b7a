/** Compares the days of an analysis run with those in use, subject by subject: a study has more days than fit into memory at once. */
import type { DayRecord } from '../../../db/index.ts';
import type { Store } from '../../../services/index.ts';
import { AgreementSums } from '../../../study/bland-altman.ts';
import { type ComparisonPoints, MOST_POINTS, type RunComparison } from '../../contract/resources/analysis-runs.ts';

interface DayPair {
  subjectId: string;
  date: string;
  inUse?: DayRecord;
  run?: DayRecord;
}

/** Days of the run's subjects that are in use, in the run, or both; of a subject in order of the date. */
async function* dayPairs({ analytics, analysisRuns }: Store, runId: string): AsyncGenerator<DayPair> {
  for (const { subjectId } of await analysisRuns.subjectsOf(runId)) {
    const pairs = new Map<string, DayPair>();
    for (const run of await analytics.days(subjectId, { runId }))
      pairs.set(run.date, { subjectId, date: run.date, run });
    for (const inUse of await analytics.days(subjectId))
      pairs.set(inUse.date, { subjectId, date: inUse.date, ...pairs.get(inUse.date), inUse });
    const dates = [...pairs.keys()].sort();
    for (const date of dates) yield pairs.get(date)!;
  }
}

interface MetricSums {
  sums: AgreementSums;
  onlyInUse: number;
  onlyInRun: number;
}

export async function compareRun(store: Store, runId: string): Promise<RunComparison> {
  const days = { both: 0, onlyInUse: 0, onlyInRun: 0 };
  const metrics = new Map<string, MetricSums>();
  for await (const { subjectId, inUse, run } of dayPairs(store, runId)) {
    days[inUse && run ? 'both' : run ? 'onlyInRun' : 'onlyInUse']++;
    for (const name of new Set([...Object.keys(inUse?.metrics ?? {}), ...Object.keys(run?.metrics ?? {})])) {
      const known = metrics.get(name) ?? { sums: new AgreementSums(), onlyInUse: 0, onlyInRun: 0 };
      metrics.set(name, known);
      const first = inUse?.metrics[name];
      const second = run?.metrics[name];
      if (first !== undefined && second !== undefined) known.sums.add(subjectId, first, second);
      else known[first === undefined ? 'onlyInRun' : 'onlyInUse']++;
    }
  }
  const names = [...metrics.keys()].sort();
  return {
    days,
    metrics: names.map((name) => {
      const { sums, onlyInUse, onlyInRun } = metrics.get(name)!;
      const none = { pairs: 0, equalPairs: 0, subjects: 0, form: 'SINGLE', bias: 0 } as const;
      return { name, onlyInUse, onlyInRun, ...(sums.agreement() ?? none) };
    }),
  };
}

type Point = ComparisonPoints['points'][number];

export async function comparisonPoints(store: Store, runId: string, name: string): Promise<ComparisonPoints> {
  const points: Point[] = [];
  for await (const { subjectId, date, inUse, run } of dayPairs(store, runId)) {
    const first = inUse?.metrics[name];
    const second = run?.metrics[name];
    if (first !== undefined && second !== undefined) points.push({ subjectId, date, inUse: first, run: second });
  }
  return { name, pairs: points.length, points: thinned(points) };
}

/** A quarter for the largest differences, which are what one looks for. */
const LARGEST = MOST_POINTS / 4;

/** Keeps the largest differences and every so many of the others, in their order. */
function thinned(points: readonly Point[]): Point[] {
  if (points.length <= MOST_POINTS) return [...points];
  const mean = points.reduce((sum, { inUse, run }) => sum + (run - inUse), 0) / points.length;
  const byDistance = points
    .map(({ inUse, run }, place) => ({ place, distance: Math.abs(run - inUse - mean) }))
    .sort((a, b) => b.distance - a.distance);
  const kept = new Set(byDistance.slice(0, LARGEST).map(({ place }) => place));
  const step = points.length / (MOST_POINTS - LARGEST);
  for (let place = 0; place < points.length; place += step) kept.add(Math.floor(place));
  return points.filter((_, place) => kept.has(place));
}
