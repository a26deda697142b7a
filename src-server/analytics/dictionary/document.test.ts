import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHANNEL_TYPES } from '../channels.ts';
import { METRIC_NAMES } from '../metric-names.ts';
import { ANALYTICS_VERSION } from '../version.ts';
import { metricsDocument } from './document.ts';
import { MEASURED_VERSION } from './measured.ts';
import { METHODS } from './methods.ts';

it('equals the data dictionary on disk, which `npm run metrics` writes', () => {
  expect(readFileSync(new URL('../../../resources/metrics.md', import.meta.url), 'utf8')).toBe(metricsDocument());
});

it('names every metric and channel once in its tables', () => {
  const text = metricsDocument();
  for (const name of [...METRIC_NAMES.map((metric) => metric.name), ...CHANNEL_TYPES]) {
    expect(text.split(`| \`${name}\` |`), name).toHaveLength(2);
  }
});

it('states the accuracy of every method, or why there is none, and its limits', () => {
  for (const { id, accuracy, unmeasured, limits, citations } of METHODS) {
    expect(accuracy.length > 0 || unmeasured !== undefined, id).toBe(true);
    expect(Math.min(limits.length, citations.length), id).toBeGreaterThan(0);
  }
});

it('states the accuracy of the current version, which `npm run bench:accuracy -- --save` measures', () => {
  expect(MEASURED_VERSION).toBe(ANALYTICS_VERSION);
});
