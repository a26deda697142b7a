/** The first kilobyte of a CWA file: the device, its session, and what the person who configured it wrote. */
import type { DeviceFacts } from '../recording-header.ts';
import { hasCwaHeader } from './cwa.ts';

export interface CwaHeader {
  device: DeviceFacts;
  location?: string;
  side?: string;
}

const ANNOTATION = { from: 64, to: 512 };
const AX6 = 0x64;

/** Places of the maker's configuration program, as locations of recordings. Its list also offers free text. */
const PLACES: Readonly<Record<string, string>> = {
  wrist: 'WRIST',
  waist: 'SACRUM',
  hip: 'HIP',
  thigh: 'ANTERIOR_THIGH',
  ankle: 'ANKLE',
  chest: 'MEDIAL_CHEST',
};

/** Null when the header is damaged. */
export function parseCwaHeader(bytes: Buffer): CwaHeader | null {
  if (bytes.length < ANNOTATION.to || !hasCwaHeader(bytes)) return null;
  const upper = bytes.readUInt16LE(11);
  const deviceId = bytes.readUInt16LE(5) + (upper === 0xffff ? 0 : upper * 65_536);
  const annotation = annotationOf(bytes);
  const firmware = bytes[41]!;
  const subjectCode = annotation.get('_sc');
  return {
    device: {
      maker: 'Axivity',
      model: bytes[4] === AX6 ? 'AX6' : 'AX3',
      ...(deviceId > 0 ? { serial: `${deviceId}` } : {}),
      ...(firmware > 0 && firmware < 0xff ? { firmware: `${firmware}` } : {}),
      session: bytes.readUInt32LE(7),
      ...(subjectCode ? { subjectCode } : {}),
    },
    ...placeOf(annotation.get('_p') ?? ''),
  };
}

/** URL-encoded pairs joined by `&`, padded with spaces, zeros or 0xff. */
function annotationOf(bytes: Buffer): Map<string, string> {
  const text = bytes.toString('latin1', ANNOTATION.from, ANNOTATION.to).replace(/[\s\0\u00ff]+$/, '');
  const pairs = text.split('&').map((pair): [string, string] => {
    const [key = '', value = ''] = pair.split('=', 2);
    return [key, decoded(value)];
  });
  return new Map(pairs);
}

function decoded(value: string): string {
  const spaced = value.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced).trim();
  } catch {
    return spaced.trim();
  }
}

function placeOf(position: string): { location?: string; side?: string } {
  const words = position.toLowerCase().split(/[^a-z]+/);
  const place = Object.keys(PLACES).find((name) => words.includes(name));
  const side = words.includes('left') ? 'LEFT' : words.includes('right') ? 'RIGHT' : undefined;
  return { ...(place ? { location: PLACES[place]! } : {}), ...(side ? { side } : {}) };
}
