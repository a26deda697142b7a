/**
 * Annotated ECGs of HL7: the rhythm that was recorded, of each series its leads. Beats that were derived from it, annotations and what the file
 * says of persons are not taken, except for the code of the subject.
 */
import { basename } from 'node:path';
import { fileChunks } from '../csv/mc10-source.ts';
import { damaged, empty, throwIfAborted, unsupported } from '../refusals.ts';
import { fileSize, sourceHash } from '../source-bytes.ts';
import type { ImportOptions, ImportSource } from '../types.ts';
import { type Attributes, xmlElements } from '../unisens/xml-elements.ts';
import { timeUnit, unitFactor, unknownUnit } from '../units.ts';
import { hl7Time } from './hl7-time.ts';
import { type RestingGroup, type RestingLead, restingSource } from './resting-recording.ts';

const FORMAT = 'HL7 aECG';
const LIMITS = { depth: 64, textCharacters: 1 << 24 };
const MAX_BYTES = 256 << 20;
const LEAD = /^MDC_ECG_LEAD_(.+)$/i;

/** One sequence: of times, or of the values of a lead. */
interface Sequence {
  code: string;
  head: string;
  headUnit: string;
  increment: { value: number; unit: string } | null;
  origin: { value: number; unit: string };
  scale: { value: number; unit: string };
  digits: string;
}

interface SequenceSet {
  sequences: Sequence[];
}

interface Series {
  code: string;
  lowTime: string;
  isDerived: boolean;
  sets: SequenceSet[];
}

const quantity = (attributes: Attributes): { value: number; unit: string } => ({
  value: Number(attributes.get('value') ?? Number.NaN),
  unit: attributes.get('unit') ?? '',
});

/** Collects the series of a file. */
class AecgElements {
  readonly #stack: string[] = [];
  readonly #series: Series[] = [];
  readonly found: Series[] = [];
  #set: SequenceSet | null = null;
  #sequence: Sequence | null = null;
  subjectCode: string | undefined;
  model: string | undefined;

  opened(name: string, attributes: Attributes): void {
    const parent = this.#stack.at(-1);
    this.#stack.push(name);
    const series = this.#series.at(-1);
    if (name === 'series' || name === 'derivedSeries') {
      const isDerived = name === 'derivedSeries' || this.#stack.includes('derivation');
      const opened: Series = { code: '', lowTime: '', isDerived, sets: [] };
      this.#series.push(opened);
      this.found.push(opened);
    } else if (name === 'sequenceSet' && series) {
      this.#set = { sequences: [] };
      series.sets.push(this.#set);
    } else if (name === 'sequence' && this.#set) {
      const none = { value: Number.NaN, unit: '' };
      this.#sequence = { code: '', head: '', headUnit: '', increment: null, origin: none, scale: none, digits: '' };
      this.#set.sequences.push(this.#sequence);
    } else if (name === 'code') {
      const code = attributes.get('code') ?? '';
      if (parent === 'sequence' && this.#sequence) this.#sequence.code ||= code;
      else if ((parent === 'series' || parent === 'derivedSeries') && series) series.code ||= code;
    } else if (name === 'low' && parent === 'effectiveTime' && this.#stack.at(-3) === 'series' && series) {
      series.lowTime ||= attributes.get('value') ?? '';
    } else if (name === 'id' && parent === 'trialSubject') this.subjectCode ??= attributes.get('extension');
    else if (this.#sequence) {
      if (name === 'head') {
        this.#sequence.head = attributes.get('value') ?? '';
        this.#sequence.headUnit = attributes.get('unit') ?? '';
      }
      if (name === 'increment') this.#sequence.increment = quantity(attributes);
      if (name === 'origin') this.#sequence.origin = quantity(attributes);
      if (name === 'scale') this.#sequence.scale = quantity(attributes);
    }
  }

  closed(name: string, text: string): void {
    this.#stack.pop();
    if (name === 'series' || name === 'derivedSeries') this.#series.pop();
    else if (name === 'sequenceSet') this.#set = null;
    else if (name === 'sequence') this.#sequence = null;
    else if (name === 'digits' && this.#sequence) this.#sequence.digits = text;
    else if (name === 'manufacturerModelName') this.model ??= text.trim().slice(0, 100) || undefined;
  }
}

export async function openAecg(path: string, options: ImportOptions): Promise<ImportSource> {
  const fileName = basename(path);
  const sizeBytes = await fileSize(path);
  if (sizeBytes > MAX_BYTES) throw unsupported(path, 'it is larger than any resting ECG.');
  const elements = new AecgElements();
  const member = { name: fileName, sizeBytes, open: () => fileChunks(path) };
  for await (const _ of xmlElements(member, elements, undefined, LIMITS)) throwIfAborted(options.signal);
  const notes: string[] = [];
  const rhythms = elements.found.filter(({ code, isDerived }) => !isDerived && /^(?:RHYTHM|)$/i.test(code));
  const groups = rhythms.flatMap((series) => series.sets.flatMap((set) => groupsOf(path, series, set)));
  if (groups.length === 0) throw empty(path, 'it has no rhythm with the values of a lead.');
  const others = elements.found.length - rhythms.length;
  if (others > 0) notes.push(`${others} series of derived beats were left out.`);
  const { subjectCode, model } = elements;
  return restingSource(
    {
      format: FORMAT,
      groups,
      notes,
      ...(subjectCode && { subjectCode: subjectCode.slice(0, 80) }),
      ...(model && { model }),
    },
    {
      path,
      fileName,
      sha256: options.withoutHash ? '' : await sourceHash([path], options.signal),
      sizeBytes,
    },
    options,
  );
}

/** The leads of a set, those of one length together. */
function groupsOf(path: string, series: Series, { sequences }: SequenceSet): RestingGroup[] {
  const leads = sequences.flatMap((sequence) => leadOf(path, sequence) ?? []);
  if (leads.length === 0) return [];
  const time = sequences.find(({ code }) => /^TIME_/i.test(code));
  if (!time?.increment) throw damaged(path, 'it does not say how fast its leads were sampled.');
  const unit = timeUnit(time.increment.unit);
  const stepSeconds = unit?.kind === 'number' ? time.increment.value * 10 ** (unit.power - 6) : Number.NaN;
  if (!(stepSeconds > 0)) throw damaged(path, 'the distance between its samples is no time.');
  const placed = hl7Time(/^TIME_ABSOLUTE$/i.test(time.code) ? time.head : '') ?? relativeTime(path, series, time);
  if (!placed) throw damaged(path, 'it does not say when it was recorded.');
  // 0.002 s are 500 Hz, not 499.99999.
  const rateHz = Number((1 / stepSeconds).toPrecision(12));
  const byLength = Map.groupBy(leads, ({ counts }) => counts.length);
  return [...byLength.values()].map((held) => ({ leads: held, rateHz, ...placed }));
}

/** The head of a relative time counts from where the series begins. */
function relativeTime(path: string, { lowTime }: Series, { code, head, headUnit, increment }: Sequence) {
  const low = hl7Time(lowTime);
  if (!low || head.trim() === '' || !/^TIME_RELATIVE$/i.test(code)) return low;
  const unit = timeUnit(headUnit || increment!.unit);
  const microseconds = unit?.kind === 'number' ? Math.round(Number(head) * 10 ** unit.power) : Number.NaN;
  if (!Number.isSafeInteger(microseconds)) throw damaged(path, 'the time at which its leads begin is no time.');
  return { ...low, start: low.start.add({ microseconds }) };
}

function leadOf(path: string, { code, origin, scale, digits }: Sequence): RestingLead | null {
  const name = LEAD.exec(code)?.[1];
  if (name === undefined || digits.trim() === '') return null;
  const texts = digits.trim().split(/[\s,]+/);
  const counts = Int32Array.from(texts, Number);
  if (texts.some((text) => !/^[-+]?\d+$/.test(text)))
    throw damaged(path, `lead ${name} holds something else than counts.`);
  const perScale = unitFactor('VOLTAGE', scale.unit);
  if (perScale === undefined) throw unknownUnit(path, name, scale.unit, 'VOLTAGE');
  if (!(scale.value > 0)) throw damaged(path, `lead ${name} has no scale.`);
  const perOrigin = unitFactor('VOLTAGE', origin.unit) ?? perScale;
  return {
    name: name.replace(/^AV([RLF])$/i, 'aV$1'),
    counts,
    voltsPerCount: scale.value * perScale,
    zeroVolts: Number.isNaN(origin.value) ? 0 : origin.value * perOrigin,
  };
}
