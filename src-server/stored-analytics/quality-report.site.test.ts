/** What a report of data quality reads; its figures are tested where they are answered and exported. */
import { expect, it } from 'vitest';
import { addTestStudy, openTestStore, TEST_NOW } from '../testing/test-store.ts';
import { QualityReport } from './quality-report.ts';

it('reads the history of the program once for all subjects of an archive', async () => {
  const { store, close } = openTestStore();
  const { studyId, subjectId, byUser } = await addTestStudy(store);
  await store.studies.move(studyId, 'start', byUser);
  const { analytics, subjects, studies, taskDays } = store;
  let reads = 0;
  const counted = {
    programHistory: async (...[study]: Parameters<typeof studies.programHistory>) => {
      reads++;
      return await studies.programHistory(study);
    },
  };
  const source = { analytics, subjects, taskDays, studies: counted as typeof studies };
  const report = new QualityReport(source, await studies.require(studyId), TEST_NOW);
  const subject = await subjects.require(subjectId, studyId);
  for (let n = 0; n < 3; n++) expect(await report.of([subject])).toMatchObject([{ subject: { id: subjectId } }]);
  expect(reads).toBe(1);
  await close();
});
