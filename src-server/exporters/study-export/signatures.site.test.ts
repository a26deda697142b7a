/** The signatures of a study in each format of its exports, with names and de-identified. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedTarget } from '../../study/signatures.ts';
import { temporaryFolder } from '../../testing/signal-fixtures.ts';
import { storeTestAnalytics } from '../../testing/test-analytics.ts';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';
import { testDeidentifier, unpackStudyExport } from '../../testing/test-study-export.ts';
import { STUDY_EXPORT_WRITERS } from './writers.ts';

const DATE = '2026-01-14';
const COMMENT = 'Seen with Dr. Sato';
type Table = readonly [format: keyof typeof STUDY_EXPORT_WRITERS, file: string, separator: string];

const FORMATS: readonly Table[] = [
  ['ARCHIVE', 'signatures.csv', ','],
  ['PARQUET', 'signatures.csv', ','],
  ['BIDS', 'signatures.tsv', '\t'],
];

let api: TestApi;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  folder = temporaryFolder();
  api = await startTestApi({ withRecording: true });
  const { studyId, recordingId, store } = api;
  const [subjectId = ''] = api.subjectIds;
  const user = (await store.users.get(api.admin.userId))!;
  const change = { actor: { type: 'USER', id: user.id } } as const;
  const sign = async (target: SignedTarget) => {
    const { sha256: contentSha256 } = await store.signatures.contentOf(target);
    await store.signatures.sign({ ...target, meaning: 'APPROVED', comment: COMMENT, contentSha256 }, user, change);
    api.clock.advance(1000);
  };
  await storeTestAnalytics(store, { studyId, subjectId }, 'US/Eastern', [DATE], []);
  await sign({ studyId, kind: 'study-definition', targetId: studyId });
  await sign({ studyId, kind: 'subject-day', targetId: subjectId, date: DATE });
  await sign({ studyId, kind: 'recording', targetId: recordingId });
  await store.studies.update(studyId, { title: 'Changed since' }, change);
});
afterAll(async () => {
  await api.close();
  folder.remove();
});

async function tableOf([format, file, separator]: Table, options: object = {}) {
  const dir = join(folder.path, `${format}${Object.keys(options).length}`);
  const source = { store: api.store, signalsDir: api.deps.signalsDir };
  const all = { studyId: api.studyId, ...options };
  const { members } = await unpackStudyExport(STUDY_EXPORT_WRITERS[format], source, dir, all);
  const text = String(members.get(file));
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(separator));
  const names = header.map((name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  return { text, rows: rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i]]))) };
}

describe.each(FORMATS)('signatures in %s', (...format) => {
  it('show name, role, time with zone and meaning, what was signed, and whether it holds', async () => {
    const { rows } = await tableOf(format);
    const signatures = await api.store.signatures.shown(api.studyId);
    expect(signatures.map(({ kind, state }) => [kind, state])).toEqual([
      ['recording', 'current'],
      ['subject-day', 'current'],
      ['study-definition', 'changed'],
    ]);
    expect(rows).toMatchObject(
      signatures.map(({ kind, targetId, state, signedTs, contentSha256 }) => ({
        signedAt: new Date(signedTs).toISOString(),
        signerName: 'Test ADMIN',
        signerRole: 'ADMIN',
        meaning: 'APPROVED',
        record: kind,
        recordId: targetId,
        state,
        contentSha256,
        comment: COMMENT,
      })),
    );
    expect(rows[1]).toMatchObject({ date: DATE, subjectId: api.subjectIds[0] });
  });

  it('of subjects that are not exported are left out', async () => {
    const { rows } = await tableOf(format, { subjectIds: [], sinceTs: null });
    expect(rows.map(({ record }) => record)).toEqual(['study-definition']);
  });

  it('keep codes, meaning and state in a de-identified export, and no name, hash, comment or true time', async () => {
    const { rows, text } = await tableOf(format, { deidentify: testDeidentifier });
    expect(rows).toMatchObject([
      { meaning: 'APPROVED', record: 'recording', recordId: testDeidentifier.code('recording', api.recordingId) },
      { record: 'subject-day', subjectId: testDeidentifier.code('subject', api.subjectIds[0]!), state: 'current' },
      { record: 'study-definition', recordId: testDeidentifier.code('study', api.studyId), state: 'changed' },
    ]);
    // At least 20 years before.
    expect(Number(rows[1]!.date!.slice(0, 4))).toBeLessThan(2007);
    expect(rows[0]!.signedTs).toMatch(/^-?\d+$/);
    for (const { signedTs, contentSha256, userId } of await api.store.signatures.list(api.studyId))
      for (const hidden of [String(signedTs), contentSha256, userId]) expect(text).not.toContain(hidden);
    for (const hidden of ['Test ADMIN', COMMENT, api.studyId, api.recordingId, DATE])
      expect(text).not.toContain(hidden);
  });
});
