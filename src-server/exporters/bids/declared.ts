/**
 * Allowlist for the files of a de-identified BIDS dataset: the last check after each record was disclosed by its class. An
 * undeclared field or column, or a value that does not fit its class, is dropped.
 */

import { CUT_POINT_IDS, NON_WEAR_IDS } from '../../vocabulary/analysis-parameters.ts';
import { BEAT_CODE_NAMES, CORRECTION_KINDS } from '../../vocabulary/corrections.ts';
import { SIGNATURE_MEANINGS, SIGNED_KINDS } from '../../vocabulary/signatures.ts';
import { ROLES } from '../../vocabulary/study.ts';
import { BEAT_TYPES } from '../beats/origins.ts';
import { codeOf, type Disclosure, MEASURE } from '../study-export/disclosure.ts';
import { DIMENSIONS, LOCATIONS, SIDES, UNITS } from '../study-export/known-codes.ts';
import { DESCRIBED_COLUMNS, INSTANT_COLUMNS, MEASURED_COLUMNS } from './derived-columns.ts';

/** Sentences of the program, which contain only codes and measures. */
const OWN_WORDS: Disclosure = codeOf(/^[\s\S]*$/);
const idLike = (prefix: string): Disclosure => codeOf(new RegExp(`^${prefix}-[2-9A-HJ-NP-Z]{12}$`));
/** Labels have no dash. */
const SUBJECT_LABEL = 'sub-S[2-9A-HJ-NP-Z]{12}';
/** 1925 or before, as BIDS requires of shifted dates. */
const SESSION = 'ses-1[0-9]{3}[01][0-9][0-3][0-9]';
const EARLIER_TIME = codeOf(/^1[0-9]{3}-[01]\d-[0-3]\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z?$/);
const VERSION_TEXT = codeOf(/^[\w.+-]{1,60}$/);
const CUT_POINTS = codeOf(new Set<string>(CUT_POINT_IDS));
const UNIT = codeOf(new Set([...UNITS, 's', 'm', 'kg', 'year', 'n/a', '1']));
const CAMEL_LABEL = codeOf(/^[A-Z]?[0-9A-Za-z]{1,40}$/);
const COLUMN_NAME = /^(?:latency|timestamp|cardiac|respiratory|trigger|ch\d{1,3}|(?:acc|gyro)_[xyz])$/;
const columnNames: Disclosure = codeOf(new RegExp(`${COLUMN_NAME.source}|${DIMENSIONS.source}`));
const FILE_PATH = codeOf(
  new RegExp(
    `^(?:derivatives/outpost/)?(?:(?:${SUBJECT_LABEL}/)?(?:${SESSION}/)?(?:(?:beh|motion|ecg|emg)/)?(?:(?:${SUBJECT_LABEL}|${SESSION}|task-daily|acq-[0-9A-Za-z]+|tracksys-[0-9A-Za-z]+|run-\\d+|recording-[0-9A-Za-z]+|desc-[a-z0-9]+)_)*[a-z]+(?:\\.[a-z]+)*|README|CHANGES|\\.bidsignore|code/load\\.(?:py|R)|(?:dataset_description|participants|signatures|outpost)\\.[a-z]+)$`,
  ),
);

interface Fields {
  readonly own?: Readonly<Record<string, Declared>>;
  /** For fields named after columns. */
  readonly columns?: Declared;
  /** For fields named after a channel type. */
  readonly counts?: Declared;
}
type Declared = { readonly leaf: Disclosure } | { readonly list: Declared } | { readonly fields: Fields };

const leaf = (disclosure: Disclosure): Declared => ({ leaf: disclosure });
const MEASURED = leaf(MEASURE);
const OWN = leaf(OWN_WORDS);
const DESCRIBED: Declared = {
  fields: {
    own: {
      LongName: OWN,
      Description: OWN,
      Units: leaf(UNIT),
      Levels: {
        fields: {
          own: {
            M: OWN,
            F: OWN,
            L: OWN,
            R: OWN,
            activity: OWN,
            survey: OWN,
            answer: OWN,
            skipped: OWN,
            label: OWN,
            system: OWN,
          },
        },
      },
      TermURL: OWN,
    },
  },
};

/** Units of what is computed are those of the program. */
const DERIVED: Declared = { fields: { own: { ...DESCRIBED.fields.own, Units: OWN } } };

/** Fields of every JSON file of a dataset, by name. */
const JSON_FIELDS: Declared = {
  fields: {
    columns: DESCRIBED,
    counts: MEASURED,
    own: {
      // columns of derivatives
      ...Object.fromEntries(DESCRIBED_COLUMNS.map((name) => [name, DERIVED])),
      // beats of derivatives
      recordingId: leaf(idLike('R')),
      beatsFrom: leaf(codeOf(new Set(BEAT_TYPES))),
      algorithm: {
        fields: { own: { name: leaf(codeOf(new Set(['Outpost analytics']))), version: leaf(VERSION_TEXT) } },
      },
      parameters: {
        fields: {
          own: {
            cutPoints: { fields: { own: { wrist: leaf(CUT_POINTS), waist: leaf(CUT_POINTS) } } },
            nonWear: leaf(codeOf(new Set<string>(NON_WEAR_IDS))),
            rhythm: {
              fields: {
                own: {
                  pauseSeconds: MEASURED,
                  bradycardiaBpm: MEASURED,
                  tachycardiaBpm: MEASURED,
                  episodeSeconds: MEASURED,
                },
              },
            },
          },
        },
      },
      corrections: MEASURED,
      // dataset_description.json
      Name: leaf(codeOf(/^Study Y-[2-9A-HJ-NP-Z]{12}(?:, computed by Outpost)?$/)),
      SourceDatasets: { list: { fields: { own: { URL: leaf(codeOf(new Set(['../../']))) } } } },
      BIDSVersion: leaf(codeOf(/^\d+\.\d+\.\d+$/)),
      DatasetType: leaf(codeOf(new Set(['raw', 'derivative']))),
      GeneratedBy: {
        list: {
          fields: {
            own: { Name: leaf(codeOf(new Set(['Outpost']))), Version: leaf(VERSION_TEXT), Description: OWN },
          },
        },
      },
      // columns of participants, scans and sessions
      age: DESCRIBED,
      sex: DESCRIBED,
      handedness: DESCRIBED,
      height: DESCRIBED,
      weight: DESCRIBED,
      utc_offset: DESCRIBED,
      recording_id: DESCRIBED,
      onset: DESCRIBED,
      duration: DESCRIBED,
      trial_type: DESCRIBED,
      kind: DESCRIBED,
      value: DESCRIBED,
      acq_time: DESCRIBED,
      // runs
      TaskName: leaf(codeOf(new Set(['daily']))),
      TaskDescription: OWN,
      TrackingSystemName: leaf(CAMEL_LABEL),
      DeviceSerialNumber: leaf(idLike('E')),
      SamplingFrequency: MEASURED,
      SamplingFrequencyEffective: MEASURED,
      RecordingDuration: MEASURED,
      StartTime: MEASURED,
      MotionChannelCount: MEASURED,
      TrackedPointsCount: MEASURED,
      Columns: { list: leaf(columnNames) },
      // outpost.json
      format: leaf(codeOf(new Set(['outpost-study-bids']))),
      formatVersion: MEASURED,
      isDeidentified: MEASURED,
      problems: { list: { fields: { own: { recordingId: leaf(idLike('R')), problems: { list: OWN } } } } },
      files: {
        list: {
          fields: {
            own: { path: leaf(FILE_PATH), sizeBytes: MEASURED, sha256: leaf(codeOf(/^[0-9a-f]{64}$/)) },
          },
        },
      },
    },
  },
};

const PLACE = codeOf(
  new Set([...LOCATIONS].flatMap((place) => [place, ...[...SIDES].map((side) => `${side}_${place}`)])),
);

const CORRECTED_KINDS: readonly string[] = CORRECTION_KINDS;

/** Columns of every TSV file with a header. */
const TSV_COLUMNS: Readonly<Record<string, Disclosure>> = {
  // derivatives; beats, minutes and variability are made from classed columns alone and not checked again
  ...Object.fromEntries(MEASURED_COLUMNS.map((name) => [name, MEASURE])),
  ...Object.fromEntries(INSTANT_COLUMNS.map((name) => [name, EARLIER_TIME])),
  algorithm_version: VERSION_TEXT,
  id: idLike('K'),
  is_in_force: codeOf(new Set(['true', 'false'])),
  code: codeOf(new Set<string>(BEAT_CODE_NAMES)),
  author_id: idLike('P'),
  undone_by_id: idLike('P'),
  participant_id: codeOf(new RegExp(`^${SUBJECT_LABEL}$`)),
  age: codeOf(/^(?:\d{1,2}|89\+)$/),
  sex: codeOf(new Set(['M', 'F'])),
  handedness: codeOf(new Set(['L', 'R'])),
  height: MEASURE,
  weight: MEASURE,
  session_id: codeOf(new RegExp(`^${SESSION}$`)),
  filename: FILE_PATH,
  acq_time: EARLIER_TIME,
  utc_offset: codeOf(new Set(['+00:00'])),
  recording_id: idLike('R'),
  onset: MEASURE,
  duration: MEASURE,
  // Disclosed by their classes; definition texts only when the export includes them.
  trial_type: OWN_WORDS,
  kind: codeOf(new Set(['activity', 'survey', 'answer', 'skipped', 'label', 'system', ...CORRECTED_KINDS])),
  value: OWN_WORDS,
  // signatures.tsv
  signed_ts: MEASURE,
  signer_role: codeOf(new Set(ROLES)),
  user_id: idLike('P'),
  meaning: codeOf(new Set(SIGNATURE_MEANINGS)),
  record: codeOf(new Set(SIGNED_KINDS)),
  record_id: codeOf(/^[SYRX]-[2-9A-HJ-NP-Z]{12}$/),
  subject_id: idLike('S'),
  date: codeOf(/^1[0-9]{3}-[01]\d-[0-3]\d$/),
  state: codeOf(new Set(['current', 'changed', 'gone'])),
  content_version: MEASURE,
  // channels.tsv
  name: columnNames,
  component: codeOf(new Set(['x', 'y', 'z', 'n/a'])),
  type: codeOf(new Set(['LATENCY', 'ACCEL', 'GYRO'])),
  tracked_point: PLACE,
  units: codeOf(new Set([...UNITS, 's'])),
};

const fits = (disclosure: Disclosure, value: unknown): boolean => {
  if (disclosure.kind === 'measure') {
    return typeof value === 'string'
      ? /^-?[\d.]+(?:e[+-]?\d+)?$/.test(value)
      : typeof value === 'number' || typeof value === 'boolean';
  }
  if (disclosure.kind !== 'code' || typeof value !== 'string') return false;
  return disclosure.known instanceof RegExp ? disclosure.known.test(value) : disclosure.known.has(value);
};

function declared(rule: Declared, value: unknown): unknown {
  if ('leaf' in rule) return fits(rule.leaf, value) ? value : undefined;
  if ('list' in rule) {
    return Array.isArray(value)
      ? value.map((item) => declared(rule.list, item)).filter((item) => item !== undefined)
      : undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const allowed: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) {
    const { own, columns, counts } = rule.fields;
    const isColumn = COLUMN_NAME.test(name) || DIMENSIONS.test(name);
    const next = own?.[name] ?? (isColumn ? columns : /^[A-Z]{3,8}ChannelCount$/.test(name) ? counts : undefined);
    const shown = next && declared(next, part);
    if (shown !== undefined) allowed[name] = shown;
  }
  return allowed;
}

function declaredTsv(text: string): string {
  const [header = [], ...rows] = text.split('\n').map((line) => line.split('\t'));
  const columns = header
    .map((name, i) => ({ i, disclosure: TSV_COLUMNS[name] }))
    .filter(({ disclosure }) => disclosure);
  const lines = rows
    .filter((cells) => cells.length === header.length)
    .map((cells) => columns.map(({ i, disclosure }) => (fits(disclosure!, cells[i]) ? cells[i] : 'n/a')));
  return [columns.map(({ i }) => header[i]), ...lines].map((cells) => `${cells.join('\t')}\n`).join('');
}

/**
 * Returns a filter that keeps what is declared in a JSON or TSV file, which it needs whole; undefined for plain text, and for samples,
 * minutes and variability, which grow with the length of the study.
 */
export function declaredText(path: string): ((text: string) => string) | undefined {
  if (path.endsWith('.json')) return (text) => `${JSON.stringify(declared(JSON_FIELDS, JSON.parse(text)), null, 2)}\n`;
  return path.endsWith('.tsv') && !/_(?:motion|desc-(?:minutes|hrv5min)_beh)\.tsv$/.test(path)
    ? declaredTsv
    : undefined;
}
