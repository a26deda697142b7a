/** Time-stamped annotation lists (TALs) of EDF+ and BDF+: `+onset[\x15duration]\x14text\x14...\x14\0`. */

interface TimedAnnotation {
  onsetUs: number;
  durationUs: number;
  text: string;
}

export interface RecordAnnotations {
  /** Start of the data record from its first list, in microseconds after the file's start; null when missing. */
  recordOnsetUs: number | null;
  annotations: TimedAnnotation[];
}

const DURATION_MARK = '\x15';
const ONSET = /^[+-]\d+(?:\.\d*)?$/;
const DURATION = /^\d+(?:\.\d*)?$/;

/** Converts decimal seconds to microseconds, the fraction separately to avoid rounding errors. */
function secondsToUs(text: string): number {
  const [whole = '', fraction = ''] = text.split('.');
  const fractionUs = Number(`0.${fraction || '0'}`) * 1e6;
  const wholeUs = Number(whole) * 1e6;
  return whole.startsWith('-') ? wholeUs - fractionUs : wholeUs + fractionUs;
}

/** Parses the annotation signals of one record, one buffer each. Malformed lists are skipped and counted. */
export function parseAnnotations(parts: Buffer[]): RecordAnnotations & { broken: number } {
  const result: RecordAnnotations & { broken: number } = { recordOnsetUs: null, annotations: [], broken: 0 };
  parts.forEach((part, index) => {
    let isFirst = index === 0;
    for (const list of part.toString('utf8').split('\0')) {
      if (list === '') continue;
      const [head = '', ...texts] = list.split('\x14');
      const [onset = '', duration, ...more] = head.split(DURATION_MARK);
      const isTimed = ONSET.test(onset) && (duration === undefined || duration === '' || DURATION.test(duration));
      if (!isTimed || more.length > 0 || texts.at(-1) !== '') {
        result.broken++;
        continue;
      }
      const onsetUs = secondsToUs(onset);
      const durationUs = duration ? secondsToUs(duration) : 0;
      const named = texts.slice(0, -1);
      if (isFirst && named[0] === '') {
        result.recordOnsetUs = onsetUs;
        named.shift();
      }
      isFirst = false;
      for (const text of named) if (text !== '') result.annotations.push({ onsetUs, durationUs, text });
    }
  });
  return result;
}
