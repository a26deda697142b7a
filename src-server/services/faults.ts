import { type Change, FaultQueries, type FaultRecord } from '../db/index.ts';
import { changesFromNothing } from '../study/changes.ts';

export type NewFault = Omit<FaultRecord, 'id' | 'createdTs'> & { id?: string };

export class Faults extends FaultQueries {
  /** Stores faults in one transaction, with an audit row each. */
  async add(faults: readonly NewFault[], change: Change): Promise<FaultRecord[]> {
    return await this.session.write(async (session) => {
      const stored: FaultRecord[] = [];
      for (const given of faults) {
        const fault = { ...given, id: given.id ?? session.newId(), createdTs: session.clock() };
        await new Faults(session).insert(fault);
        await session.audit(change, {
          action: 'fault.add',
          entityType: 'fault',
          entityId: fault.id,
          studyId: fault.studyId,
          subjectId: fault.subjectId,
          changes: changesFromNothing(fault),
        });
        stored.push(fault);
      }
      return stored;
    });
  }
}
