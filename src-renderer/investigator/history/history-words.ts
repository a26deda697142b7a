/** The entries of a history in words: actions, records, fields and values. Pure. */
import type { AuditEntry } from '../../../src-server/api/contract/index.ts';
import { ROLES } from '../../../src-server/study/permissions.ts';
import type { Format } from '../../shared/i18n/format.ts';
import type { Translate } from '../../shared/i18n/i18n.ts';
import { desk } from '../../shared/locales/en/desk.ts';
import { messagesAndEvents } from '../../shared/locales/en/messages-and-events.ts';

/** They repeat what the page or the entry says already. */
const UNSHOWN = new Set(['id', 'accountId', 'studyId', 'subjectId', 'modifiedTs']);

export const isShown = (field: string) => !UNSHOWN.has(field);

const { actions, records, fields, values } = messagesAndEvents.history;
type ActionKey = keyof typeof actions;
type RecordKey = keyof typeof records;
type FieldKey = keyof typeof fields;
type ValueKey = keyof typeof values;

/** `equipment.first-use` in words; an action without words keeps its own. */
export function actionText(action: string, t: Translate): string {
  const key = action.replace(/[.-]/g, '_');
  return key in actions ? t(`history.actions.${key as ActionKey}`) : action;
}

export const recordText = (type: string, t: Translate): string =>
  type in records ? t(`history.records.${type as RecordKey}`) : type;

/** A field in words; one without keeps its own name with spaces. */
export const fieldText = (field: string, t: Translate): string =>
  field in fields
    ? t(`history.fields.${field as FieldKey}`)
    : field.replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

/** Fields whose values are codes of the site, not words that a person wrote. */
const CODED = new Set([
  ...['authorType', 'dataState', 'dominantHand', 'eventType', 'faultClass', 'faultFlag', 'fileState', 'format'],
  ...['kind', 'side', 'state', 'type'],
]);
const SHA256 = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type JobKind = keyof typeof desk.jobs.kind;

const LIFECYCLE = ['INITIALIZED', 'IN_PROGRESS', 'COMPLETE'] as const;
const GENDERS = ['MALE', 'FEMALE'] as const;
const LONGEST = 160;

/** A value in words: instants in the zone, yes and no, names of states; lists and objects by their members. */
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
    if (field === 'role' && role) return t(`roles.${role}`);
    const gender = GENDERS.find((one) => one === value);
    if (field === 'gender' && gender) return t(`history.genders.${gender}`);
    if (CODED.has(field) && value in values) return t(`history.values.${value as ValueKey}`);
    if (field === 'kind' && value in desk.jobs.kind) return t(`jobs.kind.${value as JobKind}`);
    // What the site writes instead of a secret.
    if (field === 'value' && value === 'changed') return t('history.secret');
    if (SHA256.test(value)) return `${value.slice(0, 12)}…`;
    // The end of such an id tells two of them apart; its beginning is a time.
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

/** What an entry is about, as people call it; undefined where only the kind of record is known. */
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

/** What a member of a list is called, such as a task of a study. */
function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const name: unknown = 'displayName' in value ? value.displayName : 'text' in value ? value.text : undefined;
  return typeof name === 'string' ? name : undefined;
}
