import { BEAT_PREMATURE_VENTRICULAR, type Beats, type BodyState, breathPhase } from './body-state.ts';
import { ACTIVITY, type SecondsSpan } from './day-plan.ts';
import type { SubjectProfile } from './profile.ts';
import type { Random } from './random.ts';
import { type PageSpan, toCount } from './sensor-clock.ts';
import { SpanCursor } from './span-cursor.ts';

/** One count of a real electrode channel: 0.40333 V over 16 bits, so it saturates at +-0.201667 V. */
export const ECG_SCALE_V = 0.40333 / 65535;

/** Waves P, Q, R, S, T as angles of the heart cycle (degrees), strengths and widths (radians). */
type Waves = readonly (readonly [angle: number, strength: number, width: number])[];

// Table 1 of McSharry, Clifford, Tarassenko and Smith, "A dynamical model for generating synthetic electrocardiogram
// signals", IEEE Trans Biomed Eng 50(3), 2003, with T and its width as in the authors' ECGSYN.
const SINUS_WAVES: Waves = [
  [-70, 1.2, 0.25],
  [-15, -5, 0.1],
  [0, 30, 0.1],
  [15, -7.5, 0.1],
  [100, 0.75, 0.4],
];
// A premature ventricular beat in the same model: no P, a wide QRS, T against the QRS.
const VENTRICULAR_WAVES: Waves = [
  [-14, 1.2, 0.2],
  [0, 7.5, 0.22],
  [26, -2.4, 0.28],
  [110, -1.1, 0.42],
];

const TEMPLATE_RATE_HZ = 2000;
const TEMPLATE_START_SECONDS = -0.4;
const TEMPLATE_STOP_SECONDS = 0.75;
const TEMPLATE_LENGTH = Math.round((TEMPLATE_STOP_SECONDS - TEMPLATE_START_SECONDS) * TEMPLATE_RATE_HZ);
const SHORTEST_RR_SECONDS = 0.3;
const RR_STEP_SECONDS = 0.05;
const RR_STEPS = 32;

/**
 * One beat of the model for one RR interval, sampled finely with R height 1 at time 0. With an angular velocity that is
 * constant within a beat, the model's z(t) is the sum of its Gaussians, each of height strength * width^2; ECGSYN's
 * rate-dependent angles and widths are applied (QRS keeps nearly its width, QT shortens less than RR).
 */
const beatTemplate = (waves: Waves, rrSeconds: number): Float32Array => {
  const rateFactor = Math.sqrt(1 / rrSeconds);
  const value = (time: number): number => {
    let sum = 0;
    for (const [angle, strength, width] of waves) {
      const angleFactor = Math.abs(angle) > 30 ? Math.sqrt(rateFactor) : rateFactor;
      const centre = (angle / 360) * angleFactor * rrSeconds;
      const sigma = ((width * rateFactor) / (2 * Math.PI)) * rrSeconds;
      sum += strength * width * width * Math.exp(-((time - centre) ** 2) / (2 * sigma * sigma));
    }
    return sum;
  };
  // Q and S shift the summit of R by some milliseconds; the ground truth is the summit.
  let peak = 0;
  for (let t = -0.03; t <= 0.03; t += 0.0002) if (value(t) > value(peak)) peak = t;
  const height = value(peak);
  const template = new Float32Array(TEMPLATE_LENGTH + 1);
  for (let i = 0; i <= TEMPLATE_LENGTH; i++)
    template[i] = value(peak + TEMPLATE_START_SECONDS + i / TEMPLATE_RATE_HZ) / height;
  return template;
};

const templatesOf = (waves: Waves): Float32Array[] =>
  Array.from({ length: RR_STEPS }, (_, i) => beatTemplate(waves, SHORTEST_RR_SECONDS + i * RR_STEP_SECONDS));

let templates: { sinus: Float32Array[]; ventricular: Float32Array[] } | undefined;

/** Noise relative to rest, and size of the motion artefact in volts, by activity. */
const disturbance = (activity: number): [noise: number, artefactV: number] => {
  if (activity === ACTIVITY.sleeping) return [0.8, 0];
  if (activity === ACTIVITY.lying || activity === ACTIVITY.sitting) return [1, 4e-6];
  if (activity === ACTIVITY.standing) return [1.3, 10e-6];
  if (activity === ACTIVITY.walking) return [2, 60e-6];
  if (activity === ACTIVITY.cycling) return [2.4, 50e-6];
  return [3.5, 150e-6];
};

/** Samples between the knots of the slow components (wander, breathing, artefacts), which are interpolated linearly. */
const KNOT_SAMPLES = 16;

/**
 * Renders the ECG of one sensor page by page. Pages must be requested in time order: wander and noise continue from page to
 * page.
 */
export class EcgRenderer {
  readonly #random: Random;
  readonly #profile: SubjectProfile;
  readonly #state: BodyState;
  readonly #beats: Beats;
  readonly #offBody: SecondsSpan[];
  readonly #off: SpanCursor;
  readonly #startUs: number;
  #beat = 0;
  #wander = 0;
  #artefact = 0;
  #offset = 0;
  #buffer = new Float64Array(0);

  /** @param startUs time of second 0 of `state`, `beats` and `offBody` */
  constructor(
    random: Random,
    profile: SubjectProfile,
    state: BodyState,
    beats: Beats,
    offBody: SecondsSpan[],
    startUs: number,
  ) {
    this.#random = random;
    this.#profile = profile;
    this.#state = state;
    this.#beats = beats;
    this.#offBody = offBody;
    this.#off = new SpanCursor(offBody);
    this.#startUs = startUs;
    templates ??= { sinus: templatesOf(SINUS_WAVES), ventricular: templatesOf(VENTRICULAR_WAVES) };
  }

  /** Counts of one page; physical value = count * ECG_SCALE_V. */
  render(page: PageSpan): Int16Array {
    if (this.#buffer.length < page.count) this.#buffer = new Float64Array(page.count);
    const volts = this.#buffer;
    this.#renderBackground(page, volts);
    this.#addBeats(page, volts);
    const counts = new Int16Array(page.count);
    for (let i = 0; i < page.count; i++) counts[i] = toCount(volts[i]! / ECG_SCALE_V);
    return counts;
  }

  #renderBackground(page: PageSpan, volts: Float64Array): void {
    const random = this.#random;
    const profile = this.#profile;
    const periodSeconds = page.periodUs / 1e6;
    const first = (page.startUs - this.#startUs) / 1e6;
    const lastSecond = this.#state.activity.length - 1;
    const stepSeconds = KNOT_SAMPLES * periodSeconds;
    const mainsTurn = 2 * Math.PI * profile.mainsHz * periodSeconds;
    const mainsCos = Math.cos(mainsTurn);
    const mainsSin = Math.sin(mainsTurn);
    let hum = Math.sin(2 * Math.PI * profile.mainsHz * first);
    let humSide = Math.cos(2 * Math.PI * profile.mainsHz * first);
    let level = this.#levelAt(first, stepSeconds);
    for (let from = 0; from < page.count; from += KNOT_SAMPLES) {
      const to = Math.min(page.count, from + KNOT_SAMPLES);
      const time = first + from * periodSeconds;
      const off = this.#off.at(time) !== undefined;
      const next = this.#levelAt(time + stepSeconds, stepSeconds);
      const slope = (next - level) / KNOT_SAMPLES;
      const noiseV = off
        ? 3e-6
        : profile.ecgNoiseV * disturbance(this.#state.activity[Math.min(lastSecond, Math.floor(time))]!)[0];
      // Bare electrodes pick up mains hum.
      const humV = off ? 40 * profile.mainsV : profile.mainsV;
      for (let i = from; i < to; i++) {
        volts[i] = level + slope * (i - from) + noiseV * random.fastNormal() + humV * hum;
        const turned = hum * mainsCos + humSide * mainsSin;
        humSide = humSide * mainsCos - hum * mainsSin;
        hum = turned;
      }
      level = next;
    }
  }

  /** Slow components at one knot: electrode drift, breathing and motion artefact; off the skin the input drifts to its rail. */
  #levelAt(time: number, stepSeconds: number): number {
    const random = this.#random;
    const second = Math.max(0, Math.min(this.#state.activity.length - 1, Math.floor(time)));
    const artefactV = disturbance(this.#state.activity[second]!)[1];
    this.#wander += (-this.#wander / 4) * stepSeconds + 30e-6 * Math.sqrt(stepSeconds) * random.fastNormal();
    // A relaxation time of 0.15 s puts most of the artefact's power around the step rate.
    this.#artefact +=
      -this.#artefact * Math.min(1, stepSeconds / 0.15) +
      artefactV * Math.sqrt(stepSeconds / 0.075) * random.fastNormal();
    const off = this.#off.at(time) !== undefined;
    this.#offset += ((off ? 0.35 : 0) - this.#offset) * Math.min(1, stepSeconds / (off ? 8 : 0.8));
    const breathing = off ? 0 : 25e-6 * Math.sin(2 * Math.PI * breathPhase(this.#state.breaths, Math.max(0, time)));
    return this.#offset + this.#wander + this.#artefact + breathing;
  }

  #addBeats(page: PageSpan, volts: Float64Array): void {
    const { times, kinds, count } = this.#beats;
    const { sinus, ventricular } = templates as NonNullable<typeof templates>;
    const periodSeconds = page.periodUs / 1e6;
    const first = (page.startUs - this.#startUs) / 1e6;
    const stop = first + page.count * periodSeconds;
    while (this.#beat < count && times[this.#beat]! + TEMPLATE_STOP_SECONDS < first) this.#beat++;
    const increment = periodSeconds * TEMPLATE_RATE_HZ;
    for (let b = this.#beat; b < count && times[b]! + TEMPLATE_START_SECONDS < stop; b++) {
      const time = times[b]!;
      if (this.#offBody.some((span) => span.start <= time && time < span.stop)) continue;
      const rr = b > 0 ? time - times[b - 1]! : 0.8;
      const isVentricular = kinds[b] === BEAT_PREMATURE_VENTRICULAR;
      const bin = Math.max(0, Math.min(RR_STEPS - 1, Math.round((rr - SHORTEST_RR_SECONDS) / RR_STEP_SECONDS)));
      const template = isVentricular ? ventricular[Math.max(bin, 8)]! : sinus[bin]!;
      // Breathing rotates the heart's axis and moves the electrodes: the basis of ECG-derived respiration.
      const breathing = 0.07 * Math.sin(2 * Math.PI * breathPhase(this.#state.breaths, time));
      const height = this.#profile.rWaveV * (1 + breathing) * (isVentricular ? 1.25 : 1);
      const from = Math.max(0, Math.ceil((time + TEMPLATE_START_SECONDS - first) / periodSeconds));
      const to = Math.min(page.count, Math.floor((time + TEMPLATE_STOP_SECONDS - first) / periodSeconds));
      let position = (first + from * periodSeconds - time - TEMPLATE_START_SECONDS) * TEMPLATE_RATE_HZ;
      for (let i = from; i < to; i++) {
        const index = Math.floor(position);
        const low = template[index]!;
        volts[i]! += height * (low + (template[index + 1]! - low) * (position - index));
        position += increment;
      }
    }
  }
}
