/**
 * Sleep detection: sustained inactivity while lying (van Hees et al. 2015, 2018), confirmed and trimmed by heart rate where
 * there is an ECG.
 */
import type { MotionSpan } from '../motion/index.ts';
import { ACTIVITIES, LYING_POSTURES, type SleepPeriod } from '../types.ts';

/** Input of sleep detection, usually noon to noon with an hour's margin on both sides. */
interface SleepInput {
  /** From `fuseMotion` over the same span. */
  motion: MotionSpan;
  /** Heart rate in beats/min per second of the span, NaN where unknown; absent without an ECG. */
  heartRate?: Float32Array;
}

/** Sleep over the same seconds as the input. */
export interface SleepResult {
  /** 1 while asleep; only in worn seconds. Such a second's activity is SLEEPING:LYING. */
  asleep: Uint8Array;
  /** Codes of LYING_POSTURES (a pair is first + 16 * second) in seconds asleep with a trunk sensor, else 0. */
  sleepingPosture: Uint8Array;
  /** All sleep periods of the span, naps included, in time order. */
  periods: SleepPeriod[];
}

/** Sustained inactivity: no posture change above 5 degrees for 5 minutes (van Hees et al. 2015, PLoS ONE 10:e0142533). */
const TURN_DEGREES = 5;
const INACTIVE_SECONDS = 300;
/** Movement of the trunk or thigh (SD of a second, g) beyond breathing and twitching. */
export const STIR_G = 0.1;
/** Sleep starts with 10 immobile minutes (the Actiware rule for sleep start). */
const FIRST_INACTIVE_SECONDS = 600;
/** Getting up for less than an hour does not end the night (van Hees et al. 2018, HDCZA, Sci Rep 8:12975). */
const LONGEST_INTERRUPTION_SECONDS = 3600;
/** Turning over takes a minute or two and does not wake the sleeper. */
const TURNING_SECONDS = 120;
const SHORTEST_NAP_SECONDS = 1200;
/** Where lying cannot be distinguished from sitting, only stillness of this length counts as sleep. */
const SHORTEST_UNSURE_SECONDS = 3 * 3600;
/** A shorter lying rest is a nap, which needs the fall of heart rate that sleep brings if there is an ECG. */
const NIGHT_SECONDS = 3 * 3600;
const LEAST_HEART_SECONDS = 300;
/** Heart rate falls by 5 to 20 % from quiet waking to sleep (Snyder et al. 1964, J Appl Physiol 19:417). */
const CLEAR_FALL_BPM = 4;
const HEART_WINDOW_SECONDS = 300;
const LONGEST_TRIM_SECONDS = 3600;
/** A posture held for less counts as movement. */
const SHORTEST_POSTURE_SECONDS = 60;

/** A turn onto the side in bed lasts for minutes; crossing a leg does not. */
const LEAST_ROLLED_SECONDS = 300;
/** Upright for this long means up; less may be a knee raised in bed. */
const RISING_SECONDS = 30;
const UPRIGHT = ACTIVITIES.map((name) => name === 'RESTING:STANDING' || (name?.startsWith('MOVING:') ?? false));

const LYING = ACTIVITIES.indexOf('RESTING:LYING');
const SITTING = ACTIVITIES.indexOf('RESTING:SITTING');

interface Bout {
  start: number;
  stop: number;
}

/**
 * Finds sleep in a span: lying (or, without an oriented trunk sensor, resting) and sustained inactivity. The hour of the day
 * plays no role, so naps and shift work need no special rules.
 */
export function detectSleep(input: SleepInput): SleepResult {
  const { motion, heartRate } = input;
  const result: SleepResult = {
    asleep: new Uint8Array(motion.count),
    sleepingPosture: new Uint8Array(motion.count),
    periods: [],
  };
  const heart = heartRate && new SpanHeart(motion, heartRate);
  for (const period of joinBouts(lyingBouts(motion, inactiveBouts(motion)))) {
    const first = period.findIndex((bout) => bout.stop - bout.start >= FIRST_INACTIVE_SECONDS);
    if (first < 0) continue;
    const bouts = period.slice(first);
    if (!isSleep(motion, bouts, heart)) continue;
    if (heart !== undefined) trimAwake(motion, bouts, heart);
    markAsleep(motion, bouts, result.asleep);
    result.periods.push({
      onsetMs: (motion.startSecond + bouts[0]!.start) * 1000,
      wakeMs: (motion.startSecond + bouts[bouts.length - 1]!.stop) * 1000,
    });
  }
  markPosture(motion, result);
  return result;
}

/** Whether a span holds a possible sleep: five minutes without movement, lying or in an unknown posture. */
export const holdsRest = (motion: MotionSpan): boolean => inactiveBouts(motion).length > 0;

function mayRest(motion: MotionSpan, i: number): boolean {
  if (motion.worn[i] === 0) return false;
  const activity = motion.activity[i];
  return activity === LYING || (motion.trunkKnown[i] === 0 && (activity === SITTING || activity === 0));
}

/** A heart alone shows neither stillness nor posture: movement must be known in most of a bout. */
function inactiveBouts(motion: MotionSpan): Bout[] {
  const bouts: Bout[] = [];
  let start = -1;
  let known = 0;
  for (let i = 0; i <= motion.count; i++) {
    const still =
      i < motion.count &&
      mayRest(motion, i) &&
      !(motion.turnDegrees[i]! > TURN_DEGREES) &&
      !(motion.movement[i]! > STIR_G);
    if (still && start < 0) {
      start = i;
      known = 0;
    }
    if (still && !Number.isNaN(motion.movement[i]!)) known++;
    if (still || start < 0) continue;
    if (i - start >= INACTIVE_SECONDS && known * 2 >= i - start) bouts.push({ start, stop: i });
    start = -1;
  }
  return bouts;
}

/**
 * The bouts in which the wearer can be assumed to lie. A thigh sensor alone cannot distinguish lying on the back from sitting,
 * so its bouts count only if the thigh is rolled to the side at some point between two times on the feet: seated thighs do not
 * roll (Lyden et al. 2016, Med Sci Sports Exerc 48:742). A wearer who never turns in bed then has no sleep; the alternative
 * would count a day at a desk as sleep.
 */
function lyingBouts(motion: MotionSpan, bouts: Bout[]): Bout[] {
  const { trunkKnown, activity } = motion;
  const isSeated = ({ start, stop }: Bout): boolean => {
    let seated = 0;
    for (let i = start; i < stop; i++) if (trunkKnown[i] === 0 && activity[i] === SITTING) seated++;
    return seated * 2 > stop - start;
  };
  if (!bouts.some(isSeated)) return bouts;
  const stays = staysOf(motion);
  return bouts.filter((bout) => {
    if (!isSeated(bout)) return true;
    const stay = stays.find(({ start, stop }) => start <= bout.start && stop >= bout.stop);
    return stay !== undefined && stay.rolled >= LEAST_ROLLED_SECONDS;
  });
}

/** Spans between two times on the feet, with the seconds in which the thigh alone shows lying. */
function staysOf({ activity, trunkKnown, worn, count }: MotionSpan): (Bout & { rolled: number })[] {
  const stays: (Bout & { rolled: number })[] = [];
  let start = 0;
  let rolled = 0;
  let up = 0;
  for (let i = 0; i <= count; i++) {
    const isUp = i < count && (worn[i] === 0 || UPRIGHT[activity[i]!]);
    up = isUp ? up + 1 : 0;
    if (i === count || up === RISING_SECONDS) {
      stays.push({ start, stop: i, rolled });
      rolled = 0;
    }
    if (up >= RISING_SECONDS) start = i + 1;
    if (i < count && trunkKnown[i] === 0 && activity[i] === LYING) rolled++;
  }
  return stays;
}

function joinBouts(bouts: Bout[]): Bout[][] {
  const periods: Bout[][] = [];
  for (const bout of bouts) {
    const current = periods.at(-1);
    if (current !== undefined && bout.start - current[current.length - 1]!.stop <= LONGEST_INTERRUPTION_SECONDS)
      current.push(bout);
    else periods.push([bout]);
  }
  return periods;
}

function isSleep(motion: MotionSpan, bouts: Bout[], heart: SpanHeart | undefined): boolean {
  let inactive = 0;
  let sure = 0;
  for (const { start, stop } of bouts) {
    inactive += stop - start;
    for (let i = start; i < stop; i++) sure += motion.trunkKnown[i]!;
  }
  if (inactive < (sure * 2 > inactive ? SHORTEST_NAP_SECONDS : SHORTEST_UNSURE_SECONDS)) return false;
  if (inactive >= NIGHT_SECONDS || heart === undefined) return true;
  return heartSlows(bouts, heart);
}

/** Heart rates of some seconds, of which the median is taken. */
class RateSample {
  readonly #rates: Float64Array;
  #count = 0;

  constructor(room: number) {
    this.#rates = new Float64Array(room);
  }

  add(rate: number): void {
    if (rate > 0) this.#rates[this.#count++] = rate;
  }

  /** NaN with less than five minutes of data. */
  median(): number {
    if (this.#count < LEAST_HEART_SECONDS) return Number.NaN;
    return this.#rates.subarray(0, this.#count).sort()[this.#count >> 1]!;
  }
}

/** Median heart rate of the bouts; NaN with less than five minutes of data. */
function rateDuring(bouts: Bout[], heartRate: Float32Array): number {
  const rates = new RateSample(bouts.reduce((sum, { start, stop }) => sum + stop - start, 0));
  for (const { start, stop } of bouts) for (let i = start; i < stop; i++) rates.add(heartRate[i]!);
  return rates.median();
}

/** Median heart rate of seated rest, which is the same for all periods of a span; NaN with less than five minutes of data. */
function rateSeated({ activity, count }: MotionSpan, heartRate: Float32Array): number {
  const rates = new RateSample(count);
  for (let i = 0; i < count; i++) if (activity[i] === SITTING) rates.add(heartRate[i]!);
  return rates.median();
}

/** A span's heart rate, with that of seated rest computed when first needed. */
class SpanHeart {
  readonly rate: Float32Array;
  readonly #motion: MotionSpan;
  #resting: number | undefined;

  constructor(motion: MotionSpan, rate: Float32Array) {
    this.#motion = motion;
    this.rate = rate;
  }

  levels(bouts: Bout[]): { during: number; resting: number } {
    this.#resting ??= rateSeated(this.#motion, this.rate);
    return { during: rateDuring(bouts, this.rate), resting: this.#resting };
  }
}

/** True unless the heart rate in the bouts is as high as in waking rest. */
function heartSlows(bouts: Bout[], heart: SpanHeart): boolean {
  const { during, resting } = heart.levels(bouts);
  return !(during >= resting);
}

/**
 * Trims quiet waking in bed from both ends of a period: the wearer counts as awake while the heart rate is above the midpoint
 * between seated rest and the period. Applied only where the two levels differ clearly.
 */
function trimAwake(motion: MotionSpan, bouts: Bout[], heart: SpanHeart): void {
  const { during, resting } = heart.levels(bouts);
  const { rate: heartRate } = heart;
  if (!(resting - during >= CLEAR_FALL_BPM)) return;
  const awake = (from: number): boolean => {
    let sum = 0;
    let n = 0;
    for (let i = Math.max(0, from); i < Math.min(motion.count, from + HEART_WINDOW_SECONDS); i++) {
      if (heartRate[i]! > 0) {
        sum += heartRate[i]!;
        n++;
      }
    }
    return n * 2 > HEART_WINDOW_SECONDS && sum / n > (resting + during) / 2;
  };
  const first = bouts[0]!;
  const last = bouts[bouts.length - 1]!;
  let onset = first.start;
  while (onset < first.start + LONGEST_TRIM_SECONDS && awake(onset)) onset += 60;
  let wake = last.stop;
  while (wake > last.stop - LONGEST_TRIM_SECONDS && awake(wake - HEART_WINDOW_SECONDS)) wake -= 60;
  if (wake - onset < SHORTEST_NAP_SECONDS) return;
  const kept = bouts
    .filter((bout) => bout.stop > onset && bout.start < wake)
    .map(({ start, stop }) => ({ start: Math.max(start, onset), stop: Math.min(stop, wake) }));
  if (kept.length > 0) bouts.splice(0, bouts.length, ...kept);
}

function markAsleep(motion: MotionSpan, bouts: Bout[], asleep: Uint8Array): void {
  bouts.forEach(({ start, stop }, index) => {
    asleep.fill(1, start, stop);
    const next = bouts[index + 1];
    if (next === undefined || next.start - stop > TURNING_SECONDS) return;
    for (let i = stop; i < next.start; i++) if (!mayRest(motion, i)) return;
    asleep.fill(1, stop, next.start);
  });
}

const posture = (name: (typeof LYING_POSTURES)[number]): number => LYING_POSTURES.indexOf(name);
const BACK = posture('LYING_BACK');
const CHEST = posture('LYING_CHEST');
const LEFT = posture('LYING_LEFT');
const RIGHT = posture('LYING_RIGHT');
const pair = (first: number, second: number): number => first + 16 * second;
/** Postures around the body in eighths of a turn, from the back over the left side. */
const EIGHTHS = [BACK, pair(BACK, LEFT), LEFT, pair(CHEST, LEFT), CHEST, pair(CHEST, RIGHT), RIGHT, pair(BACK, RIGHT)];

/** Marks the lying posture of the seconds asleep. */
export function markPosture(
  { lyingRollDegrees, count }: Pick<MotionSpan, 'count' | 'lyingRollDegrees'>,
  { asleep, sleepingPosture }: SleepResult,
): void {
  for (let i = 0; i < count; i++) {
    const roll = lyingRollDegrees[i]!;
    if (asleep[i] === 1 && !Number.isNaN(roll)) sleepingPosture[i] = EIGHTHS[(Math.round(roll / 45) + 8) % 8]!;
  }
  let start = 0;
  let held = 0;
  while (start < count) {
    let stop = start + 1;
    while (stop < count && sleepingPosture[stop] === sleepingPosture[start]) stop++;
    if (sleepingPosture[start] === 0) held = 0;
    else if (stop - start >= SHORTEST_POSTURE_SECONDS || held === 0) held = sleepingPosture[start]!;
    else sleepingPosture.fill(held, start, stop);
    start = stop;
  }
}
