/** Audit entries in words: actions, records, fields and values. */
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { ROLES } from '../../../src-server/study/permissions.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { desk } from '../../shared/locales/en/desk.ts';
import { messagesAndEvents } from '../../shared/locales/en/messages-and-events.ts';

/** Fields that repeat what the page or the entry already shows. */
const UNSHOWN = new Set(['id', 'accountId', 'studyId', 'subjectId', 'modifiedTs']);

export const isShown = (field: string) => !UNSHOWN.has(field);

const { actions, records, fields, values } = messagesAndEvents.history;
type ActionKey = keyof typeof actions;
type RecordKey = keyof typeof records;
type FieldKey = keyof typeof fields;
type ValueKey = keyof typeof values;

/** Translates an action such as `equipment.first-use`; an unknown one keeps its code. */
export function actionText(action: string, t: Translate): string {
  const key = action.replace(/[.-]/g, '_');
  return key in actions ? t(`history.actions.${key as ActionKey}`) : action;
}

export const recordText = (type: string, t: Translate): string =>
  type in records ? t(`history.records.${type as RecordKey}`) : type;

/** Translates a field name; an unknown one is split into words. */
export const fieldText = (field: string, t: Translate): string =>
  field in fields
    ? t(`history.fields.${field as FieldKey}`)
    : field.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

/** Fields whose values are codes, not text that a person wrote. */
const CODED = new Set([
  ...['authorType', 'dataState', 'dominantHand', 'eventType', 'faultClass', 'faultFlag', 'fileState', 'format'],
  ...['kind', 'meaning', 'purpose', 'selfTest', 'side', 'state', 'type'],
]);
const SHA256 = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type JobKind = keyof typeof desk.jobs.kind;

const LIFECYCLE = ['INITIALIZED', 'IN_PROGRESS', 'COMPLETE'] as const;
const GENDERS = ['MALE', 'FEMALE'] as const;
const LONGEST = 160;

/** Formats a value: instants in the time zone, booleans, state names; lists and objects by their members. */
export function valueText(field: string, value: unknown, t: Translate, format: Format, timeZone?: string): string {
  if (value === undefined || value === null || value === '') return t('history.nothing');
  if (typeof value === 'boolean') return t(value ? 'history.yes' : 'history.no');
  if (typeof value === 'number') {
    if (field.endsWith('Ts')) return format.dateTime(value, timeZone);
    if (field.endsWith('Us')) return format.dateTime(value / 1000, timeZone);
    if (field.endsWith('Bytes')) return format.bytes(value);
    return Number.isInteger(value) ? format.number(value) : format.number(value, 2);
  }
  if (typeof value === 'string') {
    const state = LIFECYCLE.find((one) => one === value);
    if (field === 'lifecycleState' && state) return t(`studies.lifecycle.${state}`);
    const role = ROLES.find((one) => one === value);
    if ((field === 'role' || field === 'signerRole') && role) return t(`roles.${role}`);
    const gender = GENDERS.find((one) => one === value);
    if (field === 'gender' && gender) return t(`history.genders.${gender}`);
    // `LOCKED` is also what a pairing ends as.
    if (field === 'meaning' && value === 'LOCKED') return t('history.values.STUDY_LOCKED');
    if (CODED.has(field) && value in values) return t(`history.values.${value as ValueKey}`);
    if (field === 'kind' && value in desk.jobs.kind) return t(`jobs.kind.${value as JobKind}`);
    // The site records this word in place of a secret.
    if (field === 'value' && value === 'changed') return t('history.secret');
    if (SHA256.test(value)) return `${value.slice(0, 12)}…`;
    // Show the end of a UUIDv7: its beginning is a timestamp and tells two ids apart poorly.
    if (UUID.test(value)) return `…${value.slice(-12)}`;
    return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return t('history.nothing');
    const named = value.map((item) => nameOf(item) ?? valueText('', item, t, format, timeZone));
    const text = format.list(named);
    return text.length > LONGEST ? t('history.entries', { count: value.length }) : text;
  }
  const members = Object.entries(value)
    .filter(([name, member]) => isShown(name) && member !== null)
    .map(([name, member]) =>
      t('table.pair', { name: fieldText(name, t), value: valueText(name, member, t, format, timeZone) }),
    );
  const text = members.join(t('table.separator'));
  return text.length > LONGEST ? (nameOf(value) ?? t('history.entries', { count: members.length })) : text;
}

/** Names the record of an entry; undefined where only its kind is known. */
export function aboutText(
  { entity, entityType, subjectName }: AuditEntry,
  t: Translate,
  format: Format,
  timeZone?: string,
): string | undefined {
  const { displayName, code, startTs } = entity ?? {};
  const kind =
    code === undefined
      ? undefined
      : code in desk.jobs.kind
        ? t(`jobs.kind.${code as JobKind}`)
        : valueText('format', code, t, format, timeZone);
  const time = startTs === undefined ? undefined : format.moment(startTs, timeZone);
  const parts = [displayName ?? kind, time].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(', ');
  return entityType === 'analytics' ? subjectName : undefined;
}

/** Returns the name of a list member, such as a task of a study. */
function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const name: unknown = 'displayName' in value ? value.displayName : 'text' in value ? value.text : undefined;
  return typeof name === 'string' ? name : undefined;
}
