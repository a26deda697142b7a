/** Times as HL7 and DICOM write them: `20021122091000.000+0100`, of which the end may be missing. */
import { Temporal } from 'temporal-polyfill';

const TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(?:(\d\d)(?:\.(\d{1,9}))?)?\s*(?:([+-])(\d\d):?(\d\d))?$/;

/** Null for a text that is no time of a day. */
export function hl7Time(text: string): { start: Temporal.PlainDateTime; utcOffsetMinutes: number | null } | null {
  const found = TIME.exec(text.trim());
  if (!found) return null;
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, hours, minutes] = found;
  try {
    const start = Temporal.PlainDateTime.from(
      {
        year: Number(year),
        month: Number(month),
        day: Number(day),
        hour: Number(hour),
        minute: Number(minute),
        second: Number(second),
      },
      { overflow: 'reject' },
    ).add({ microseconds: Math.round(Number(`0.${fraction || '0'}`) * 1e6) });
    const offset = sign === undefined ? null : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    return { start, utcOffsetMinutes: offset };
  } catch {
    return null;
  }
}
