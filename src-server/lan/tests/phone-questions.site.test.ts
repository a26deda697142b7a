/** Questions of every type, with options and conditions, from the definition over a phone to the exports. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Routes } from '../../api/contract/index.ts';
import type { BodyInputOf, ResponseOf } from '../../api/contract/route.ts';
import { MINUTE_MS } from '../../durations.ts';
import { startTestPhoneSite, type TestPhone, type TestPhoneSite } from '../../testing/test-phone-site.ts';
import { allJobsEnd } from '../../testing/test-site.ts';
import { csvRecords, zipContents } from '../../testing/zip-contents.ts';

let site: TestPhoneSite;
let phone: TestPhone;
let diary: ResponseOf<Routes['listPhoneTasks']>['items'][number];
let document: ResponseOf<Routes['getDefinition']>;

/** As the desk sends them: the ids only link the conditions. */
const QUESTIONS = [
  { id: 'fell', text: 'Did you fall?', type: 'BOOLEAN', values: [], isRequired: true },
  { id: 'when', text: 'On which day?', type: 'DATE', showIf: { questionId: 'fell', values: ['YES'] } },
  { id: 'side', text: 'On which side?', type: 'MULTIPLECHOICE', values: ['Left', 'Right'], isMultiple: false },
  { id: 'pain', text: 'Where does it hurt?', type: 'MULTIPLECHOICE', values: ['Hip', 'Knee', 'Head'] },
  { id: 'knee', text: 'Which knee?', type: 'FREETEXT', showIf: { questionId: 'pain', values: ['Knee', 'Hip'] } },
  { id: 'weight', text: 'Your weight?', type: 'NUMERIC', unit: ' kg ' },
  { id: 'born', text: 'When were you born?', type: 'DATE' },
];
const questionOf = (text: string) => diary.questions.find((question) => question.text === text)!;
const dateBefore = (ms: number, days: number) => new Date(ms - days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  site = await startTestPhoneSite();
  const params = { studyId: site.lan.place.studyId };
  const before = await site.client.call('getDefinition', { params });
  const evening = { id: 'evening', displayName: 'Evening', questions: QUESTIONS };
  await site.client.call('importDefinition', { params, body: { ...before, diaries: [evening] } });
  document = await site.client.call('getDefinition', { params });
  phone = await site.signIn();
  const { items } = (await phone.get('/phone/tasks')) as ResponseOf<Routes['listPhoneTasks']>;
  diary = items.find(({ type }) => type === 'diary')!;
});
afterAll(async () => {
  await site.close();
});

const report = (answers: object[]) => ({
  ...phone.report({ startTs: site.now() - 30 * MINUTE_MS, answers }),
  taskId: diary.id,
});

it('reach the phone with their options, and with conditions on the ids of the study', () => {
  const idOf = (text: string) => questionOf(text).id;
  expect(diary.questions.map(({ id: _id, ...question }) => question)).toEqual([
    { text: 'Did you fall?', type: 'BOOLEAN', values: ['YES', 'NO'], isRequired: true },
    { text: 'On which day?', type: 'DATE', values: [], showIf: { questionId: idOf('Did you fall?'), values: ['YES'] } },
    { text: 'On which side?', type: 'MULTIPLECHOICE', values: ['Left', 'Right'] },
    { text: 'Where does it hurt?', type: 'MULTIPLECHOICE', values: ['Hip', 'Knee', 'Head'], isMultiple: true },
    {
      text: 'Which knee?',
      type: 'FREETEXT',
      values: [],
      showIf: { questionId: idOf('Where does it hurt?'), values: ['Knee', 'Hip'] },
    },
    { text: 'Your weight?', type: 'NUMERIC', values: [], unit: 'kg' },
    { text: 'When were you born?', type: 'DATE', values: [] },
  ]);
  expect(diary.questions.map(({ id }) => id)).toEqual(document.diaries[0]?.questions.map(({ id }) => id));
});

it('survive export and import of the definition, also into another study', async () => {
  const params = { studyId: site.lan.place.studyId };
  await site.client.call('importDefinition', { params, body: document });
  expect(await site.client.call('getDefinition', { params })).toEqual(document);
  const studyId = await newStudy('Other');
  await site.client.call('importDefinition', { params: { studyId }, body: document });
  const [copy] = (await site.client.call('getStudy', { params: { studyId } })).diaries;
  expect(copy?.questions[1]?.showIf?.questionId).toBe(copy?.questions[0]?.id);
  expect(copy?.questions[1]?.showIf?.questionId).not.toBe(diary.questions[0]?.id);
});

it.each([
  ['a later question', 1, { showIf: { questionId: 'pain', values: ['Hip'] } }],
  ['a question that is not there', 1, { showIf: { questionId: 'gone', values: ['YES'] } }],
  ['a question without choices', 6, { showIf: { questionId: 'weight', values: ['70'] } }],
  ['an answer that cannot be given', 4, { showIf: { questionId: 'pain', values: ['Elbow'] } }],
])('are refused with a condition on %s', async (_name, at, change) => {
  const studyId = await newStudy('Wrong');
  const questions = QUESTIONS.with(at, { ...QUESTIONS[at]!, ...change } as (typeof QUESTIONS)[number]);
  const diaries = [{ id: 'evening', displayName: 'Evening', questions }];
  const { program: _program, ...rest } = document;
  const imported = site.client.call('importDefinition', { params: { studyId }, body: { ...rest, diaries } });
  await expect(imported).rejects.toMatchObject({ status: 400, errors: [{ path: `diaries.0.questions.${at}.showIf` }] });
});

it.each([
  ['the unit of a number', 5, { unit: 'lb' }],
  ['several choices to one', 3, { isMultiple: false }],
])('of a running study cannot change %s', async (_name, at, change) => {
  const [evening] = document.diaries;
  const questions = evening!.questions.with(at, { ...evening!.questions[at]!, ...change });
  const body = { ...document, diaries: [{ ...evening!, questions }] };
  const params = { studyId: site.lan.place.studyId };
  await expect(site.client.call('importDefinition', { params, body })).rejects.toMatchObject({ code: 'STUDY_STATE' });
});

it('take several answers where several are allowed, and one where not', async () => {
  const side = questionOf('On which side?').id;
  const two = report(['Left', 'Right'].map((value) => ({ questionId: side, value })));
  expect((await phone.sync({ reports: [two] })).reports).toMatchObject([
    { state: 'REFUSED', code: 'INVALID_INPUT', permanent: true },
  ]);
});

it('keep the text that an app of an earlier version asked for a date, as a text', async () => {
  const texts = ['last Monday', '3/2026', ''];
  const reports = texts.map((value) => report([{ questionId: questionOf('On which day?').id, value }]));
  expect((await phone.sync({ reports })).reports).toMatchObject(texts.map(() => ({ state: 'STORED' })));
  expect(await Promise.all(reports.map(({ id }) => answersOf(id)))).toMatchObject(
    texts.map((answer) => [{ answer, type: 'FREETEXT' }]),
  );
});

it('keep a date as a date', async () => {
  const leap = report([{ questionId: questionOf('On which day?').id, value: '1932-02-29' }]);
  expect((await phone.sync({ reports: [leap] })).reports).toMatchObject([{ state: 'STORED' }]);
  expect(await answersOf(leap.id)).toMatchObject([{ answer: '1932-02-29', type: 'DATE' }]);
});

it.each(['2026-02-31', '2026-13-01', '2025-02-29'])('refuse %s, which is no day of the calendar', async (value) => {
  const wrong = report([{ questionId: questionOf('On which day?').id, value }]);
  expect((await phone.sync({ reports: [wrong] })).reports).toMatchObject([
    {
      state: 'REFUSED',
      code: 'INVALID_INPUT',
      message: 'Evening: The answer must be a date such as 2026-03-31.',
      permanent: true,
    },
  ]);
});

const skip = (text: string) => ({ questionId: questionOf(text).id, skipped: true });
const skippedIn = async (id: string) => (await site.store.annotations.get(id))?.skipped?.map(({ text }) => text);

it('are not skipped where they were not asked', async () => {
  const no = { questionId: questionOf('Did you fall?').id, value: 'NO' };
  const unasked = report([no, skip('On which day?'), skip('On which side?'), skip('Which knee?')]);
  expect((await phone.sync({ reports: [unasked] })).reports).toMatchObject([{ state: 'STORED' }]);
  expect(await skippedIn(unasked.id)).toEqual(['On which side?']);
  expect(await answersOf(unasked.id)).toMatchObject([{ question: 'Did you fall?', answer: 'NO' }]);
});

it('are skipped where they were asked', async () => {
  const hip = { questionId: questionOf('Where does it hurt?').id, value: 'Hip' };
  const asked = report([skip('Did you fall?'), skip('On which day?'), hip, skip('Which knee?')]);
  expect((await phone.sync({ reports: [asked] })).reports).toMatchObject([{ state: 'STORED' }]);
  expect(await skippedIn(asked.id)).toEqual(['Did you fall?', 'Which knee?']);
});

it('keep an answer to a question that was not asked', async () => {
  const no = { questionId: questionOf('Did you fall?').id, value: 'NO' };
  const unasked = report([no, { questionId: questionOf('Which knee?').id, value: 'The left one' }]);
  expect((await phone.sync({ reports: [unasked] })).reports).toMatchObject([{ state: 'STORED' }]);
  expect(await answersOf(unasked.id)).toMatchObject([{ answer: 'NO' }, { answer: 'The left one', type: 'FREETEXT' }]);
});

it('are known in a repeated report whose skipped marks were not stored', async () => {
  const no = { questionId: questionOf('Did you fall?').id, value: 'NO' };
  const unasked = report([no, skip('On which day?'), skip('On which side?')]);
  const answers = [no, skip('On which day?'), skip('On which side?'), skip('Your weight?')];
  const { reports } = await phone.sync({ reports: [unasked, unasked, { ...unasked, answers }] });
  expect(reports).toMatchObject([{ state: 'STORED' }, { state: 'KNOWN' }, { state: 'REFUSED', code: 'CONFLICT' }]);
});

it('are answered, skipped or not asked, and leave with units, shifted dates and conditions', async () => {
  const fallDate = dateBefore(site.now(), 3);
  const one = report([
    { questionId: questionOf('Did you fall?').id, value: 'YES' },
    { questionId: questionOf('On which day?').id, value: fallDate },
    { questionId: questionOf('On which side?').id, skipped: true },
    { questionId: questionOf('Where does it hurt?').id, value: 'Hip' },
    { questionId: questionOf('Where does it hurt?').id, value: 'Head' },
    { questionId: questionOf('Your weight?').id, value: '71.5' },
    { questionId: questionOf('When were you born?').id, value: '1931-05-02' },
  ]);
  expect((await phone.sync({ reports: [one] })).reports).toMatchObject([{ state: 'STORED' }]);
  const { items } = await site.client.call('listAnswers', { params: { ...phone.place, annotationId: one.id } });
  expect(items.find(({ question }) => question === 'Your weight?')).toMatchObject({ answer: '71.5', unit: 'kg' });
  const annotations = (await site.client.call('listAnnotations', { params: phone.place, query: {} })).items;
  expect(annotations.find(({ value }) => value === '71.5')).toMatchObject({ unit: 'kg' });
  expect(annotations.find(({ value }) => value === fallDate)).not.toHaveProperty('unit');

  const plain = await archive({});
  const weight = csvRecords(plain.get('annotations.csv')!).find(({ value }) => value === '71.5');
  expect(weight).toMatchObject({ unit: 'kg' });
  const questions = csvRecords(plain.get('questions.csv')!).filter(({ taskId }) => taskId === diary.id);
  expect(questions.map(({ unit, isMultiple, isRequired }) => [unit, isMultiple, isRequired])).toEqual([
    ['', '', 'true'],
    ['', '', 'false'],
    ['', 'false', 'false'],
    ['', 'true', 'false'],
    ['', '', 'false'],
    ['kg', '', 'false'],
    ['', '', 'false'],
  ]);
  expect(questions[4]).toMatchObject({
    showIfQuestionId: questionOf('Where does it hurt?').id,
    showIfValues: '["Knee","Hip"]',
  });

  const coded = await archive({ deidentified: true });
  const codedQuestions = csvRecords(coded.get('questions.csv')!).slice(-QUESTIONS.length);
  expect(codedQuestions[4]).toMatchObject({
    showIfQuestionId: codedQuestions[3]?.id,
    showIfValues: '["choice 2","choice 1"]',
  });
  const dates = csvRecords(coded.get('annotations.csv')!).filter(
    ({ questionId }) => questionId === codedQuestions[1]?.id,
  );
  const shifted = dates.map(({ value }) => value).filter(Boolean);
  expect(shifted).toHaveLength(1);
  expect(shifted[0]).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(shifted[0]).not.toBe(fallDate);
  // A birthday, even shifted, would tell the age.
  const births = csvRecords(coded.get('annotations.csv')!).filter(
    ({ questionId }) => questionId === codedQuestions[6]?.id,
  );
  expect(births.map(({ value }) => value)).toEqual(['']);
});

async function answersOf(annotationId: string) {
  return (await site.client.call('listAnswers', { params: { ...phone.place, annotationId } })).items;
}

async function newStudy(displayName: string): Promise<string> {
  const params = { accountId: site.place.accountId };
  return (await site.client.call('createStudy', { params, body: { displayName } })).id;
}

async function archive(options: Partial<BodyInputOf<Routes['requestStudyExport']>>): Promise<Map<string, string>> {
  const params = { studyId: phone.place.studyId };
  const body = { format: 'ARCHIVE' as const, ...options };
  const { id } = await site.client.call('requestStudyExport', { params, body });
  await allJobsEnd(site.client);
  const { href } = await site.client.call('getStudyExportFile', { params: { ...params, exportId: id } });
  const members = await zipContents(Buffer.from(await (await fetch(href)).arrayBuffer()));
  return new Map([...members].map(([name, bytes]) => [name.split('/').at(-1) ?? name, String(bytes)]));
}
