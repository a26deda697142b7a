/** Links to an equipment item and to the equipment page of a subject. */
import { Link } from '@tanstack/react-router';
import { Faint } from '../../shared/kit/data-table.tsx';

export function SubjectLink({ studyId, subjectId, name }: { studyId: string; subjectId: string; name: string }) {
  return (
    <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId }}>
      {name}
    </Link>
  );
}

/** Adds the serial number where the item has a name of its own. */
export function EquipmentLink({ id, name }: { id: string; name: string }) {
  return (
    <>
      <Link to="/equipment/$equipmentId" params={{ equipmentId: id }}>
        {name}
      </Link>{' '}
      {name !== id && <Faint>{id}</Faint>}
    </>
  );
}
