/** Numbers and measures as people type them, in forms and in tables. Pure. */

/** Parses a typed number; accepts full-width digits and a decimal comma. Undefined for an empty text, NaN for any other. */
export function typedNumber(text: string): number | undefined {
  const plain = text.normalize('NFKC').trim().replace(',', '.');
  if (plain === '') return undefined;
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : Number.NaN;
}

/** A typed height above this is in centimetres: nobody is 3 m tall, or 3 cm. */
const MOST_METRES = 3;

/**
 * Parses a typed height to metres. A unit (`m`, `cm`) decides; without one, small numbers are metres and large ones
 * centimetres. Undefined for an empty text, NaN for one that is not a number.
 */
export function typedHeight(text: string): number | undefined {
  const [, amount = '', unit] = /^(.*?)\s*(cm|m)?$/.exec(text.normalize('NFKC').trim().toLowerCase()) ?? [];
  const value = typedNumber(amount);
  if (value === undefined) return unit === undefined ? undefined : Number.NaN;
  const isMetres = unit === 'm' || (unit === undefined && value <= MOST_METRES);
  return isMetres ? value : Math.round(value * 10) / 1000;
}

/** Parses a typed weight, with or without its unit, to kilograms. */
export function typedWeight(text: string): number | undefined {
  return typedNumber(
    text
      .normalize('NFKC')
      .trim()
      .toLowerCase()
      .replace(/\s*kg$/, ''),
  );
}
