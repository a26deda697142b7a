import { SubjectQueries, SummaryQueries } from '../db/index.ts';

export class Summaries extends SummaryQueries {
  /** Makes the summaries of a subject again from the rows that they summarise, in one transaction. @throws NOT_FOUND */
  async rebuild(subjectId: string): Promise<void> {
    await this.session.write(async (session) => {
      const { studyId } = await new SubjectQueries(session).require(subjectId);
      await new Summaries(session).rebuildAll(subjectId);
      // Nothing that a person decided changes, so there is no audit entry; desks read the lists again.
      session.announce({ action: 'subject.update', entityType: 'subject', entityId: subjectId, studyId, subjectId });
    });
  }
}
