/** GENEActiv `.bin` files as recordings: acceleration and light per sample, temperature and battery per page. */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SignalChannel, SignalMark, SignalPage, SyncPoint } from '../../signals/types.ts';
import type { GapReason } from '../../vocabulary/coverage.ts';
import { type SourceStart, startAtOffset, startOfWallClock, wallClockOf } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty } from '../refusals.ts';
import { fileSize, readHead, sourceHash } from '../source-bytes.ts';
import { TimedPageBuilder } from '../timed-pages.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { type GeneactivHeader, parseGeneactivHeader } from './geneactiv-head.ts';
import { type GeneactivPage, PAGE_LINE, walkPages } from './geneactiv-pages.ts';
import { PageOrder, type PagePlace, usualPageUs, usualSerial } from './page-order.ts';

/** The header has 59 lines of at most some hundred characters. */
const MAX_HEADER_BYTES = 64 << 10;
/** Pages that tell the device, the usual distance of two, and which time is the first. */
const FIRST_PAGES = 9;
const SAMPLES = 300;
const GAP_PAGES = 1.5;
const MAX_MARKS = 100_000;
const SLOW_PAGE_US = 600_000_000;
const PLACES: readonly [RegExp, string][] = [
  [/wrist/, 'WRIST'],
  [/ankle/, 'ANKLE'],
  [/thigh/, 'ANTERIOR_THIGH'],
  [/waist/, 'SACRUM'],
  [/hip/, 'HIP'],
  [/chest/, 'MEDIAL_CHEST'],
];

export async function openGeneactiv(path: string, options: ImportOptions): Promise<ImportSource> {
  const sizeBytes = await fileSize(path);
  const head = await readHead(path, MAX_HEADER_BYTES);
  const startOffset = head.indexOf(`\n${PAGE_LINE}`) + 1;
  if (startOffset === 0) {
    // Headers are shorter than what was read, so there is no page behind them.
    parseGeneactivHeader(head.toString('latin1'), path);
    throw empty(path, 'it has a header and no page.');
  }
  const header = parseGeneactivHeader(head.toString('latin1', 0, startOffset), path);
  const handle = await open(path, 'r');
  try {
    const walk = { handle, sizeBytes, startOffset, signal: options.signal };
    const begin = await beginOf(walk, header);
    if (begin === null) throw damaged(path, 'none of its pages is whole.');
    const { firstUs, pageUs, serial } = begin;
    const notes: string[] = [];
    if (serial !== header.serial && header.serial !== '') {
      notes.push(`The header names the device ${header.serial}, the pages name ${serial}, which was taken.`);
    }
    const { startUs, clock } = startOf(firstUs, header, options, notes);
    const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
    const reader = new GeneactivReader({ header, serial, pageUs, toUtcUs: startUs - firstUs }, notes);
    let doneBytes = 0;
    async function* pages(): AsyncGenerator<SignalPage> {
      const onProgress = (done: number) => {
        doneBytes = done;
      };
      const steps = walkPages({ ...walk, onProgress }, (page) => reader.take(page));
      let step = await steps.next();
      for (; !step.done; step = await steps.next()) yield step.value;
      yield* reader.end(step.value);
    }
    const place = header.location.toLowerCase();
    const location = PLACES.find(([name]) => name.test(place))?.[1];
    const side = /left/.test(place) ? 'LEFT' : /right/.test(place) ? 'RIGHT' : undefined;
    const recording: ImportedRecording = {
      header: makeHeader(
        {
          channels: channelsOf(header),
          source: { format: 'GENEActiv', fileName: basename(path), sha256 },
          ...(location ? { location } : {}),
          ...(side ? { side } : {}),
          device: {
            maker: 'GENEActiv',
            model: header.model,
            serial,
            firmware: header.firmware,
            subjectCode: header.subjectCode,
          },
          syncPoints: driftOf(header, startUs - firstUs, notes),
        },
        options,
      ),
      pages,
      labels: [],
      marks: reader.marks,
      notes,
      progress: () => ({ doneBytes, totalBytes: sizeBytes }),
    };
    return { format: 'GENEActiv', clock, recordings: [recording], labels: [], close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

interface Begin {
  /** Of the first page whose time its neighbours confirm. */
  firstUs: number;
  pageUs: number;
  /** As the pages name it: each does, the header once. */
  serial: string;
}

async function beginOf(
  walk: { handle: FileHandle; sizeBytes: number; startOffset: number; signal: AbortSignal | undefined },
  header: GeneactivHeader,
): Promise<Begin | null> {
  const places: PagePlace[] = [];
  for await (const place of walkPages(walk, ({ serial, sequence, timeUs }) => [{ serial, sequence, timeUs }])) {
    places.push(place);
    if (places.length === FIRST_PAGES) break;
  }
  if (places.length === 0) return null;
  const serial = usualSerial(places) ?? (header.serial || places[0]!.serial);
  const own = places.filter((place) => place.serial === serial);
  const pageUs = usualPageUs(own) ?? (SAMPLES * 1e6) / header.rateHz;
  const order = new PageOrder(pageUs);
  const placed = own.flatMap((place) => order.push(place));
  const first = placed[0] ?? order.end()[0] ?? places[0]!;
  return { firstUs: first.timeUs, pageUs, serial };
}

function startOf(firstUs: number, header: GeneactivHeader, options: ImportOptions, notes: string[]): SourceStart {
  const wall = wallClockOf(firstUs);
  if (header.utcOffsetMinutes === undefined) return startOfWallClock(wall, options, notes);
  return startAtOffset(wall, header.utcOffsetMinutes);
}

/**
 * The readings of the device's clock at its configuration and at its download. The maker's program writes the difference at download
 * into a free text, in the language of the computer. They are stored beside the recording; its times are not stretched.
 */
function driftOf(header: GeneactivHeader, toUtcUs: number, notes: string[]): SyncPoint[] {
  const drift = /(-?\d+(?:[.,]\d+)?)\s*s\b/.exec(/drift[^)]*/i.exec(header.extractNotes)?.[0] ?? '');
  if (!drift || !header.configTime || !header.extractTime) return [];
  const seconds = Number(drift[1]!.replace(',', '.'));
  const utcUs = (wall: NonNullable<GeneactivHeader['configTime']>): number =>
    Number(wall.toZonedDateTime('UTC').epochNanoseconds / 1000n) + toUtcUs;
  const configUs = utcUs(header.configTime);
  const extractUs = utcUs(header.extractTime);
  notes.push(
    `The maker's program measured that the device's clock had drifted by ${seconds} s at the download. The times were not changed.`,
  );
  return [
    { sensorUs: configUs, hostUs: configUs },
    { sensorUs: extractUs + Math.round(seconds * 1e6), hostUs: extractUs },
  ];
}

function channelsOf({ rateHz, gain, offset, luxPerCount }: GeneactivHeader): SignalChannel[] {
  const slow = { dimensions: ['v'], nominalRateHz: Number((rateHz / 300).toPrecision(6)), offset: [0] };
  return [
    {
      type: 'ACCEL',
      dimensions: ['x', 'y', 'z'],
      unit: 'g',
      nominalRateHz: rateHz,
      scale: gain.map((one) => 100 / one),
      offset: offset.map((one, axis) => -one / gain[axis]!),
      sampleBits: 16,
    },
    {
      type: 'LIGHT',
      dimensions: ['v'],
      unit: 'lux',
      nominalRateHz: rateHz,
      scale: [luxPerCount],
      offset: [0],
      sampleBits: 16,
    },
    { type: 'TEMPERATURE', unit: 'degC', scale: [0.1], sampleBits: 16, ...slow },
    { type: 'BATTERY', unit: 'V', scale: [1e-4], sampleBits: 32, ...slow },
  ];
}

class GeneactivReader {
  readonly marks: SignalMark[] = [];
  readonly #header: GeneactivHeader;
  readonly #serial: string;
  readonly #order: PageOrder<Waiting>;
  readonly #toUtcUs: number;
  readonly #notes: string[];
  readonly #builders: TimedPageBuilder[];
  /** The page that waits for the time of the next one. */
  #waiting: Waiting | null = null;
  #periodUs: number;
  #lastSampleUs = Number.NEGATIVE_INFINITY;
  #isDown = false;
  #pages = 0;
  #missing = 0;
  /** Pages that had strayed before the waiting one. */
  #strayedBefore = 0;
  #repeated = 0;
  #foreign = 0;
  #cut = 0;
  #gaps = 0;

  constructor(
    { header, serial, pageUs, toUtcUs }: { header: GeneactivHeader; serial: string; pageUs: number; toUtcUs: number },
    notes: string[],
  ) {
    this.#header = header;
    this.#serial = serial;
    this.#order = new PageOrder(pageUs);
    this.#toUtcUs = toUtcUs;
    this.#notes = notes;
    this.#periodUs = 1e6 / header.rateHz;
    this.#builders = [
      new TimedPageBuilder(0, 3, 16, this.#periodUs),
      new TimedPageBuilder(1, 1, 16, this.#periodUs),
      new TimedPageBuilder(2, 1, 16, 300 * this.#periodUs, SLOW_PAGE_US),
      new TimedPageBuilder(3, 1, 32, 300 * this.#periodUs, SLOW_PAGE_US),
    ];
  }

  take(page: GeneactivPage): SignalPage[] {
    if (page.serial !== this.#serial) {
      this.#foreign++;
      return [];
    }
    const placed = this.#order.push(copyOf(page, page.timeUs + this.#toUtcUs));
    return placed.flatMap((next) => this.#place(next));
  }

  #place(page: Waiting): SignalPage[] {
    const { timeUs } = page;
    const before = this.#waiting;
    if (before && timeUs <= before.timeUs) {
      this.#repeated++;
      return [];
    }
    const made: SignalPage[] = [];
    if (before) {
      const stepUs = timeUs - before.timeUs;
      const isNext = page.sequence === before.sequence + 1;
      const expectedUs = before.count * this.#periodUs;
      if (isNext && stepUs < GAP_PAGES * expectedUs && stepUs > expectedUs / 2) this.#periodUs = stepUs / before.count;
      made.push(...this.#release(before));
      if (timeUs <= this.#lastSampleUs) {
        this.#repeated++;
        this.#waiting = null;
        return made;
      }
      if (timeUs - this.#lastSampleUs > GAP_PAGES * this.#periodUs) {
        const between = page.sequence - before.sequence - 1;
        // Those that strayed are in the file.
        this.#missing += Math.max(0, between - (this.#order.strayed - this.#strayedBefore));
        this.#mark(between > 0 ? 'LOST_BLOCK' : 'SENSOR_RESTART');
      }
    } else if (timeUs <= this.#lastSampleUs) {
      this.#repeated++;
      return made;
    }
    this.#waiting = page;
    this.#strayedBefore = this.#order.strayed;
    return made;
  }

  end(damagedPages: number): SignalPage[] {
    const made = this.#order.end().flatMap((page) => this.#place(page));
    if (this.#waiting) made.push(...this.#release(this.#waiting));
    for (const builder of this.#builders) made.push(...builder.flush());
    this.#note(damagedPages);
    return made;
  }

  #release(page: Waiting): SignalPage[] {
    this.#pages++;
    if (page.isCut) this.#cut = page.count;
    const times = new Float64Array(page.count);
    for (let i = 0; i < page.count; i++) times[i] = Math.round(page.timeUs + i * this.#periodUs);
    this.#lastSampleUs = times[page.count - 1]!;
    for (let i = 0; i < page.count; i++) {
      const isDown = page.buttons[i] === 1;
      if (isDown && !this.#isDown && this.marks.length < MAX_MARKS) {
        this.marks.push({ channel: 0, timeUs: times[i]!, reason: 'BUTTON' });
      }
      this.#isDown = isDown;
    }
    const [accel, light, temperature, battery] = this.#builders as [
      TimedPageBuilder,
      TimedPageBuilder,
      TimedPageBuilder,
      TimedPageBuilder,
    ];
    const at = Float64Array.of(page.timeUs);
    const one = (value: number) => [Int32Array.of(Math.round(value))];
    return [
      ...accel.push(times, page.columns.slice(0, 3), page.count),
      ...light.push(times, [page.columns[3]!], page.count),
      ...(Number.isNaN(page.temperature) ? [] : temperature.push(at, one(page.temperature * 10), 1)),
      ...(Number.isNaN(page.batteryV) ? [] : battery.push(at, one(page.batteryV * 1e4), 1)),
    ];
  }

  #mark(reason: GapReason): void {
    this.#gaps++;
    if (this.marks.length >= MAX_MARKS) return;
    for (const channel of [0, 1]) this.marks.push({ channel, timeUs: this.#lastSampleUs, reason });
  }

  #note(damagedPages: number): void {
    const notes = this.#notes;
    const pages = (n: number) => (n === 1 ? '1 page' : `${n} pages`);
    const note = (n: number, one: string, several: string): void => {
      if (n > 0) notes.push(n === 1 ? `1 page ${one}` : `${n} pages ${several}`);
    };
    note(damagedPages, 'was damaged or cut off and was left out.', 'were damaged or cut off and were left out.');
    if (this.#cut > 0)
      notes.push(`The file ends inside its last page, of which ${this.#cut} of 300 samples were read.`);
    note(this.#missing, "is missing by the device's count.", "are missing by the device's count.");
    note(this.#foreign, 'names another device and was left out.', 'name another device and were left out.');
    note(
      this.#order.strayed,
      'states a time that the pages around it contradict and was left out.',
      'state times that the pages around them contradict and were left out.',
    );
    note(
      this.#repeated,
      'repeats times that were read before and was left out.',
      'repeat times that were read before and were left out.',
    );
    if (this.#gaps > 0)
      notes.push(`The recording has ${this.#gaps === 1 ? '1 gap' : `${this.#gaps} gaps`}; nothing was filled in.`);
    const inFile = this.#pages + damagedPages + this.#order.strayed + this.#repeated + this.#foreign;
    if (inFile < this.#header.declaredPages) {
      notes.push(`The header announces ${pages(this.#header.declaredPages)}, the file holds ${inFile}.`);
    }
  }
}

interface Waiting extends Omit<GeneactivPage, 'columns'> {
  columns: Int32Array[];
}

/** A page outlives the memory of the reader by one page. */
function copyOf(page: GeneactivPage, timeUs: number): Waiting {
  return {
    ...page,
    timeUs,
    columns: page.columns.map((column) => column.slice(0, page.count)),
    buttons: page.buttons.slice(0, page.count),
  };
}
