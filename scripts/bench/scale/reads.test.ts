import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../src-server/api/contract/index.ts';
import { NOT_MEASURED, READS } from '../../../src-server/testing/full-site/desk-reads.ts';
import { CPU_BARS_MS } from './bars.ts';
import { exponentOf, growthOf, judge } from './judge.ts';
import type { SiteFigures } from './measure.ts';

const DESK = join(import.meta.dirname, '..', '..', '..', 'src-renderer');

describe('the table of reads', () => {
  it('holds every read that the desk sends', () => {
    const called = new Set<string>();
    for (const name of readdirSync(DESK, { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue;
      for (const [, id] of readFileSync(join(DESK, name), 'utf8').matchAll(
        /\.(?:call|url|stream|bytes)\(\s*'(\w+)'/g,
      )) {
        const route = Object.entries(routes).find(([known]) => known === id)?.[1];
        if (id !== undefined && route?.method === 'GET' && route.access === 'user') called.add(id);
      }
    }
    expect(called.size).toBeGreaterThan(50);
    const known = new Set<string>([...READS.map(({ route }) => route), ...Object.keys(NOT_MEASURED)]);
    expect([...called].filter((id) => !known.has(id))).toEqual([]);
    // An exception that the desk no longer needs must go.
    expect(Object.keys(NOT_MEASURED).filter((id) => !called.has(id))).toEqual([]);
  });

  it('names each read once, and holds those that have bars', () => {
    const names = READS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(Object.keys(CPU_BARS_MS)));
  });
});

const siteOf = (subjects: number, days: number, cpuMs: number): SiteFigures => ({
  size: `${subjects}x${days}`,
  subjects,
  days,
  reads: [{ read: 'gaps', status: 200, bytes: 1, cpuMs, wallMs: cpuMs, keptCpuMs: 1 }],
  processes: [{ name: 'site.db', value: cpuMs, unit: 'GB' }],
});

describe('growth', () => {
  it('is the exponent of a power law', () => {
    expect(exponentOf([1, 10, 100].map((x) => [x, 3 * x ** 0.7]))).toBeCloseTo(0.7);
    expect(exponentOf([[10, 1]])).toBeUndefined();
  });

  it('of a fixed window is fitted over all sizes, of a row per subject over days alone', () => {
    const sites = [siteOf(10, 30, 10), siteOf(200, 90, 200), siteOf(200, 365, 200)];
    expect(growthOf('gaps', 'window', sites)).toBeGreaterThan(0.5);
    expect(growthOf('gaps', 'subjects', sites)).toBeCloseTo(0);
    expect(growthOf('gaps', 'everything', sites)).toBeUndefined();
  });

  it('of the history of one subject is fitted over subjects alone', () => {
    const sites = [siteOf(200, 365, 400), siteOf(50, 90, 100), siteOf(200, 90, 100)];
    expect(growthOf('gaps', 'history', sites)).toBeCloseTo(0);
    expect(growthOf('gaps', 'history', [siteOf(50, 90, 100), siteOf(200, 90, 400)])).toBeCloseTo(1);
    expect(growthOf('gaps', 'history', [siteOf(50, 90, 100), siteOf(200, 365, 400)])).toBeUndefined();
  });

  it('misses the bars when a read or the database is too large', () => {
    const reads = [{ name: 'gaps', shows: 'window' as const }];
    const passOf = (site: SiteFigures) =>
      Object.fromEntries(judge([site], reads).map(({ name, pass }) => [name, pass]));
    expect(passOf(siteOf(200, 365, 1))).toEqual({ gaps: true, 'site.db': true });
    expect(passOf(siteOf(200, 365, 51))).toEqual({ gaps: false, 'site.db': false });
    expect(passOf(siteOf(10, 30, 51))).toEqual({});
  });
});
