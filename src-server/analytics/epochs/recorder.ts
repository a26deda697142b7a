/** Stage 1 of the epochs of one accelerometer: calibration in a first pass over its pages, epochs in a second, kept in a store. */
import type { ArrayStore, StoredHandle } from '../array-store.ts';
import type { SignalChunk, SignalSource } from '../types.ts';
import { autocalibrate } from './autocalibration.ts';
import { EpochExtractor, PIECE_EPOCHS, QUARTER_EPOCHS, QUARTER_VALUES } from './extract.ts';
import { StillWindows } from './still-windows.ts';
import type { Autocalibration, EpochPiece, EpochRows, EpochSource } from './types.ts';

/** Places of the arrays of a piece. */
const ARRAYS = ['enmo', 'enmoa', 'mad', 'angle', 'coverage', 'quarters'] as const;

export class EpochRecorder implements EpochSource {
  readonly #store: ArrayStore;
  readonly #source: SignalSource;
  readonly #span: readonly [startUs: number, stopUs: number];
  readonly #pieces: { firstEpoch: number; handle: StoredHandle }[] = [];
  #still: StillWindows | null;
  #extractor: EpochExtractor | null = null;
  #calibration: Autocalibration | null = null;

  constructor(
    source: SignalSource,
    store: ArrayStore,
    startUs = Number.NEGATIVE_INFINITY,
    stopUs = Number.POSITIVE_INFINITY,
  ) {
    this.#source = source;
    this.#store = store;
    this.#span = [startUs, stopUs];
    this.#still = new StillWindows(source, startUs, stopUs);
  }

  /** Whether the first pass needs no more pages. */
  get isSurveyed(): boolean {
    return this.#still === null || this.#still.isEnough;
  }

  /** Takes a page in the first pass. */
  survey(chunk: SignalChunk): void {
    this.#still?.add(chunk);
  }

  /** Ends the first pass, with which the sensor is calibrated. */
  endSurvey(): void {
    this.#begin();
  }

  /** Takes a page in the second pass. Without a first one the sensor would count as not calibrated, so that is refused. */
  add(chunk: SignalChunk): void {
    if (this.#extractor === null)
      throw new Error('An accelerometer that is calibrated is surveyed before its pages are added.');
    this.#extractor.add(chunk);
  }

  finish(): void {
    this.#begin();
    this.#extractor!.finish();
  }

  get calibration(): Autocalibration {
    this.#begin();
    return this.#calibration!;
  }

  get firstEpoch(): number {
    return this.#pieces[0]?.firstEpoch ?? 0;
  }

  get stopEpoch(): number {
    const last = this.#pieces.at(-1);
    return last ? last.firstEpoch + PIECE_EPOCHS : 0;
  }

  read(fromEpoch: number, toEpoch: number): EpochRows {
    const count = Math.max(0, toEpoch - fromEpoch);
    const firstQuarter = Math.floor(fromEpoch / QUARTER_EPOCHS);
    const quarterCount = Math.max(0, Math.ceil(toEpoch / QUARTER_EPOCHS) - firstQuarter);
    const missing = () => new Float32Array(count).fill(Number.NaN);
    const rows: EpochRows = {
      firstEpoch: fromEpoch,
      count,
      enmo: missing(),
      enmoa: missing(),
      mad: missing(),
      angle: missing(),
      coverage: new Uint8Array(count),
      quarters: new Float32Array(quarterCount * QUARTER_VALUES),
    };
    for (const { firstEpoch, handle } of this.#pieces) {
      const from = Math.max(fromEpoch, firstEpoch);
      const to = Math.min(toEpoch, firstEpoch + PIECE_EPOCHS);
      if (to <= from) continue;
      for (const [index, name] of ARRAYS.entries()) {
        if (name === 'quarters') {
          const begin = Math.floor(from / QUARTER_EPOCHS);
          const end = Math.ceil(to / QUARTER_EPOCHS);
          const at = (begin - firstQuarter) * QUARTER_VALUES;
          const target = rows.quarters.subarray(at, at + (end - begin) * QUARTER_VALUES);
          this.#store.read(handle, index, (begin - firstEpoch / QUARTER_EPOCHS) * QUARTER_VALUES, target);
        } else {
          const target = rows[name].subarray(from - fromEpoch, to - fromEpoch);
          this.#store.read(handle, index, from - firstEpoch, target);
        }
      }
    }
    return rows;
  }

  #begin(): EpochExtractor {
    if (this.#extractor !== null) return this.#extractor;
    this.#still!.finish();
    this.#calibration = autocalibrate(this.#still!);
    this.#still = null;
    const take = (piece: EpochPiece): void => {
      const handle = this.#store.put(ARRAYS.map((name) => piece[name]));
      this.#pieces.push({ firstEpoch: piece.firstEpoch, handle });
    };
    this.#extractor = new EpochExtractor(this.#source, this.#calibration, ...this.#span, take);
    return this.#extractor;
  }
}
