/**
 * Matching of data to registered sensors by MAC address and serial number. Addresses are compared without case and separators, because
 * hubs, sensors and people write them differently.
 */
import { type RawBuilder, sql } from 'kysely';
import { addressKeyOf } from '../../../study/text.ts';
import type { Session } from '../../session.ts';
import { rebuildSummary } from '../data/recording-summaries.ts';

/** The address stored for a recording whose file and device named no sensor. */
export const UNKNOWN_ADDRESS = 'unknown';

/** SQL of an address as it is compared; the same expression as in the indexes of migration 160. */
export function addressKey(
  column: 'equipment.id' | 'equipment.udid' | 'recording.udid' | 'fault.sensorId',
): RawBuilder<string> {
  return sql<string>`upper(replace(replace(${sql.ref(column)}, ':', ''), '-', ''))`;
}

export function isSameAddress(a: string, b: string): boolean {
  return addressKeyOf(a) === addressKeyOf(b);
}

/** True for an address of one sensor: neither empty nor {@link UNKNOWN_ADDRESS}. */
export function isAddress(udid: string | undefined): udid is string {
  return udid !== undefined && addressKeyOf(udid) !== '' && udid !== UNKNOWN_ADDRESS;
}

/** Returns a look-up of serial numbers by address among given equipment. */
export function serialsByAddress(
  equipment: readonly { id: string; udid?: string }[],
): (udid: string) => string | undefined {
  const serials = new Map(equipment.flatMap(({ id, udid }) => (isAddress(udid) ? [[addressKeyOf(udid), id]] : [])));
  return (udid) => serials.get(addressKeyOf(udid));
}

/** Serial number of the sensor registered with this address. */
export async function serialOfAddress({ db }: Session, udid: string): Promise<string | undefined> {
  if (!isAddress(udid)) return undefined;
  const row = await db
    .selectFrom('equipment')
    .select('equipment.id')
    .where('equipment.udid', 'is not', null)
    .where(addressKey('equipment.udid'), '=', addressKeyOf(udid))
    .executeTakeFirst();
  return row?.id;
}

/**
 * Returns the serial number of the registered sensor of a recording: the one with the address in the file, otherwise the one that the
 * device named, unless that one is registered with another address.
 */
export async function sensorOfRecording(
  session: Session,
  { serial, udid }: { serial?: string; udid: string },
): Promise<string | undefined> {
  const byAddress = await serialOfAddress(session, udid);
  if (byAddress !== undefined || serial === undefined) return byAddress;
  const named = await session.db
    .selectFrom('equipment')
    .select(['id', 'udid'])
    .where('id', '=', serial)
    .executeTakeFirst();
  if (!named || (named.udid !== null && isAddress(udid))) return undefined;
  return named.id;
}

/** Links recordings of an address, within the account, to the sensor that is now registered with it. */
export async function tieRecordings(
  session: Session,
  { id, accountId, udid }: { id: string; accountId: string; udid: string },
): Promise<void> {
  if (!isAddress(udid)) return;
  const tied = await session.db
    .updateTable('recording')
    .set({ equipmentId: id })
    .where('recording.equipmentId', 'is', null)
    .where(addressKey('recording.udid'), '=', addressKeyOf(udid))
    .where('recording.studyId', 'in', (eb) =>
      eb.selectFrom('study').select('study.id').where('study.accountId', '=', accountId),
    )
    .returning('recording.subjectId')
    .execute();
  for (const subjectId of new Set(tied.map((row) => row.subjectId))) await rebuildSummary(session, subjectId);
}
