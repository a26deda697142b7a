/** The service itself. */
import { z } from 'zod';
import { count, listOf } from '../common.ts';
import { defineRoutes } from '../route.ts';

const status = z
  .strictObject({ version: z.string(), build: z.string() })
  .meta({ id: 'Status', description: 'Version of the service and its build.' });

const site = z
  .strictObject({
    displayName: z.string(),
    version: z.string(),
    database: z.strictObject({
      state: z.enum(['healthy', 'read-only']).meta({ description: 'read-only: nothing can be stored now.' }),
      schemaVersion: z.int(),
      sizeBytes: count,
    }),
    disk: z
      .strictObject({
        freeBytes: count.meta({ description: 'What this program may still use.' }),
        totalBytes: count,
        isLow: z.boolean().meta({ description: 'Less than 5 GB or less than 5 % is free.' }),
      })
      .meta({ description: 'The disk with the folder of the site.' }),
    addresses: z.array(z.string()).meta({ description: 'Where the site listens now.' }),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof site>;

const metricDefinition = z
  .strictObject({
    name: z.string(),
    state: z.enum(['MOVING', 'RESTING', 'SLEEPING']).nullable().meta({ description: 'null: over all states.' }),
    unit: z.string(),
    definition: z.string(),
    window: z.string().meta({ description: 'The time that a figure of a date is taken over.' }),
    minimumData: z.string().meta({ description: 'Below it the metric is not given.' }),
    method: z.string().meta({ description: 'Id of an entry of `methods`.' }),
  })
  .meta({ id: 'MetricDefinition' });
export type MetricDefinition = z.infer<typeof metricDefinition>;

const channelDefinition = z
  .strictObject({
    name: z.string(),
    unit: z.string(),
    values: z.string().meta({ description: 'What a value looks like.' }),
    definition: z.string(),
    window: z.string(),
    minimumData: z.string().meta({ description: 'Below it the bin is null.' }),
    method: z.string().meta({ description: 'Id of an entry of `methods`.' }),
  })
  .meta({ id: 'ChannelDefinition' });

const metricMethod = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    citations: z.array(z.string()),
    accuracy: z
      .array(
        z.strictObject({
          what: z.string(),
          value: z.number(),
          unit: z.string(),
          data: z.string().meta({ description: 'The recordings it was measured on.' }),
          bar: z.string().optional().meta({ description: 'What it must reach.' }),
        }),
      )
      .meta({ description: 'Measured on recordings with reference labels.' }),
    unmeasured: z.string().optional().meta({ description: 'What stands in place of a figure without a reference.' }),
    limits: z.array(z.string()),
  })
  .meta({ id: 'MetricMethod' });

const metricDefinitions = listOf(metricDefinition)
  .extend({ channels: z.array(channelDefinition), methods: z.array(metricMethod) })
  .meta({ id: 'MetricDefinitions' });

export const siteRoutes = defineRoutes({
  getStatus: {
    method: 'GET',
    path: '/status',
    access: 'public',
    tag: 'Service',
    summary: 'Version of the service',
    description: 'Answers without credentials, also while nothing can be stored.',
    status: 200,
    response: status,
    example: { version: '0.1.0', build: '0.1.0' },
  },
  getSite: {
    method: 'GET',
    path: '/site',
    access: 'user',
    tag: 'Service',
    summary: 'State of the site',
    description: 'Its database, its disk and its addresses as they are at this moment.',
    status: 200,
    response: site,
  },
  listMetricDefinitions: {
    method: 'GET',
    path: '/metric_definitions',
    access: 'user',
    tag: 'Service',
    summary: 'The data dictionary: what each daily metric and channel is, and the least data it is given for',
    description:
      'All 49 metrics in alphabetical order, the nine intraday channels, and the methods behind them with their accuracy.',
    order: ['name'],
    status: 200,
    response: metricDefinitions,
  },
  getMetricsDocument: {
    method: 'GET',
    path: '/metrics.md',
    access: 'user',
    tag: 'Service',
    summary: 'The data dictionary as a document in Markdown',
    description: 'The same facts as the data dictionary in JSON, to read and to print.',
    status: 200,
    media: 'text/markdown',
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    tag: 'Service',
    summary: 'This document',
    description: 'OpenAPI 3.1, made from the same definitions that check every request. A page to read is at /docs.',
    status: 200,
    response: z.record(z.string(), z.unknown()),
  },
});
