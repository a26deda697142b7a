/** Compares figures with the bars, and fits how they grow with the site. Pure. */

import type { Shows } from '../../../src-server/testing/full-site/desk-reads.ts';
import type { BenchRow } from '../types.ts';
import { BAR_SIZE, CPU_BARS_MS, EXPONENT_BAR, EXPONENT_FLOOR_MS, PROCESS_BARS } from './bars.ts';
import type { SiteFigures } from './measure.ts';

/** Least-squares slope of log(y) over log(x): the exponent of a power law. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number | undefined {
  if (new Set(points.map(([x]) => x)).size < 2) return undefined;
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(Math.max(y, 1e-9))] as const);
  const mean = (pick: 0 | 1) => logs.reduce((sum, point) => sum + point[pick], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const slope = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return slope / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/**
 * How the cost of a read grows. What shows a fixed window is fitted over subject-days of all sizes; what has a part for each
 * subject only over sites with equal numbers of subjects.
 */
export function growthOf(read: string, shows: Shows, sites: readonly SiteFigures[]): number | undefined {
  if (shows === 'everything' || shows === 'history') return undefined;
  const subjects = Math.max(
    ...sites
      .filter((site) => sites.some((other) => other !== site && other.subjects === site.subjects))
      .map((site) => site.subjects),
  );
  const fitted = shows === 'window' ? sites : sites.filter((site) => site.subjects === subjects);
  const points = fitted.flatMap((site) => {
    const figure = site.reads.find((one) => one.read === read);
    return figure ? [[site.subjects * site.days, Math.max(EXPONENT_FLOOR_MS, figure.cpuMs)] as const] : [];
  });
  return exponentOf(points);
}

/** One row per bar that the measured sizes allow to judge. */
export function judge(sites: readonly SiteFigures[], reads: readonly { name: string; shows: Shows }[]): BenchRow[] {
  const rows: BenchRow[] = [];
  const full = sites.find(({ size }) => size === BAR_SIZE);
  for (const { name, shows } of reads) {
    const figure = full?.reads.find(({ read }) => read === name);
    const most = CPU_BARS_MS[name];
    if (figure && most !== undefined) {
      rows.push({ name, value: figure.cpuMs, unit: 'ms CPU', bar: `<= ${most} ms`, pass: figure.cpuMs <= most });
    }
    const growth = growthOf(name, shows, sites);
    if (growth === undefined) continue;
    const pass = growth <= EXPONENT_BAR;
    rows.push({ name: `${name}: exponent`, value: growth, unit: '', bar: `<= ${EXPONENT_BAR}`, pass });
  }
  for (const [name, bar] of Object.entries(PROCESS_BARS) as [
    string,
    { unit: string; most?: number; least?: number },
  ][]) {
    const figure = full?.processes.find((one) => one.name === name);
    if (!figure) continue;
    const { most, least, unit } = bar;
    const pass = most === undefined ? figure.value >= (least ?? 0) : figure.value <= most;
    rows.push({ name, value: figure.value, unit, bar: most === undefined ? `>= ${least}` : `<= ${most}`, pass });
  }
  return rows;
}
