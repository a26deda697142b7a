import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CHANNEL_TYPES } from '../channels.ts';
import { METRIC_NAMES } from '../metric-names.ts';
import { ANALYTICS_VERSION } from '../version.ts';
import { metricsDocument } from './document.ts';
import { MEASURED_VERSION } from './measured.ts';
import { METHODS } from './methods.ts';

it('the data dictionary on disk is what the tables say; `npm run metrics` writes it', () => {
  expect(readFileSync(new URL('../../../resources/metrics.md', import.meta.url), 'utf8')).toBe(metricsDocument());
});

it('names every metric and channel once in its tables', () => {
  const text = metricsDocument();
  for (const name of [...METRIC_NAMES.map((metric) => metric.name), ...CHANNEL_TYPES]) {
    expect(text.split(`| \`${name}\` |`), name).toHaveLength(2);
  }
});

it('has an accuracy for every method, or words for why there is none, and what it cannot do', () => {
  for (const { id, accuracy, unmeasured, limits, citations } of METHODS) {
    expect(accuracy.length > 0 || unmeasured !== undefined, id).toBe(true);
    expect(Math.min(limits.length, citations.length), id).toBeGreaterThan(0);
  }
});

it('tells the accuracy of the algorithms as they are; `npm run bench:accuracy -- --save` measures it', () => {
  expect(MEASURED_VERSION).toBe(ANALYTICS_VERSION);
});
