import { expect, it } from 'vitest';
import { METRIC_NAMES } from '../../../src-server/analytics/metric-names.ts';
import { metricDefinitions } from './metric-definitions.ja.ts';

it('has Japanese words for every daily metric and for no other', () => {
  expect([...metricDefinitions.keys()].sort()).toEqual(METRIC_NAMES.map(({ name }) => name));
});
