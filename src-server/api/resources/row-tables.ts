/** Tables of subjects or equipment: previews, and taking them as a whole. */
import type { EquipmentRecord } from '../../db/index.ts';
import type { EnrolledTable } from '../../services/subjects.ts';
import type { RowTable, rowTableRoutes } from '../contract/resources/row-tables.ts';
import type { ApiDeps } from '../deps.ts';
import { type Caller, changeBy } from '../framework/authenticate.ts';
import { allowedPlaces } from '../framework/authorize.ts';
import type { Handlers } from '../framework/mount.ts';
import { Places } from '../framework/places.ts';

type AnyTable = Pick<EnrolledTable, 'columns'> & { rows: readonly Omit<EnrolledTable['rows'][number], 'input'>[] };

const toTable = ({ columns, rows }: AnyTable): RowTable => ({
  columns,
  rows: rows.map(({ line, name, outcome, id, errors }) => ({
    ...{ line, outcome, errors },
    ...(name && { name }),
    ...(id !== undefined && { id }),
  })),
});

export function rowTableHandlers(deps: ApiDeps): Handlers<typeof rowTableRoutes> {
  const { subjects, equipment } = deps.store;

  /** Whether the caller may see equipment: what others hold or own is not told. */
  async function isOpenTo(caller: Caller): Promise<(item: EquipmentRecord) => boolean> {
    const isAllowed = await allowedPlaces(deps, caller, 'equipment.read');
    const places = new Places(deps.store);
    return (item) => item.accountId === caller.user.accountId && isAllowed(places.ofEquipment(item));
  }

  return {
    enrolSubjects: async ({ params: { studyId }, body: { csv, timezone, isPreview }, caller }) =>
      toTable(
        isPreview
          ? await subjects.judgeTable(studyId, csv, timezone)
          : await subjects.createFromTable(studyId, csv, timezone, changeBy(caller)),
      ),
    registerEquipmentTable: async ({ params: { accountId }, body: { csv, isPreview }, caller }) => {
      const isOpen = await isOpenTo(caller);
      return toTable(
        isPreview
          ? await equipment.judgeTable(csv, isOpen)
          : await equipment.registerTable(accountId, csv, isOpen, changeBy(caller)),
      );
    },
  };
}
