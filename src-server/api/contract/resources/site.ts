/** The service itself. */
import { z } from 'zod';
import { count, diagnostic, listOf, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const siteProblem = z
  .strictObject({ code: z.string(), message: z.string() })
  .meta({ description: 'Why nothing can be stored at present: the disk of the site is disconnected or read-only.' });

const status = z
  .strictObject({ version: z.string(), build: z.string(), problem: siteProblem.optional() })
  .meta({ id: 'Status', description: 'Version of the service and its build.' });

export const databaseCheck = z
  .strictObject({
    state: z.enum(['sound', 'unchecked', 'damaged']).meta({
      description: 'unchecked: the last run ended in a crash, and not all of the database has been read since.',
    }),
    isChecking: z.boolean(),
    checkedTs: timestamp.optional().meta({ description: 'When all of it was last read.' }),
  })
  .meta({ id: 'DatabaseCheck', description: 'The check of all pages of the database, daily and after a crash.' });

const site = z
  .strictObject({
    displayName: z.string(),
    version: z.string(),
    database: z.strictObject({
      state: z.enum(['healthy', 'read-only', 'damaged']).meta({
        description: 'read-only: nothing can be stored at present. damaged: the same, until a backup is restored.',
      }),
      schemaVersion: z.int(),
      sizeBytes: count,
      check: databaseCheck,
      move: z.strictObject({ done: count, total: count }).optional().meta({
        description:
          'Analysed days of an older version that are being moved out of the database since the start. Absent when there are none.',
      }),
    }),
    audit: z
      .strictObject({
        anchoredSinceTs: timestamp.meta({ description: 'The time of the first anchor.' }),
        anchoredSinceSequence: count.meta({
          description: 'Rows up to this one are covered by that anchor as a whole.',
        }),
        anchoredTs: timestamp.meta({ description: 'The time of the newest anchor of this run.' }),
        anchoredSequence: count.meta({ description: 'The newest row that it covers.' }),
        keyId: z
          .string()
          .meta({ description: 'Id of the key that signs: the beginning of the SHA-256 of its public half.' }),
        continued: z
          .strictObject({
            timeTs: timestamp,
            sequence: count,
            backupId: z.string(),
            backupTs: timestamp,
            isNewKey: z.boolean(),
          })
          .optional()
          .meta({
            description:
              'Since when, and from which backup, the site continues: rows up to `sequence` are those of the backup. isNewKey: without the key of the former site.',
          }),
        compared: z
          .strictObject({
            comparedTs: timestamp,
            countBackups: count,
            countExports: count,
            problems: z.array(diagnostic),
          })
          .optional()
          .meta({
            description: 'When the trail was last compared with its anchors, backups and exports, and what differs.',
          }),
      })
      .meta({ description: 'Signed heads of the audit trail outside of the database.' }),
    disk: z
      .strictObject({
        freeBytes: count.meta({ description: 'Bytes available to this program.' }),
        totalBytes: count,
        isLow: z.boolean().meta({ description: 'Less than 5 GB or less than 5 % is free.' }),
      })
      .meta({ description: 'The disk with the folder of the site.' }),
    lockAfterMinutes: z.int().min(1).nullable().meta({
      description: 'Minutes without use after which the desk asks for the password again; null: never.',
    }),
    addresses: z.array(z.string()).meta({ description: 'Addresses on which the site listens now.' }),
    problem: siteProblem.optional(),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof site>;

const metricDefinition = z
  .strictObject({
    name: z.string(),
    state: z.enum(['MOVING', 'RESTING', 'SLEEPING']).nullable().meta({ description: 'null: over all states.' }),
    unit: z.string(),
    definition: z.string(),
    window: z.string().meta({ description: 'The time span that the value of a date covers.' }),
    minimumData: z.string().meta({ description: 'With less data the metric is absent.' }),
    method: z.string().meta({ description: 'Id of an entry of `methods`.' }),
  })
  .meta({ id: 'MetricDefinition' });
export type MetricDefinition = z.infer<typeof metricDefinition>;

const channelDefinition = z
  .strictObject({
    name: z.string(),
    unit: z.string(),
    values: z.string().meta({ description: 'Form of the values.' }),
    definition: z.string(),
    window: z.string(),
    minimumData: z.string().meta({ description: 'With less data the bin is null.' }),
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
          data: z.string().meta({ description: 'The recordings used for the measurement.' }),
          bar: z.string().optional().meta({ description: 'Required value.' }),
        }),
      )
      .meta({ description: 'Measured on recordings with reference labels.' }),
    unmeasured: z
      .string()
      .optional()
      .meta({ description: 'Why no accuracy was measured, where there is no reference.' }),
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
    summary: 'Get the version of the service',
    description: 'Needs no credentials, and works while nothing can be stored.',
    status: 200,
    response: status,
    example: { version: '0.1.0', build: '0.1.0' },
  },
  getSite: {
    method: 'GET',
    path: '/site',
    access: 'user',
    tag: 'Service',
    summary: 'Get the state of the site',
    description: 'Current state of its database, disk and addresses.',
    status: 200,
    response: site,
  },
  listMetricDefinitions: {
    method: 'GET',
    path: '/metric_definitions',
    access: 'user',
    tag: 'Service',
    summary: 'Get the data dictionary: definition and minimum data of each daily metric and channel',
    description:
      'All metrics in alphabetical order, the intraday channels (the nine of the interface, then the further ones), and their methods with measured accuracy.',
    order: ['name'],
    status: 200,
    response: metricDefinitions,
  },
  getMetricsDocument: {
    method: 'GET',
    path: '/metrics.md',
    access: 'user',
    tag: 'Service',
    summary: 'Get the data dictionary as a Markdown document',
    description: 'Same content as the JSON data dictionary, for reading and printing.',
    status: 200,
    media: 'text/markdown',
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    tag: 'Service',
    summary: 'Get this document',
    description:
      'OpenAPI 3.1, generated from the definitions that validate every request. A readable page is at /docs.',
    status: 200,
    response: z.record(z.string(), z.unknown()),
  },
});
