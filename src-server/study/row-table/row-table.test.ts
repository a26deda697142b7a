import { describe, expect, it } from 'vitest';
import { EQUIPMENT_TABLE_HEADER, subjectTableHeader } from '../../vocabulary/row-tables.ts';
import type { MetadataField } from '../definition.ts';
import { judgeEquipment, readEquipmentTable } from './equipment.ts';
import { requireWholeTable } from './outcome.ts';
import { judgeSubjects, readSubjectTable } from './subjects.ts';
import { MAX_ROWS } from './table.ts';

const FIELDS = [
  { displayName: 'Group', type: 'MULTIPLECHOICE', values: ['A', 'B'] },
  { displayName: 'Smoker', type: 'BOOLEAN', values: [] },
  { displayName: 'BMI', type: 'NUMBER', values: [] },
] as unknown as MetadataField[];
const judge = (csv: string, taken: string[] = []) =>
  judgeSubjects(readSubjectTable(csv, FIELDS), FIELDS, 'Asia/Tokyo', (key) => taken.includes(key));

describe('group and stratum in a table of subjects', () => {
  const plan = { groups: [{ id: 'g', displayName: 'Control' }], strata: [{ id: 's', displayName: 'Over 60' }] };
  const judgeBy = (csv: string, fields: MetadataField[] = []) =>
    judgeSubjects(readSubjectTable(csv, fields), fields, 'UTC', () => false, plan);

  it('are those of the plan of the study, in any letter case', () => {
    const [row, unknown] = judgeBy('name,Arm,Stratum\nP-01,control,Over 60\nP-02,placebo,');
    expect(row!.input).toMatchObject({ groupId: 'g', stratumId: 's' });
    expect(unknown).toMatchObject({ outcome: 'REFUSED', errors: [{ path: 'group' }] });
  });

  it('leave a column to a field of the study that has its name', () => {
    const [row] = judgeBy('name,group\nP-01,A', FIELDS);
    expect(row!.input).toMatchObject({ metadataFields: [{ displayName: 'Group', value: 'A' }] });
    expect(row!.input).not.toHaveProperty('groupId');
  });
});

describe('a table of subjects', () => {
  it('is read as a spreadsheet of any of its users writes it', () => {
    const csv = [
      '﻿Name;Sex;Height (cm);Weight;Dominant hand;Age;Group;smoker;BMI;Remark',
      'P-01;f;172,5;61,4 kg;left;34;A;yes;20,6;called twice',
      'P-02;男性;1.8 m;;右;;B;いいえ;;"with a ""quote"";',
      'and a second line"',
      '',
      'P-03;;;;;;;;;',
    ].join('\r\n');
    const rows = judge(csv);
    expect(rows.map(({ outcome, errors }) => [outcome, errors])).toEqual([
      ['NEW', []],
      ['NEW', []],
      ['NEW', []],
    ]);
    expect(rows[0]?.input).toEqual({
      ...{ displayName: 'P-01', timezone: 'Asia/Tokyo', age: 34, gender: 'FEMALE', height: 1.725, weight: 61.4 },
      dominantHand: 'LEFT',
      metadataFields: [
        { displayName: 'Group', value: 'A' },
        { displayName: 'Smoker', value: 'YES' },
        { displayName: 'BMI', value: '20.6' },
      ],
    });
    expect(rows[1]?.input).toMatchObject({ gender: 'MALE', height: 1.8, dominantHand: 'RIGHT' });
    expect(readSubjectTable(csv, FIELDS).columns.at(-1)).toEqual({ header: 'Remark' });
  });

  it.each([
    ['名前\t年齢\t身長\nA\t40\t1.7', { displayName: 'A', age: 40, height: 1.7 }],
    ['subject_id,time zone,test\nB,US/Eastern,yes', { displayName: 'B', timezone: 'US/Eastern', isTest: true }],
  ])('knows columns by other names: %j', (csv, expected) => {
    expect(judge(csv)[0]?.input).toMatchObject(expected);
  });

  it.each([
    ['name,age\nP,12.5', 'age', 'whole number'],
    ['name,age\nP,old', 'age', 'is not a number'],
    ['name,time zone\nP,Mars/Crater', 'timezone', 'IANA name'],
    ['name,sex\nP,x', 'gender', 'MALE or FEMALE'],
    ['name,height\nP,17', 'height', 'meters'],
    ['name,test\nP,maybe', 'isTest', 'yes or no'],
    ['name,group\nP,C', 'metadataFields.0.value', 'one of A, B'],
    ['name,age\n,30', 'displayName', 'needs a name'],
    [`name\n${'x'.repeat(201)}`, 'displayName', 'longer than 200'],
    ['name,age\nP-01\u202e20-P,30', 'displayName', 'direction of text'],
    ['name,height,weight\nP,1,75,70', 'csv', 'more cells than the header'],
    ['name,sex\nP,constructor', 'gender', 'MALE or FEMALE'],
  ])('refuses a row with its reason: %j', (csv, path, reason) => {
    expect(judge(csv)).toMatchObject([
      { outcome: 'REFUSED', line: 2, errors: [{ path, message: expect.stringContaining(reason) }] },
    ]);
  });

  it('names both lines of a name that stands twice, and leaves existing subjects as they are', () => {
    const rows = judge('name\nP-1\nP-2\nP-1\n', ['P-2']);
    expect(rows.map(({ line, outcome }) => [line, outcome])).toEqual([
      [2, 'NEW'],
      [3, 'EXISTS'],
      [4, 'REFUSED'],
    ]);
    expect(rows[2]?.errors[0]?.message).toBe('Line 2 has the same name.');
    expect(() => requireWholeTable(rows)).toThrow('Line 4 of the table cannot be taken. Nothing was changed.');
    expect(() => requireWholeTable(rows.slice(0, 2))).not.toThrow();
  });

  it.each([
    ['', 'empty'],
    ['name', 'header line only'],
    ['age\n30', 'No column is called “name”'],
    ['name,subject\nA,B', 'Two columns mean the same: subject'],
    ['name\n"A', 'not readable as CSV'],
    [`name\n${'A\n'.repeat(MAX_ROWS + 1)}`, `at most ${MAX_ROWS}`],
  ])('is refused as a whole: %#', (csv, reason) => {
    expect(() => readSubjectTable(csv, [])).toThrow(reason);
  });

  it('has a template that it reads itself', () => {
    const header = subjectTableHeader(FIELDS);
    const { columns } = readSubjectTable(`${header.join(',')}\nA,,,,,,,,,`, FIELDS);
    expect(columns.filter(({ member }) => member === undefined)).toEqual([]);
    const { columns: ofEquipment } = readEquipmentTable(`${EQUIPMENT_TABLE_HEADER.join(',')}\nS-1`);
    expect(ofEquipment.map(({ member }) => member)).toEqual(['id', 'type', 'displayName', 'udid']);
  });
});

it('knows fields of a study by their exact names', () => {
  const fields = ['Name', 'Age', 'Dose (mg)', 'Dose mg'].map((displayName) => ({
    displayName,
    type: 'FREETEXT',
    values: [],
  }));
  const header = subjectTableHeader(fields);
  const csv = `${header.map((cell) => `"${cell}"`).join(',')}\nP-1,,34,,,,,a,b,c,d\n`;
  const own = fields as unknown as MetadataField[];
  const [row] = judgeSubjects(readSubjectTable(csv, own), own, 'UTC', () => false);
  expect(row?.errors).toEqual([]);
  expect(row?.input).toMatchObject({ displayName: 'P-1', age: 34 });
  expect(row?.input?.metadataFields?.map(({ displayName, value }) => [displayName, value])).toEqual([
    ['Name', 'a'],
    ['Age', 'b'],
    ['Dose (mg)', 'c'],
    ['Dose mg', 'd'],
  ]);
});

describe('a table of equipment', () => {
  const judgeTable = (csv: string) =>
    judgeEquipment(readEquipmentTable(csv), ({ id, udid }) =>
      id === 'S-0' ? 'same' : udid === 'AA' ? 'address' : id === 'S-X' ? 'hidden' : undefined,
    );

  it('takes sensors, hubs and phones', () => {
    const rows = judgeTable('Serial number,Type,Name,MAC address\nS-1,,Chest,A0:01\nH-1,hub,,\nS-0,sensor,,');
    expect(rows.map(({ outcome, input }) => [outcome, input])).toEqual([
      ['NEW', { id: 'S-1', type: 'SENSOR', displayName: 'Chest', udid: 'A0:01' }],
      ['NEW', { id: 'H-1', type: 'LINK_HUB' }],
      ['EXISTS', undefined],
    ]);
  });

  it.each([
    ['serial,type\nS-1,watch', 'Write sensor, hub or phone'],
    ['serial,type,address\nH-1,hub,A0', 'Only sensors'],
    ['serial,name\n,Chest', 'is missing'],
    ['serial\nS-1\ns-1', 'Line 2 has the same serial number'],
    ['serial,address\nS-1,a0\nS-2,A0', 'Line 2 has the same address'],
    ['serial,address\nS-2,AA', 'Other equipment has this address'],
    ['serial\nS-X', 'registered already, in a study that you are not a member of'],
    ['serial,address\nS-1,AA:BB-01\nS-2,aabb01', 'Line 2 has the same address'],
    ['serial,type\nS-1,constructor', 'Write sensor, hub or phone'],
    ['serial,name\nS-1,Chest, left', 'more cells than the header'],
  ])('refuses a row with its reason: %j', (csv, reason) => {
    expect(judgeTable(csv).at(-1)).toMatchObject({
      outcome: 'REFUSED',
      errors: [{ message: expect.stringContaining(reason) }],
    });
  });
});
