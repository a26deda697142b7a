/** Equipment as rows of a table: what its columns may be called, and what becomes of each row. Pure. */
import type { FieldError } from '../../errors.ts';
import { isShownAsWritten, NAME_WITH_UNSEEN } from '../../vocabulary/shown-text.ts';
import type { EquipmentType } from '../equipment.ts';
import { addressKeyOf } from '../text.ts';
import type { JudgedRow } from './outcome.ts';
import { headerKey, readTable, type Table, TOO_WIDE } from './table.ts';

/** Equipment as a row describes it. */
export interface EquipmentRow {
  id: string;
  type: EquipmentType;
  displayName?: string;
  udid?: string;
}

const MEMBERS = ['id', 'type', 'displayName', 'udid'] as const;
type Member = (typeof MEMBERS)[number];

const HEADERS: Readonly<Record<Member, readonly string[]>> = {
  id: ['serialnumber', 'serial', 'serialno', 'id', 'シリアル番号', '製造番号'],
  type: ['type', 'kind', '種類', '種別'],
  displayName: ['name', 'displayname', 'label', '名前', '表示名'],
  udid: ['address', 'macaddress', 'mac', 'udid', 'macアドレス', 'アドレス'],
};

const TYPES: ReadonlyMap<string, EquipmentType> = new Map(
  Object.entries<EquipmentType>({
    sensor: 'SENSOR',
    recorder: 'SENSOR',
    センサー: 'SENSOR',
    hub: 'LINK_HUB',
    linkhub: 'LINK_HUB',
    ハブ: 'LINK_HUB',
    phone: 'LINK_PHONE',
    linkphone: 'LINK_PHONE',
    スマートフォン: 'LINK_PHONE',
  }),
);

const MAX = { id: 64, displayName: 100, udid: 64 } as const;
const NAMES = { id: 'serial number', displayName: 'name', udid: 'address' } as const;

/** Reads a table of equipment. @throws INVALID_INPUT as {@link readTable} */
export function readEquipmentTable(text: string): Table<Member> {
  const known = new Map<string, Member>();
  for (const member of MEMBERS) for (const header of HEADERS[member]) known.set(header, member);
  return readTable(text, known, { member: 'id', header: 'serial number' });
}

/** `same`: this serial number. `address`: other equipment with the address. `hidden`: either, where the caller may not see it. */
export type Registered = 'same' | 'address' | 'hidden' | undefined;

const HIDDEN =
  'Equipment with this serial number or address is registered already, in a study that you are not a member of. Check the number, or ask an administrator.';

/**
 * Judges every row of a table of equipment. A row without a type is a sensor.
 * @param registeredAs what the site knows of a serial number and an address
 */
export function judgeEquipment(
  { rows }: Table<Member>,
  registeredAs: (row: { id: string; udid?: string }) => Registered,
): JudgedRow<EquipmentRow>[] {
  const lines = new Map<string, number>();
  return rows.map(({ line, cells, isTooWide }): JudgedRow<EquipmentRow> => {
    const errors: FieldError[] = isTooWide ? [TOO_WIDE] : [];
    const refuse = (path: string, message: string) => errors.push({ path, message });
    const id = cells.id?.normalize('NFKC') ?? '';
    const udid = cells.udid?.normalize('NFKC');
    const type = cells.type === undefined ? 'SENSOR' : TYPES.get(headerKey(cells.type));
    if (id === '') refuse('id', 'The serial number is missing.');
    if (type === undefined) refuse('type', `“${cells.type}” is not a type. Write sensor, hub or phone.`);
    if (udid !== undefined && type !== undefined && type !== 'SENSOR') refuse('udid', 'Only sensors have an address.');
    for (const [member, text] of [
      ['id', id],
      ['displayName', cells.displayName],
      ['udid', udid],
    ] as const)
      if (text !== undefined && text.length > MAX[member])
        refuse(member, `The ${NAMES[member]} is longer than ${MAX[member]} characters.`);
    if (cells.displayName !== undefined && !isShownAsWritten(cells.displayName))
      refuse('displayName', `The name ${NAME_WITH_UNSEEN}.`);
    for (const [path, text] of [
      ['id', id],
      ['udid', udid],
    ] as const) {
      if (text === undefined || text === '') continue;
      const key = `${path} ${addressKeyOf(text)}`;
      const earlier = lines.get(key);
      if (earlier === undefined) lines.set(key, line);
      else refuse(path, `Line ${earlier} has the same ${NAMES[path]}.`);
    }
    const found = errors.length === 0 ? registeredAs({ id, ...(udid !== undefined && { udid }) }) : undefined;
    if (found === 'address') refuse('udid', 'Other equipment has this address.');
    if (found === 'hidden') refuse('id', HIDDEN);
    if (errors.length > 0 || type === undefined) return { line, name: id, outcome: 'REFUSED', errors };
    if (found === 'same') return { line, name: id, outcome: 'EXISTS', errors };
    const input = {
      id,
      type,
      ...(cells.displayName !== undefined && { displayName: cells.displayName }),
      ...(udid !== undefined && { udid }),
    };
    return { line, name: id, outcome: 'NEW', input, errors };
  });
}
