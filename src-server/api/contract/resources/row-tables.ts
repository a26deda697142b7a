/** Tables of subjects or equipment that are taken as a whole, with a preview of what becomes of every row. */
import { z } from 'zod';
import { count, fieldError, idParams } from '../common.ts';
import { defineRoutes } from '../route.ts';

const csv = z.string().min(1).max(900_000).meta({
  description:
    'CSV with a header line, delimited by commas, semicolons or tabs; at most 1000 rows. Columns are recognised by their names in English and Japanese; others are left out.',
});
const isPreview = z.boolean().meta({ description: 'true: says what would become of every row, and changes nothing.' });

const rowTable = z
  .strictObject({
    columns: z.array(
      z.strictObject({
        header: z.string(),
        member: z.string().optional().meta({ description: 'What the column is read as; absent where it is left out.' }),
      }),
    ),
    rows: z.array(
      z.strictObject({
        line: count.meta({ description: 'Line of the text, from 1.' }),
        name: z.string().optional().meta({ description: 'Name or serial number.' }),
        outcome: z.enum(['NEW', 'EXISTS', 'REFUSED']).meta({
          description: 'EXISTS: is there already and stays as it is. One REFUSED row keeps the whole table out.',
        }),
        id: z.string().optional().meta({ description: 'Of what was created; absent in a preview.' }),
        errors: z.array(fieldError),
      }),
    ),
  })
  .meta({ id: 'RowTable' });
export type RowTable = z.infer<typeof rowTable>;

export const rowTableRoutes = defineRoutes({
  enrolSubjects: {
    method: 'POST',
    path: '/studies/{studyId}/subjects/table',
    access: 'user',
    operation: 'subject.create',
    tag: 'Subjects',
    summary: 'Create subjects from a table',
    description:
      'All new rows or none: a row that cannot be taken is refused with its line (400). Columns: `name`, `time zone`, `age`, `gender`, `height (cm)`, `weight (kg)`, `dominant hand`, `test`, and the fields of the study by their names. Subjects of these names that exist stay as they are, so that a table may be sent again.',
    params: idParams.study,
    body: z.object({
      csv,
      timezone: z.string().min(1).meta({ description: 'Time zone of rows without one.' }),
      isPreview,
    }),
    status: 200,
    response: rowTable,
  },
  registerEquipmentTable: {
    method: 'POST',
    path: '/accounts/{accountId}/equipment/table',
    access: 'user',
    operation: 'equipment.manage',
    tag: 'Equipment',
    summary: 'Register equipment from a table',
    description:
      'All new rows or none: a row that cannot be taken is refused with its line (400). Columns: `serial number`, `type` (sensor, hub or phone; sensor without one), `name`, `address`. Registered serial numbers stay as they are.',
    params: idParams.account,
    body: z.object({ csv, isPreview }),
    status: 200,
    response: rowTable,
  },
});
