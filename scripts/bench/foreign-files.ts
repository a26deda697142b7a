/** Files as other programs write them, by a writer of the bench's own: EDF, EDF+D and BDF with any record length, unit and padding. */
import { writeFileSync } from 'node:fs';

/** One signal as counts with its physical meaning: value = count * scale + offset, in `unit`. */
export interface ForeignSignal {
  label: string;
  unit: string;
  counts: ArrayLike<number>;
  scale: number;
  offset: number;
  /** Samples of the signal in one data record. */
  samplesPerRecord: number;
}

export interface ForeignForm {
  /** Wall clock of the start, whole seconds. */
  start: Date;
  recordSeconds: number;
  isBdf?: boolean;
  /** Count that fills the last record; the last sample when absent. */
  padding?: number;
  /** Stretches of data records with a break between: first record and its time since the start. Makes an EDF+D. */
  stretches?: { firstRecord: number; seconds: number }[];
}

const ANNOTATION_BYTES = 60;
const field = (value: string | number, width: number): string => String(value).slice(0, width).padEnd(width);

/** Up to eight characters of a number, as exact as they allow. */
function shortNumber(value: number): string {
  for (let digits = 8; digits > 0; digits--) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= 8 && !text.includes('e')) return text;
  }
  return '0';
}

/** Writes signals of one recording to an EDF file, or to a BDF or EDF+D one. */
export function writeForeignEdf(path: string, signals: ForeignSignal[], form: ForeignForm): void {
  const bytes = form.isBdf ? 3 : 2;
  const most = form.isBdf ? 8_388_607 : 32_767;
  const records = Math.max(
    ...signals.map(({ counts, samplesPerRecord }) => Math.ceil(counts.length / samplesPerRecord)),
  );
  const annotated = form.stretches !== undefined;
  const all = annotated ? signals.length + 1 : signals.length;
  const two = (value: number): string => String(value).padStart(2, '0');
  const { start } = form;
  const column = (of_: (signal: ForeignSignal) => string | number, annotation: string, width: number): string =>
    signals.map((signal) => field(of_(signal), width)).join('') + (annotated ? field(annotation, width) : '');
  const header =
    field(
      `${two(start.getUTCDate())}.${two(start.getUTCMonth() + 1)}.${two(start.getUTCFullYear() % 100)}${two(start.getUTCHours())}.${two(start.getUTCMinutes())}.${two(start.getUTCSeconds())}`,
      16,
    ) +
    field(256 * (all + 1), 8) +
    field(annotated ? 'EDF+D' : '', 44) +
    field(records, 8) +
    field(shortNumber(form.recordSeconds), 8) +
    field(all, 4) +
    column(({ label }) => label, 'EDF Annotations', 16) +
    column(() => '', '', 80) +
    column(({ unit }) => unit, '', 8) +
    column(({ scale, offset }) => shortNumber(-most * scale + offset), '-1', 8) +
    column(({ scale, offset }) => shortNumber(most * scale + offset), '1', 8) +
    column(() => -most, '-32768', 8) +
    column(() => most, '32767', 8) +
    column(() => '', '', 80) +
    column(({ samplesPerRecord }) => samplesPerRecord, String(ANNOTATION_BYTES / 2), 8) +
    column(() => '', '', 32);
  const first = Buffer.alloc(168, 32);
  if (form.isBdf) {
    first[0] = 255;
    first.write('BIOSEMI', 1, 'latin1');
  } else first.write('0', 0, 'latin1');
  first.write(annotated ? 'X X X X' : 'X', 8, 'latin1');
  first.write(annotated ? 'Startdate X X X X' : 'X', 88, 'latin1');
  const perRecord =
    signals.reduce((sum, { samplesPerRecord }) => sum + samplesPerRecord * bytes, 0) +
    (annotated ? ANNOTATION_BYTES : 0);
  const body = Buffer.alloc(records * perRecord);
  let at = 0;
  for (let record = 0; record < records; record++) {
    for (const { counts, samplesPerRecord } of signals) {
      for (let k = 0; k < samplesPerRecord; k++, at += bytes) {
        const i = record * samplesPerRecord + k;
        const value = i < counts.length ? counts[i] : (form.padding ?? counts[counts.length - 1]);
        body.writeIntLE(Math.max(-most, Math.min(most, value)), at, bytes);
      }
    }
    if (!form.stretches) continue;
    const stretch = form.stretches.findLast(({ firstRecord }) => firstRecord <= record)!;
    const onset = stretch.seconds + (record - stretch.firstRecord) * form.recordSeconds;
    body.write(`+${Number(onset.toFixed(6))}\x14\x14\0`, at, 'latin1');
    at += ANNOTATION_BYTES;
  }
  writeFileSync(path, Buffer.concat([first, Buffer.from(header, 'latin1'), body]));
}
