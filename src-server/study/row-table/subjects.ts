/** Subjects as rows of a table: what its columns may be called, and what becomes of each row. Pure. */
import type { FieldError } from '../../errors.ts';
import { EMPTY_PLAN, type PlanChoice, type StudyPlan } from '../../vocabulary/participation.ts';
import { isShownAsWritten, NAME_WITH_UNSEEN } from '../../vocabulary/shown-text.ts';
import { typedHeight, typedNumber, typedWeight } from '../../vocabulary/typed-measures.ts';
import type { MetadataField } from '../definition.ts';
import { type MetadataValue, subjectFieldErrors } from '../subject-fields.ts';
import { foldText, nameKeyOf } from '../text.ts';
import type { JudgedRow } from './outcome.ts';
import { headerKey, type Row, readTable, type Table, TOO_WIDE } from './table.ts';

/** A subject as a row describes it. */
export interface SubjectRow {
  displayName: string;
  timezone: string;
  age?: number;
  gender?: 'MALE' | 'FEMALE';
  /** Meters. */
  height?: number;
  /** Kilograms. */
  weight?: number;
  dominantHand?: 'LEFT' | 'RIGHT';
  metadataFields?: MetadataValue[];
  isTest?: boolean;
  /** Ids in the plan of the study. */
  groupId?: string;
  stratumId?: string;
}

const MEMBERS = [
  'displayName',
  'timezone',
  'age',
  'gender',
  'height',
  'heightCm',
  'weight',
  'dominantHand',
  'isTest',
  'group',
  'stratum',
] as const;
type Member = (typeof MEMBERS)[number] | `field:${string}`;

/** What columns are called, in the spelling of {@link headerKey}; the first of each is that of the template. */
const HEADERS: Readonly<Record<(typeof MEMBERS)[number], readonly string[]>> = {
  displayName: [
    'name',
    'displayname',
    'subject',
    'subjectid',
    'subjectname',
    'participant',
    'participantid',
    'code',
    'id',
    '名前',
    '被験者',
    '被験者名',
    '被験者id',
    '識別名',
  ],
  timezone: ['timezone', 'zone', 'tz', 'タイムゾーン', '時間帯'],
  age: ['age', 'ageyears', '年齢'],
  gender: ['gender', 'sex', '性別'],
  height: ['height', '身長'],
  heightCm: ['heightcm', '身長cm'],
  weight: ['weight', 'weightkg', '体重', '体重kg'],
  dominantHand: ['dominanthand', 'hand', 'handedness', '利き手'],
  isTest: ['test', 'istest', 'testsubject', 'テスト'],
  group: ['group', 'arm', '群', 'グループ'],
  stratum: ['stratum', '層'],
};

const MAX_NAME = 200;

const WORDS = {
  gender: {
    m: 'MALE',
    male: 'MALE',
    man: 'MALE',
    男: 'MALE',
    男性: 'MALE',
    f: 'FEMALE',
    female: 'FEMALE',
    woman: 'FEMALE',
    w: 'FEMALE',
    女: 'FEMALE',
    女性: 'FEMALE',
  },
  dominantHand: {
    l: 'LEFT',
    left: 'LEFT',
    左: 'LEFT',
    左手: 'LEFT',
    r: 'RIGHT',
    right: 'RIGHT',
    右: 'RIGHT',
    右手: 'RIGHT',
  },
  isTest: {
    yes: 'YES',
    y: 'YES',
    true: 'YES',
    '1': 'YES',
    はい: 'YES',
    no: 'NO',
    n: 'NO',
    false: 'NO',
    '0': 'NO',
    いいえ: 'NO',
  },
  yesNo: { yes: 'YES', y: 'YES', true: 'YES', はい: 'YES', no: 'NO', n: 'NO', false: 'NO', いいえ: 'NO' },
};

/** A word of a cell as the site spells it; the cell itself where it is none. */
const wordOf = (kind: keyof typeof WORDS, cell: string): string =>
  new Map(Object.entries<string>(WORDS[kind])).get(cell.normalize('NFKC').trim().toLowerCase()) ?? cell;

/** Reads a table of subjects. @throws INVALID_INPUT as {@link readTable} */
export function readSubjectTable(text: string, fields: readonly MetadataField[]): Table<Member> {
  const known = new Map<string, Member>();
  const own = new Set(fields.map(({ displayName }) => headerKey(displayName)));
  // Many studies have a field of their own called “Group”; its column is meant.
  const yields = (member: (typeof MEMBERS)[number], header: string) =>
    (member === 'group' || member === 'stratum') && own.has(header);
  for (const member of MEMBERS)
    for (const header of HEADERS[member]) if (!yields(member, header)) known.set(header, member);
  // A field of the study is known by its exact name first: one called "Age" stands beside the age of the person.
  const exact = new Map<string, Member>();
  for (const { displayName } of fields) {
    const member: Member = `field:${displayName}`;
    exact.set(displayName, member);
    if (!known.has(headerKey(displayName))) known.set(headerKey(displayName), member);
  }
  return readTable(text, known, { member: 'displayName', header: 'name' }, exact);
}

function metadataOf({ cells }: Row<Member>, fields: readonly MetadataField[]): MetadataValue[] {
  return fields.flatMap(({ displayName, type }) => {
    const cell = cells[`field:${displayName}`];
    if (cell === undefined) return [];
    const value =
      type === 'NUMBER' ? cell.normalize('NFKC').replace(',', '.') : type === 'BOOLEAN' ? wordOf('yesNo', cell) : cell;
    return [{ displayName, value }];
  });
}

/** Members that a row gives, with errors for those that are no number or word of theirs. */
function inputOf(
  row: Row<Member>,
  fields: readonly MetadataField[],
  { groups, strata }: Pick<StudyPlan, 'groups' | 'strata'>,
  zone: string,
): { input: SubjectRow; errors: FieldError[] } {
  const { cells } = row;
  const errors: FieldError[] = [];
  const measure = (
    path: 'age' | 'height' | 'weight',
    cell: string | undefined,
    read: (text: string) => number | undefined,
  ) => {
    const value = cell === undefined ? undefined : read(cell);
    if (!Number.isNaN(value ?? 0)) return value;
    errors.push({ path, message: `“${cell}” is not a number.` });
    return undefined;
  };
  const gender = cells.gender === undefined ? undefined : wordOf('gender', cells.gender);
  const hand = cells.dominantHand === undefined ? undefined : wordOf('dominantHand', cells.dominantHand);
  const test = cells.isTest === undefined ? 'NO' : wordOf('isTest', cells.isTest);
  if (test !== 'YES' && test !== 'NO') errors.push({ path: 'isTest', message: 'Write yes or no.' });
  const chosen = (path: 'group' | 'stratum', choices: readonly PlanChoice[]): string | undefined => {
    const cell = cells[path];
    if (cell === undefined) return undefined;
    const found = choices.find(({ displayName }) => foldText(displayName) === foldText(cell));
    if (!found) errors.push({ path, message: `The plan of the study has no ${path} called “${cell}”.` });
    return found?.id;
  };
  const groupId = chosen('group', groups);
  const stratumId = chosen('stratum', strata);
  const metadataFields = metadataOf(row, fields);
  const height =
    measure('height', cells.height, typedHeight) ??
    measure('height', cells.heightCm, (text) => typedHeight(/m$/i.test(text) ? text : `${text} cm`));
  const input = {
    displayName: cells.displayName ?? '',
    timezone: cells.timezone ?? zone,
    age: measure('age', cells.age, typedNumber),
    gender: gender as SubjectRow['gender'],
    height,
    weight: measure('weight', cells.weight, typedWeight),
    dominantHand: hand as SubjectRow['dominantHand'],
    ...(metadataFields.length > 0 && { metadataFields }),
    ...(test === 'YES' && { isTest: true }),
    ...(groupId !== undefined && { groupId }),
    ...(stratumId !== undefined && { stratumId }),
  };
  return { input, errors };
}

/**
 * Judges every row of a table of subjects.
 * @param zone time zone of rows without one
 * @param isTaken whether the study has a subject of this name already
 * @param plan whose groups and strata rows may name
 */
export function judgeSubjects(
  { rows }: Table<Member>,
  fields: readonly MetadataField[],
  zone: string,
  isTaken: (nameKey: string) => boolean,
  plan: Pick<StudyPlan, 'groups' | 'strata'> = EMPTY_PLAN,
): JudgedRow<SubjectRow>[] {
  const lines = new Map<string, number>();
  return rows.map((row): JudgedRow<SubjectRow> => {
    const { line } = row;
    const { input, errors } = inputOf(row, fields, plan, zone);
    if (row.isTooWide) errors.push(TOO_WIDE);
    const key = nameKeyOf(input.displayName);
    const name = input.displayName;
    if (name.length > MAX_NAME)
      errors.push({ path: 'displayName', message: `The name is longer than ${MAX_NAME} characters.` });
    if (!isShownAsWritten(name)) errors.push({ path: 'displayName', message: `The name ${NAME_WITH_UNSEEN}.` });
    const earlier = key === '' ? undefined : lines.get(key);
    if (earlier !== undefined) errors.push({ path: 'displayName', message: `Line ${earlier} has the same name.` });
    else lines.set(key, line);
    errors.push(...subjectFieldErrors(input, fields));
    if (errors.length === 0 && isTaken(key)) return { line, name, outcome: 'EXISTS', errors };
    return errors.length === 0
      ? { line, name, outcome: 'NEW', input, errors }
      : { line, name, outcome: 'REFUSED', errors };
  });
}
