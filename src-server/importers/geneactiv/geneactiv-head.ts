/** GENEActiv `.bin` files: what identifies them, and the 59 lines in front of their pages. */
import { Temporal } from 'temporal-polyfill';
import { damaged } from '../refusals.ts';

export const isGeneactiv = ({ bytes }: { bytes: Buffer }): boolean =>
  /^(?:\u00ef\u00bb\u00bf)?Device Identity\r?\n/.test(bytes.toString('latin1', 0, 64));

export interface GeneactivHeader {
  serial: string;
  model: string;
  firmware: string;
  rateHz: number;
  /** The offset of the computer that configured the device; undefined when the file names none. */
  utcOffsetMinutes?: number;
  /** Per axis: g = (count * 100 - offset) / gain. */
  gain: number[];
  offset: number[];
  /** Lux of one count of light. */
  luxPerCount: number;
  location: string;
  subjectCode: string;
  configTime: Temporal.PlainDateTime | null;
  extractTime: Temporal.PlainDateTime | null;
  extractNotes: string;
  declaredPages: number;
}

/** `2013-05-30 10:12:54:500`; months and days may have one digit. */
export function wallTime(text: string): Temporal.PlainDateTime | null {
  const parts = /^(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2})(?:[:.](\d{1,3}))?\s*$/.exec(text.trim());
  if (!parts) return null;
  const [year, month, day, hour, minute, second, millisecond = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  try {
    return Temporal.PlainDateTime.from(
      { year, month, day, hour, minute, second, millisecond } as Temporal.PlainDateTimeLike,
      { overflow: 'reject' },
    );
  } catch {
    return null;
  }
}

/** @throws FILE_DAMAGED when what scales the samples is not there */
export function parseGeneactivHeader(text: string, path: string): GeneactivHeader {
  const facts = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !facts.has(line.slice(0, colon))) facts.set(line.slice(0, colon), clean(line.slice(colon + 1)));
  }
  const of = (key: string) => facts.get(key) ?? '';
  const number = (key: string): number => {
    const value = of(key);
    const parsed = Number(value.replace(',', '.'));
    if (value === '' || !Number.isFinite(parsed)) throw damaged(path, `its header has no usable "${key}".`);
    return parsed;
  };
  const gain = ['x', 'y', 'z'].map((axis) => number(`${axis} gain`));
  const volts = number('Volts');
  if (gain.some((one) => one <= 0) || volts <= 0) throw damaged(path, 'the calibration in its header is not possible.');
  const rateHz = Number.parseFloat(of('Measurement Frequency').replace(',', '.'));
  if (!(rateHz >= 1 && rateHz <= 1000)) throw damaged(path, 'its header has no usable "Measurement Frequency".');
  const zone = /(?:GMT|UTC)\s*([+-])(\d{1,2}):(\d{2})/.exec(of('Time Zone'));
  return {
    serial: of('Device Unique Serial Code'),
    model: [of('Device Type'), of('Device Model')].filter(Boolean).join(' '),
    firmware: of('Device Firmware Version'),
    rateHz,
    ...(zone ? { utcOffsetMinutes: (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3])) } : {}),
    gain,
    offset: ['x', 'y', 'z'].map((axis) => number(`${axis} offset`)),
    luxPerCount: number('Lux') / volts,
    location: of('Device Location Code'),
    subjectCode: of('Subject Code'),
    configTime: wallTime(of('Config Time')),
    extractTime: wallTime(of('Extract Time')),
    extractNotes: of('Extract Notes'),
    declaredPages: Number(of('Number of Pages')) || 0,
  };
}

/** Fields are padded with spaces and zeros. */
const clean = (value: string): string => value.replaceAll('\0', '').trim();
