/**
 * ECGs in DICOM: the multiplex groups that were recorded. Those that were derived from them, such as a median beat, are left out, and of the
 * patient only the code is taken.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { OutpostError } from '../../errors.ts';
import { damaged, empty, unsupported } from '../refusals.ts';
import { fileSize, sourceHash } from '../source-bytes.ts';
import type { ImportOptions, ImportSource } from '../types.ts';
import { unitFactor, unknownUnit } from '../units.ts';
import { type DicomSet, readDicom } from './dicom-elements.ts';
import { hl7Time } from './hl7-time.ts';
import { leadsByRuns } from './lead-padding.ts';
import { type RestingGroup, type RestingLead, restingSource } from './resting-recording.ts';

const FORMAT = 'DICOM ECG';
const MAX_BYTES = 256 << 20;
const DAY_MS = 86_400_000;
const WAVEFORM_CLASS = '1.2.840.10008.5.1.4.1.1.9.';

const SOP_CLASS = 0x0008_0016;
const STUDY_DATE = 0x0008_0020;
const ACQUISITION_DATE = 0x0008_0022;
const ACQUISITION_TIME_AND_DATE = 0x0008_002a;
const STUDY_TIME = 0x0008_0030;
const ACQUISITION_TIME = 0x0008_0032;
const UTC_OFFSET = 0x0008_0201;
const MODEL = 0x0008_1090;
const SERIAL = 0x0018_1000;
const PATIENT_ID = 0x0010_0020;
const CODE_VALUE = 0x0008_0100;
const CODE_MEANING = 0x0008_0104;
const GROUP_OFFSET_MS = 0x0018_1068;
const ORIGINALITY = 0x003a_0004;
const CHANNEL_COUNT = 0x003a_0005;
const SAMPLE_COUNT = 0x003a_0010;
const RATE = 0x003a_001a;
const CHANNELS = 0x003a_0200;
const CHANNEL_LABEL = 0x003a_0203;
const CHANNEL_SOURCE = 0x003a_0208;
const SENSITIVITY = 0x003a_0210;
const SENSITIVITY_UNITS = 0x003a_0211;
const CORRECTION = 0x003a_0212;
const BASELINE = 0x003a_0213;
const BITS = 0x5400_1004;
const INTERPRETATION = 0x5400_1006;
const PADDING = 0x5400_100a;
const WAVEFORMS = 0x5400_0100;
const WAVEFORM_DATA = 0x5400_1010;

const LEAD = /^(?:lead\s+)?(aV[RLF]|I{1,3}|V\d{1,2}R?)(?=\s|$|\()/i;

export async function openDicom(path: string, options: ImportOptions): Promise<ImportSource> {
  const sizeBytes = await fileSize(path);
  if (sizeBytes > MAX_BYTES) throw unsupported(path, 'it is larger than any resting ECG.');
  const set = readDicom(await readFile(path), path);
  const waveforms = set.items(WAVEFORMS);
  if (!set.text(SOP_CLASS).startsWith(WAVEFORM_CLASS) && waveforms.length === 0) {
    throw unsupported(path, 'it is a DICOM file without an ECG.');
  }
  if (waveforms.length === 0) throw empty(path, 'it has no waveform.');
  const notes: string[] = [];
  const groups = recordedGroups(path, set, waveforms, notes);
  const [subjectCode, model, serial] = [PATIENT_ID, MODEL, SERIAL].map((tag) => set.text(tag).slice(0, 80));
  return restingSource(
    {
      format: FORMAT,
      groups,
      notes,
      ...(subjectCode && { subjectCode }),
      ...(model && { model }),
      ...(serial && { serial }),
    },
    {
      path,
      fileName: basename(path),
      sha256: options.withoutHash ? '' : await sourceHash([path], options.signal),
      sizeBytes,
    },
    options,
  );
}

/** The first group has to be readable; a further one, such as a pressure, is left out where it is not. */
function recordedGroups(path: string, set: DicomSet, waveforms: readonly DicomSet[], notes: string[]): RestingGroup[] {
  const original = waveforms.filter((group) => group.text(ORIGINALITY) !== 'DERIVED');
  if (original.length === 0)
    notes.push('The file says of all its waveforms that they are derived. The first was taken.');
  const recorded = original.length > 0 ? original : waveforms.slice(0, 1);
  const derived = waveforms.length - recorded.length;
  if (derived > 0) {
    notes.push(
      `${derived} derived ${derived === 1 ? 'waveform was' : 'waveforms were'} left out, such as a median beat.`,
    );
  }
  let unread = 0;
  const groups = recorded.flatMap((group, index) => {
    try {
      return groupsOf(path, set, group, notes);
    } catch (error) {
      if (index === 0 || !(error instanceof OutpostError)) throw error;
      unread++;
      return [];
    }
  });
  if (unread > 0) {
    notes.push(
      `${unread} further ${unread === 1 ? 'waveform is' : 'waveforms are'} no ECG that can be read, and left out.`,
    );
  }
  return groups;
}

function groupsOf(path: string, set: DicomSet, group: DicomSet, notes: string[]): RestingGroup[] {
  const definitions = group.items(CHANNELS);
  const channelCount = group.whole(CHANNEL_COUNT);
  const data = group.bytes(WAVEFORM_DATA);
  if (group.whole(BITS) !== 16 || !/^(?:SS|)$/.test(group.text(INTERPRETATION))) {
    throw unsupported(path, 'its samples are not 16-bit whole numbers.');
  }
  if (!data || !(channelCount >= 1) || definitions.length !== channelCount) {
    throw damaged(path, 'its waveform does not describe its channels.');
  }
  const declared = group.whole(SAMPLE_COUNT);
  const count = Math.min(declared, Math.floor(data.length / 2 / channelCount));
  if (!(count >= 1)) throw empty(path, 'its waveform has no samples.');
  const leads = definitions.map((definition, channel): RestingLead => {
    const name = nameOf(definition, channel);
    const unit = definition.items(SENSITIVITY_UNITS)[0]?.text(CODE_VALUE) ?? '';
    const perUnit = unitFactor('VOLTAGE', unit);
    if (perUnit === undefined) throw unknownUnit(path, name, unit, 'VOLTAGE');
    const sensitivity = definition.decimal(SENSITIVITY);
    if (!(sensitivity > 0)) throw damaged(path, `lead ${name} has no sensitivity.`);
    const correction = definition.decimal(CORRECTION);
    const baseline = definition.decimal(BASELINE);
    const voltsPerCount = sensitivity * (Number.isNaN(correction) ? 1 : correction) * perUnit;
    const counts = new Int32Array(count);
    for (let i = 0; i < count; i++) counts[i] = data.readInt16LE((i * channelCount + channel) * 2);
    // PS3.3, C.10.9: the baseline is in the units of the sensitivity, not in counts.
    return { name, counts, voltsPerCount, zeroVolts: Number.isNaN(baseline) ? 0 : baseline * perUnit };
  });
  const rateHz = group.decimal(RATE);
  if (!(rateHz > 0)) throw damaged(path, 'its sampling rate cannot be.');
  const padding = group.bytes(PADDING);
  const { parts, padded } = leadsByRuns(leads, padding?.length === 2 ? padding.readInt16LE(0) : null, rateHz);
  if (parts.length === 0) throw empty(path, 'its waveform holds nothing but padding.');
  if (padded.length > 0) notes.push(`Padding where a lead was not recorded was left out: ${padded.join(', ')}.`);
  const { start, utcOffsetMinutes } = timeOf(path, set);
  const offsetMs = group.decimal(GROUP_OFFSET_MS);
  if (Math.abs(offsetMs) > DAY_MS) throw damaged(path, 'the offset of its waveform cannot be.');
  const begun = Number.isNaN(offsetMs) ? start : start.add({ microseconds: Math.round(offsetMs * 1000) });
  return parts.map((part) => ({ ...part, rateHz, start: begun, utcOffsetMinutes }));
}

/** `Lead I (Einthoven)`, `Lead aVR`, or the label that the recorder gave. */
function nameOf(definition: DicomSet, channel: number): string {
  const meaning = definition.items(CHANNEL_SOURCE)[0]?.text(CODE_MEANING) ?? '';
  const label = definition.text(CHANNEL_LABEL);
  return LEAD.exec(meaning)?.[1] ?? LEAD.exec(label)?.[1] ?? (label || meaning || `channel ${channel + 1}`);
}

function timeOf(path: string, set: DicomSet): Pick<RestingGroup, 'start' | 'utcOffsetMinutes'> {
  const offset = /^[+-]\d{4}$/.exec(set.text(UTC_OFFSET))?.[0] ?? '';
  const texts = [
    set.text(ACQUISITION_TIME_AND_DATE),
    set.text(ACQUISITION_DATE) + set.text(ACQUISITION_TIME),
    set.text(STUDY_DATE) + set.text(STUDY_TIME),
  ];
  for (const text of texts) {
    const found = hl7Time(/[+-]\d{4}$/.test(text) ? text : text + offset);
    if (found) return found;
  }
  throw damaged(path, 'it does not say when it was recorded.');
}
