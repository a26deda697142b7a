/** The two identification fields of an EDF+ header: 80 characters each, subfields without spaces, `X` where unknown. */
import type { SignalHeader } from '../../signals/types.ts';
import { formatOffset } from '../../study/day-windows.ts';

const FIELD_CHARACTERS = 80;
const START_DATE = 'Startdate dd-MMM-yyyy ';

export interface EdfSubject {
  /** Name of the subject in the study. */
  code: string;
  sex?: 'MALE' | 'FEMALE';
}

/** Text as one subfield; `X` when it has characters that EDF cannot hold, since dropping them could merge two subjects. */
function subfield(text: string): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').trim().replaceAll(/\s+/g, '_');
  return /^[\x21-\x7e]+$/.test(plain) ? plain : 'X';
}

/** Code, sex, birth date, name; the last two are always `X`. */
export function patientField(subject: EdfSubject | undefined): string {
  if (!subject) return 'X X X X';
  const sex = subject.sex === undefined ? 'X' : subject.sex[0];
  return `${subfield(subject.code).slice(0, FIELD_CHARACTERS - ' M X X'.length)} ${sex} X X`;
}

/**
 * The recording field after the start date: no administration code, no technician, Outpost as the equipment, then additional
 * subfields: the UTC offset of the header's clock, the place of the sensor, its id, and the zone name if it fits.
 */
export function recordingField({ physicalConfig, udid }: SignalHeader, utcOffsetMinutes: number, zone: string): string {
  const { location, side } = physicalConfig;
  const room = FIELD_CHARACTERS - START_DATE.length;
  const place = `X X Outpost TZ=${formatOffset(utcOffsetMinutes * 60_000)} ${subfield(location || 'OTHER')} ${side || 'NONE'}`;
  const device = subfield(udid || 'unknown');
  const withDevice = `${place} ${place.length + 1 + device.length <= room ? device : 'X'}`;
  return withDevice.length + 1 + zone.length <= room ? `${withDevice} ${zone}` : withDevice;
}
