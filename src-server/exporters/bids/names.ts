/** Names in a BIDS dataset: labels of letters and digits only, entities in the order of the specification. */

import { toSpreadsheetCell } from '../../study/spreadsheet-cells.ts';

/** Version of BIDS that the output conforms to: https://bids-specification.readthedocs.io/en/v1.10.0/ */
export const BIDS_VERSION = '1.10.0';

/** The task label: recordings of daily life have a single task. */
export const TASK = 'daily';

/** Reduces text to a label by dropping all but letters and digits. */
export function labelOf(text: string): string {
  return text.normalize('NFKD').replace(/[^0-9A-Za-z]/g, '');
}

/** Labels of several texts, unique without regard to case. */
export function uniqueLabels(texts: readonly string[], fallback: string): string[] {
  const taken = new Set<string>();
  return texts.map((text) => {
    const stem = labelOf(text) || fallback;
    let label = stem;
    for (let turn = 2; taken.has(label.toLowerCase()); turn++) label = `${stem}x${turn}`;
    taken.add(label.toLowerCase());
    return label;
  });
}

/** `MEDIAL_CHEST` as `MedialChest`. */
export function camelOf(words: string): string {
  return words
    .toLowerCase()
    .split(/[^0-9a-z]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/**
 * An instant in BIDS format, which has no zone: local time; its offset from UTC has a column of its own.
 *
 * @param us epoch microseconds, also before 1970
 */
export function instantText(us: number, offsetMs: number): string {
  const ms = Math.floor(us / 1000);
  const micros = `${us - ms * 1000}`.padStart(3, '0');
  return new Date(ms + offsetMs).toISOString().replace('Z', micros);
}

/** Entities of one file of a session. */
export interface FileEntities {
  subject: string;
  session: string;
  /** In motion files. */
  tracksys?: string;
  /** Distinguishes segments of one sensor within a run. */
  acq?: string;
  run: number;
  /** In physio files. */
  recording?: string;
}

/** `sub-1_ses-20260110_task-daily_tracksys-ChestAccel_run-1`, to be followed by a suffix. */
export function stemOf({ subject, session, tracksys, acq, run, recording }: FileEntities): string {
  const parts = [`sub-${subject}`, `ses-${session}`, `task-${TASK}`];
  if (tracksys) parts.push(`tracksys-${tracksys}`);
  if (acq) parts.push(`acq-${acq}`);
  parts.push(`run-${run}`);
  if (recording) parts.push(`recording-${recording}`);
  return parts.join('_');
}

const cellOf = (cell: string | number | undefined): string =>
  cell === undefined || cell === '' ? 'n/a' : toSpreadsheetCell(String(cell).replace(/\s+/g, ' '));

/** A row of a TSV file; unknown cells are `n/a`. */
export function tsvRow(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map(cellOf).join('\t')}\n`;
}

export const SCANS_HEADER = tsvRow(['filename', 'acq_time', 'utc_offset', 'recording_id']);

/** @param instant what `acq_time` is */
export const scansSidecar = (instant: string): string =>
  jsonText({
    acq_time: { Description: `${instant}, by the clock where the participant was` },
    utc_offset: { Description: "What the participant's clock showed beyond UTC at acq_time" },
    recording_id: { Description: 'The recording of one sensor that the file is part of' },
  });

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
