/** Mappings of delimited texts, and the templates that a study keeps of them. */
import { z } from 'zod';
import {
  CSV_CHANNEL_TYPES,
  CSV_DELIMITERS,
  CSV_TIME_UNITS,
  type CsvMapping,
  DATE_ORDERS,
  MAX_CSV_LEADS,
} from '../../../vocabulary/csv-mapping.ts';
import { LONGEST_NAME } from '../../../vocabulary/study.ts';
import { nameText } from '../common.ts';

const column = z.int().min(0).max(999).meta({ description: 'Number of a column, from 0.' });
const rateHz = z.number().positive().max(100_000);

const time = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('DATE_TIME'),
    column,
    timeColumn: column.optional().meta({ description: 'The time of day, where the date has a column of its own.' }),
    order: z.enum(DATE_ORDERS),
  }),
  z.object({ kind: z.literal('UNIX'), column, unit: z.enum(CSV_TIME_UNITS) }),
  z.object({ kind: z.literal('ELAPSED'), column, unit: z.enum(CSV_TIME_UNITS) }),
  z.object({
    kind: z.literal('SAMPLE_NUMBER'),
    column: column.optional().meta({ description: 'Absent: rows are counted.' }),
    rateHz,
  }),
]);

export const csvMapping = z
  .object({
    delimiter: z.enum(CSV_DELIMITERS),
    decimal: z.enum(['.', ',']),
    skipLines: z.int().min(0).max(1000).meta({ description: 'Lines above the header line or the first row.' }),
    hasHeader: z.boolean(),
    time: time.meta({
      description:
        'DATE_TIME: ISO 8601 or a date in the given order, with or without an offset. UNIX: since 1970. ELAPSED: since the start that the import states. SAMPLE_NUMBER: at a fixed rate from that start.',
    }),
    channels: z
      .array(
        z.object({
          type: z.enum(CSV_CHANNEL_TYPES),
          name: z.string().trim().max(40).optional().meta({ description: 'Of a channel of type OTHER.' }),
          unit: z.string().trim().max(40).meta({ description: 'As in the file; `adu` for counts of the sensor.' }),
          columns: z.array(column).max(MAX_CSV_LEADS),
        }),
      )
      .max(60),
    missing: z
      .array(z.string().max(40))
      .max(20)
      .default([])
      .meta({ description: 'Texts that stand for a missing value, besides an empty cell.' }),
  })
  .meta({
    id: 'CsvMapping',
    description: 'How the rows of a delimited text become samples.',
  }) satisfies z.ZodType<CsvMapping>;

export const csvTemplate = z
  .object({
    id: z.string().min(1).max(64),
    displayName: nameText(LONGEST_NAME),
    header: z.array(z.string().max(500)).max(1000).meta({
      description: 'Cells of the header line by which a file is recognised. Case and outer spaces do not count.',
    }),
    mapping: csvMapping,
  })
  .meta({
    id: 'CsvTemplate',
    description: 'A mapping that the study keeps; files with its header line are read by it.',
  });

export const csvTemplates = z.array(csvTemplate).max(100);
