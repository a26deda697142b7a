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

/** The largest number that at least two sites share. */
function sharedBy(sites: readonly SiteFigures[], numberOf: (site: SiteFigures) => number): number | undefined {
  const shared = sites.map(numberOf).filter((number, at, all) => all.indexOf(number) !== at);
  return shared.length > 0 ? Math.max(...shared) : undefined;
}

/**
 * How the cost of a read grows. What shows a fixed window is fitted over the subject-days of all sites; what has a part for each
 * subject over sites with equal numbers of subjects; the history of one subject or device over sites with equal numbers of days.
 */
export function growthOf(read: string, shows: Shows, sites: readonly SiteFigures[]): number | undefined {
  if (shows === 'everything') return undefined;
  const subjects = sharedBy(sites, (site) => site.subjects);
  const days = sharedBy(sites, (site) => site.days);
  const isFitted: Record<Exclude<Shows, 'everything'>, (site: SiteFigures) => boolean> = {
    window: () => true,
    subjects: (site) => site.subjects === subjects,
    history: (site) => site.days === days,
  };
  const points = sites.filter(isFitted[shows]).flatMap((site) => {
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
