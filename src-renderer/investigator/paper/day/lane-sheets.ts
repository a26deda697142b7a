/**
 * Divides the lanes of a day between sheets. Marks and sensors whose data has not arrived add lanes without a bound, and a lane is
 * never lower than its name: a day with twelve such sensors once pushed the footer off its sheet. Lengths are CSS pixels. Pure.
 */
import type { Lane } from '../../../shared/charts/timeline/types.ts';
import { PX_PER_MM } from '../papers.ts';
import { widthEm } from '../text-width.ts';

/** Of the column of names, as in day.module.css. */
const NAME_MM = 27;
const PX_PER_PT = 96 / 72;
const NAME = { emPx: 7.5 * PX_PER_PT, linePx: 7.5 * 1.2 * PX_PER_PT };
const NOTE = { emPx: 6.5 * PX_PER_PT, linePx: 6.5 * 1.2 * PX_PER_PT };
const PADDING_PX = 3;
/** Lines end between words: about this share of a line is used. */
const USED_SHARE = 0.75;
/** A lane keeps this share of its height, so that its values stay legible. */
const LEAST_SHARE = 0.6;

type NamedLane = Pick<Lane, 'id' | 'label' | 'note' | 'axis' | 'heightPx'>;

const textPx = (text: string, { emPx, linePx }: typeof NAME) =>
  Math.ceil((widthEm(text) * emPx) / (NAME_MM * PX_PER_MM * USED_SHARE)) * linePx;

function boundsOf({ id, label, note, axis, heightPx }: NamedLane): { mostPx: number; leastPx: number } {
  const namePx = textPx(label, NAME) + textPx(axis?.unit ?? note ?? '', NOTE) + PADDING_PX;
  const mostPx = Math.ceil(Math.max(heightPx, namePx));
  // A lane of marks is as high as its rows.
  const isFixed = /^(marks|faults)/.test(id);
  return { mostPx, leastPx: isFixed ? mostPx : Math.ceil(Math.max(namePx, heightPx * LEAST_SHARE)) };
}

/** Returns the lanes of each sheet with the height of each, in order: lower lanes first, then further sheets. */
export function laneSheets<L extends NamedLane>(
  lanes: readonly L[],
  roomPx: number,
): { lane: L; heightPx: number }[][] {
  const sheets: { lane: L; mostPx: number; leastPx: number }[][] = [];
  let leftPx = 0;
  for (const lane of lanes) {
    const bounds = boundsOf(lane);
    if (sheets.length === 0 || bounds.leastPx > leftPx) {
      sheets.push([]);
      leftPx = roomPx;
    }
    sheets.at(-1)?.push({ lane, ...bounds });
    leftPx -= bounds.leastPx;
  }
  return sheets.map((sheet) => {
    const wholePx = sheet.reduce((sum, { mostPx }) => sum + mostPx, 0);
    const givePx = sheet.reduce((sum, { mostPx, leastPx }) => sum + mostPx - leastPx, 0);
    const share = givePx > 0 ? Math.min(1, Math.max(0, wholePx - roomPx) / givePx) : 0;
    return sheet.map(({ lane, mostPx, leastPx }) => ({
      lane,
      heightPx: Math.floor(mostPx - (mostPx - leastPx) * share),
    }));
  });
}
