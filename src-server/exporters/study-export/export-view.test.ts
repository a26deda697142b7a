import { expect, it } from 'vitest';
import type { StudyDetailRecord, SubjectRecord } from '../../db/index.ts';
import { parseWfdbAnnotations } from '../../importers/wfdb/wfdb-annotations.ts';
import { fixedZone } from '../../study/day-windows.ts';
import { NO_WORDS } from '../../study/export-formats.ts';
import { Table } from '../study-archive/tables.ts';
import { Deidentifier } from './deidentifier.ts';
import { codeOf, Disclosing, type Disclosure, idOf, listOf, MEASURE, objectOf, TEXT, TIME_MS } from './disclosure.ts';
import { ExportView } from './export-view.ts';
import { CHANNEL_TYPES, SIGNAL_LABELS } from './known-codes.ts';
import { shiftedFrame } from './subject-frame.ts';

const deidentifier = new Deidentifier(new Uint8Array(32).fill(3));
const study = { activities: [], diaries: [], metadataFields: [] } as unknown as StudyDetailRecord;
const disclosing = new Disclosing(deidentifier, NO_WORDS, new Set(), SIGNAL_LABELS);
const subject = { id: 'subject', createdTs: Date.UTC(2026, 6, 1) } as SubjectRecord;
const frame = shiftedFrame(subject, fixedZone('US/Eastern'), deidentifier);
const UNDECLARED = undefined as unknown as Disclosure;

it('omits a column without a class from de-identified tables, both its name and its cells', () => {
  const columns = [
    ['steps', MEASURE, (row: { steps: number; note: string }) => row.steps],
    ['nurse', UNDECLARED, (row: { steps: number; note: string }) => row.note],
  ] as const;
  const row = { steps: 12, note: 'Ms Brenner' };
  const coded = new Table(columns, new ExportView(study, { deidentify: deidentifier, words: NO_WORDS }, {}));
  expect(coded.header + coded.row(row, frame)).toBe('steps\n12\n');
  const named = new Table(columns, new ExportView(study, { deidentify: null, words: NO_WORDS }, {}));
  expect(named.header + named.row(row, frame)).toBe('steps,nurse\n12,Ms Brenner\n');
});

it('drops a document field without a class', () => {
  const fields = objectOf({ rate: MEASURE, inner: objectOf({ mode: codeOf(new Set(['ACCEL'])) }) });
  const value = { rate: 5, nurse: 'Ms Brenner', inner: { mode: 'ACCEL', nurse: 'Ms Brenner' } };
  expect(disclosing.show(fields, value, frame)).toEqual({ rate: 5, inner: { mode: 'ACCEL' } });
});

it.each<[string, Disclosure, unknown, unknown]>([
  ['words in the place of a measure', MEASURE, 'about 5', undefined],
  ['an object in the place of a measure', MEASURE, { a: 1 }, undefined],
  ['text', TEXT, 'Ms Brenner', undefined],
  ['a number in the place of text', TEXT, 5, undefined],
  ['an unknown code', codeOf(new Set(['LEFT']), 'NONE'), 'left arm of Ms Brenner', 'NONE'],
  ['an unknown code without a neutral one', codeOf(new Set(['LEFT'])), 'left arm of Ms Brenner', undefined],
  [
    'unknown labels of channels',
    listOf(codeOf(CHANNEL_TYPES, (i) => `CH${i + 1}`)),
    ['ECG', 'BRENNER'],
    ['ECG', 'CH2'],
  ],
  ['a time that is text', TIME_MS, '2026-01-01', undefined],
  ['an age above 89', { kind: 'age' }, 103, 90],
  ['a date that is none', { kind: 'date' }, 'Easter', undefined],
  ['a zone', { kind: 'zone' }, 'Asia/Tokyo', '+00:00'],
])('shows %s only as its class allows', (_, disclosure, value, shown) => {
  expect(disclosing.show(disclosure, value, frame)).toEqual(shown);
});

it('drops a time without a subject', () => {
  expect(disclosing.show(TIME_MS, Date.UTC(2026, 0, 1), null)).toBeUndefined();
  expect(disclosing.show(idOf('study'), 'some id', null)).toMatch(/^Y-[2-9A-Z]{12}$/);
});

it('converts all times of a subject to one clock, with the UTC offset at enrolment', () => {
  const winter = Date.UTC(2026, 0, 10, 12);
  const summer = Date.UTC(2026, 5, 10, 12);
  const shown = [winter, summer].map((ts) => disclosing.show(TIME_MS, ts, frame) as number);
  expect(shown[1]! - shown[0]!).toBe(summer - winter);
  // Enrolled in July: four hours behind UTC, all year.
  expect(new Date(shown[0]!).getUTCHours()).toBe(8);
  expect(frame.clock).toEqual(fixedZone('-04:00'));
});

it('knows every name that the WFDB importer gives to a code, so that beats are not free text', () => {
  const codes = Array.from({ length: 41 }, (_, i) => i + 1).filter((code) => ![15, 17].includes(code));
  const bytes = Buffer.alloc(2 * (codes.length + 1));
  for (const [i, code] of codes.entries()) bytes.writeUInt16LE((code << 10) | 1, 2 * i);
  const names = parseWfdbAnnotations(bytes, 'all.atr').map(({ description }) => description);
  expect(names).toHaveLength(39);
  expect(names.filter((name) => !SIGNAL_LABELS.has(name))).toEqual([]);
});
