/** The two identification fields of an EDF+ header: 80 characters each, subfields without spaces, `X` where unknown. */
import type { SignalHeader } from '../../signals/types.ts';
import { formatOffset } from '../../study/day-windows.ts';

const FIELD_CHARACTERS = 80;
const START_DATE = 'Startdate dd-MMM-yyyy ';

export interface EdfSubject {
  /** What the study calls the subject. */
  code: string;
  sex?: 'MALE' | 'FEMALE';
}

/** Text as one subfield; `X` when it has characters that the header cannot hold, as they would make two subjects one. */
function subfield(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').trim().replaceAll(/\s+/g, '_');
  return /^[\x21-\x7e]+$/.test(plain) ? plain : 'X';
}

/** Code, sex, birth date, name. The last two are never written. */
export function patientField(subject: EdfSubject | undefined): string {
  if (!subject) return 'X X X X';
  const sex = subject.sex === undefined ? 'X' : subject.sex[0];
  return `${subfield(subject.code).slice(0, FIELD_CHARACTERS - ' M X X'.length)} ${sex} X X`;
}

/**
 * What stands behind the start date: no administration code, no technician, Outpost as the equipment, and after it
 * subfields of our own: the offset from UTC of the header's clock, where the sensor was worn, its id, and the zone's name
 * where there is room.
 */
export function recordingField({ physicalConfig, udid }: SignalHeader, utcOffsetMinutes: number, zone: string): string {
  const { location, side } = physicalConfig;
  const room = FIELD_CHARACTERS - START_DATE.length;
  const place = `X X Outpost TZ=${formatOffset(utcOffsetMinutes * 60_000)} ${subfield(location || 'OTHER')} ${side || 'NONE'}`;
  const device = subfield(udid || 'unknown');
  const withDevice = `${place} ${place.length + 1 + device.length <= room ? device : 'X'}`;
  return withDevice.length + 1 + zone.length <= room ? `${withDevice} ${zone}` : withDevice;
}
