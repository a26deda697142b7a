/** An independent writer of EDF, EDF+D and BDF files as other programs write them, with any record length, unit and padding. */
import { writeFileSync } from 'node:fs';

/** One signal as counts; physical value = count * scale + offset, in `unit`. */
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
  /** Local start time, in whole seconds. */
  start: Date;
  recordSeconds: number;
  isBdf?: boolean;
  /** Count that fills up the last record; by default the last sample. */
  padding?: number;
  /** Segments of data records with gaps between them: first record and seconds since the start. Makes the file an EDF+D. */
  segments?: { firstRecord: number; seconds: number }[];
}

const ANNOTATION_BYTES = 60;
const field = (value: string | number, width: number): string => String(value).slice(0, width).padEnd(width);

/** Formats a number as exactly as eight characters allow. */
function shortNumber(value: number): string {
  for (let digits = 8; digits > 0; digits--) {
    const text = String(Number(value.toPrecision(digits)));
    if (text.length <= 8 && !text.includes('e')) return text;
  }
  return '0';
}

/** Writes the signals of one recording to an EDF, EDF+D or BDF file, depending on the form. */
export function writeForeignEdf(path: string, signals: ForeignSignal[], form: ForeignForm): void {
  const bytes = form.isBdf ? 3 : 2;
  const maximum = form.isBdf ? 8_388_607 : 32_767;
  const records = Math.max(
    ...signals.map(({ counts, samplesPerRecord }) => Math.ceil(counts.length / samplesPerRecord)),
  );
  const annotated = form.segments !== undefined;
  const all = annotated ? signals.length + 1 : signals.length;
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const { start } = form;
  const column = (value: (signal: ForeignSignal) => string | number, annotation: string, width: number): string =>
    signals.map((signal) => field(value(signal), width)).join('') + (annotated ? field(annotation, width) : '');
  const header =
    field(
      `${twoDigits(start.getUTCDate())}.${twoDigits(start.getUTCMonth() + 1)}.${twoDigits(start.getUTCFullYear() % 100)}${twoDigits(start.getUTCHours())}.${twoDigits(start.getUTCMinutes())}.${twoDigits(start.getUTCSeconds())}`,
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
    column(({ scale, offset }) => shortNumber(-maximum * scale + offset), '-1', 8) +
    column(({ scale, offset }) => shortNumber(maximum * scale + offset), '1', 8) +
    column(() => -maximum, '-32768', 8) +
    column(() => maximum, '32767', 8) +
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
        const value = i < counts.length ? counts[i]! : (form.padding ?? counts[counts.length - 1]!);
        body.writeIntLE(Math.max(-maximum, Math.min(maximum, value)), at, bytes);
      }
    }
    if (!form.segments) continue;
    const segment = form.segments.findLast(({ firstRecord }) => firstRecord <= record)!;
    const onset = segment.seconds + (record - segment.firstRecord) * form.recordSeconds;
    body.write(`+${Number(onset.toFixed(6))}\x14\x14\0`, at, 'latin1');
    at += ANNOTATION_BYTES;
  }
  writeFileSync(path, Buffer.concat([first, Buffer.from(header, 'latin1'), body]));
}
