/** Recognition of a file by its first bytes, before it is sent for import. */
import { z } from 'zod';
import { count, id, idParams, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';
import { csvMapping } from './csv-mapping.ts';

/** Most bytes of a part of a file. */
export const MAX_PART_BYTES = 1 << 20;

const clock = z.strictObject({
  kind: z.enum(['UTC', 'OFFSET_IN_FILE', 'WALL_CLOCK']).meta({
    description: 'WALL_CLOCK: local times without a zone; `timeZone` of the import says in which they are read.',
  }),
  wallStart: z.string().optional().meta({ description: 'ISO 8601 without an offset, as the device showed it.' }),
  utcOffsetMinutes: z.int().optional(),
});

const csvFault = z.strictObject({
  line: count.meta({ description: 'Line of the file, from 1.' }),
  kind: z.enum(['TIME', 'ORDER', 'NUMBER', 'COLUMNS']),
  column: count.optional().meta({ description: 'From 0; absent for the whole row.' }),
  text: z.string(),
});

const csvText = z
  .strictObject({
    lines: z.array(z.string()).meta({ description: 'First lines as they are.' }),
    columns: z.array(z.string()).meta({ description: 'Cells of the header line by the mapping; empty without one.' }),
    mapping: csvMapping,
    origin: z.enum(['TEMPLATE', 'PROPOSED', 'GIVEN']),
    templateId: id.optional().meta({ description: 'The template of the study with this header line.' }),
    preview: z
      .strictObject({
        rows: z.array(z.strictObject({ line: count, time: z.string(), values: z.array(z.string()) })),
        counts: z.strictObject({ rows: count, unreadable: count, missing: count }),
        faults: z.array(csvFault),
        clock: z.enum(['UTC', 'OFFSET_IN_FILE', 'WALL_CLOCK', 'FROM_START']),
        start: z.string().optional(),
      })
      .nullable()
      .meta({ description: 'Of the head alone; null for a mapping that cannot be used.' }),
  })
  .meta({ description: 'Of a delimited text that no reader knows.' });

const recognition = z
  .strictObject({
    format: z.string().optional().meta({ description: 'Absent for an unknown format.' }),
    clock: clock.optional(),
    siteTimeZone: z.string().meta({ description: 'Zone of the computer of the site, for a WALL_CLOCK.' }),
    startTs: timestamp.optional().meta({ description: 'A wall clock is read in the zone given, or that of the site.' }),
    device: z
      .strictObject({
        maker: z.string().optional(),
        model: z.string().optional(),
        serial: z.string().optional(),
        firmware: z.string().optional(),
        session: count.optional(),
        subjectCode: z
          .string()
          .optional()
          .meta({ description: 'As set in the device. For comparison: it never chooses the subject.' }),
      })
      .optional(),
    register: z
      .strictObject({
        equipmentId: id,
        displayName: z.string(),
        holder: z
          .strictObject({ studyId: id, subjectId: id, displayName: z.string() })
          .optional()
          .meta({ description: 'Who holds it; absent also when that is a subject the caller may not see.' }),
        isHeld: z.boolean(),
      })
      .optional()
      .meta({ description: 'The equipment with this serial number; absent when the register has none.' }),
    channels: z.array(
      z.strictObject({
        type: z.string(),
        dimensions: z.array(z.string()),
        unit: z.string(),
        nominalRateHz: z.number(),
      }),
    ),
    recordings: count.meta({ description: 'Recordings in the file, as far as it was read.' }),
    text: csvText.optional(),
    problem: z
      .strictObject({ code: z.string(), message: z.string() })
      .optional()
      .meta({ description: 'Why an import would refuse the file.' }),
  })
  .meta({ id: 'Recognition' });

export const recognitionRoutes = defineRoutes({
  recogniseFile: {
    method: 'POST',
    path: '/studies/{studyId}/imports/recognition',
    access: 'user',
    operation: 'recording.import',
    tag: 'Recordings',
    summary: 'Recognise a file by its first bytes',
    description:
      'Takes the first bytes of a file (`head`, at most 1 MiB; 256 KiB are enough) and, of a ZIP, its last ones (`tail`), where its members are listed. Answers what an import would make of it: format, clock, device, and for an unknown delimited text its columns and first rows. Nothing is stored.',
    params: idParams.study,
    bodyKinds: ['multipart'],
    files: { head: { required: true, repeated: false }, tail: { required: false, repeated: false } },
    body: z.object({
      fileName: z.string().min(1).max(200),
      sizeBytes: z.string().regex(/^\d{1,15}$/, { error: 'must be a number of bytes' }),
      timeZone: z.string().max(60).optional(),
      csvMapping: z.string().max(60_000).optional().meta({ description: 'A CsvMapping as JSON, to preview.' }),
    }),
    status: 200,
    response: recognition,
  },
});
export type Recognition = z.infer<typeof recognition>;
