/** Tables of subjects or equipment: previews, and taking them as a whole. */
import type { EnrolledTable } from '../../services/subjects.ts';
import type { RowTable, rowTableRoutes } from '../contract/resources/row-tables.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import type { Handlers } from '../framework/mount.ts';

type AnyTable = Pick<EnrolledTable, 'columns'> & { rows: readonly Omit<EnrolledTable['rows'][number], 'input'>[] };

const toTable = ({ columns, rows }: AnyTable): RowTable => ({
  columns,
  rows: rows.map(({ line, name, outcome, id, errors }) => ({
    ...{ line, outcome, errors },
    ...(name && { name }),
    ...(id !== undefined && { id }),
  })),
});

export function rowTableHandlers({ store: { subjects, equipment } }: ApiDeps): Handlers<typeof rowTableRoutes> {
  return {
    enrolSubjects: async ({ params: { studyId }, body: { csv, timezone, isPreview }, caller }) =>
      toTable(
        isPreview
          ? await subjects.judgeTable(studyId, csv, timezone)
          : await subjects.createFromTable(studyId, csv, timezone, changeBy(caller)),
      ),
    registerEquipmentTable: async ({ params: { accountId }, body: { csv, isPreview }, caller }) =>
      toTable(
        isPreview ? await equipment.judgeTable(csv) : await equipment.registerTable(accountId, csv, changeBy(caller)),
      ),
  };
}
