import { Temporal } from 'temporal-polyfill';
import { ACTIVITIES, LYING_POSTURES } from '../../analytics/types.ts';
import type { SubjectProfile } from './profile.ts';
import type { Random } from './random.ts';

/**
 * The simulated daily routine: bouts of sitting, standing, walking, cycling and lying, nights with turns and awakenings, and the
 * times when the sensors are off or charging.
 */

/** Components of a unit vector along the axes of a body part: up (towards the head), left, forward. */
export type BodyVector = [up: number, left: number, forward: number];

/** One bout; times are seconds after the start of the simulation. Bouts are contiguous. */
export interface Bout {
  start: number;
  stop: number;
  /** Code of ACTIVITIES. */
  activity: number;
  /** Code of LYING_POSTURES, 0 when upright. */
  lying: number;
  asleep: boolean;
  /** Direction of "up in the room" seen from the trunk and from the thigh: what an accelerometer at rest reads, in g. */
  trunk: BodyVector;
  thigh: BodyVector;
  /** Steps per second while walking or running, else 0. */
  cadenceHz: number;
  /** Pedal revolutions per second while cycling, else 0. */
  pedalHz: number;
}

/** A short movement inside a bout: a fidget, a reach, a turn in bed. */
interface Burst {
  start: number;
  durationSeconds: number;
  chestG: number;
  thighG: number;
}

export interface SecondsSpan {
  start: number;
  stop: number;
}

export interface DayPlan {
  durationSeconds: number;
  bouts: Bout[];
  bursts: Burst[];
  /** Sensors off the body but recording. */
  offBody: SecondsSpan[];
  /** Sensors charging and not recording. */
  charging: SecondsSpan[];
  /** Time in bed asleep, from falling asleep to the final awakening, clipped to the simulation. */
  sleep: SecondsSpan[];
}

export const ACTIVITY = {
  walking: ACTIVITIES.indexOf('MOVING:WALKING'),
  running: ACTIVITIES.indexOf('MOVING:RUNNING'),
  cycling: ACTIVITIES.indexOf('MOVING:CYCLING'),
  standing: ACTIVITIES.indexOf('RESTING:STANDING'),
  sitting: ACTIVITIES.indexOf('RESTING:SITTING'),
  lying: ACTIVITIES.indexOf('RESTING:LYING'),
  sleeping: ACTIVITIES.indexOf('SLEEPING:LYING'),
} as const;

const DEGREE = Math.PI / 180;

/** Bent forward by `forward` and to the left by `left` degrees: "up" moves backward and right in the body's axes. */
const tilted = (forward: number, left: number): BodyVector => {
  const f = -Math.sin(forward * DEGREE);
  const l = -Math.sin(left * DEGREE) * Math.cos(forward * DEGREE);
  return [Math.sqrt(Math.max(0, 1 - f * f - l * l)), l, f];
};

const normalised = (v: BodyVector): BodyVector => {
  const length = Math.hypot(v[0], v[1], v[2]);
  return [v[0] / length, v[1] / length, v[2] / length];
};

const LYING_DIRECTIONS: Record<NonNullable<(typeof LYING_POSTURES)[number]>, BodyVector> = {
  LYING_BACK: [0.05, 0, 1],
  LYING_CHEST: [0.05, 0, -1],
  LYING_LEFT: [0.05, -1, 0],
  LYING_RIGHT: [0.05, 1, 0],
};

type BoutShape = Omit<Bout, 'start' | 'stop'>;

const upright = (random: Random, activity: number): BoutShape => ({
  activity,
  lying: 0,
  asleep: false,
  trunk: tilted(random.range(-2, 6), random.range(-2, 2)),
  thigh: tilted(random.range(-4, 4), random.range(-3, 3)),
  cadenceHz: 0,
  pedalHz: 0,
});

const sitting = (random: Random): BoutShape => ({
  ...upright(random, ACTIVITY.sitting),
  // Negative leans are reclined, positive ones slouched or bent over a desk.
  trunk: tilted(random.pick([-22, -8, 0, 6, 14, 24]) + random.range(-4, 4), random.range(-7, 7)),
  thigh: normalised([random.range(-0.12, 0.22), random.range(-0.15, 0.15), 1]),
});

const lying = (random: Random, posture: number, asleep: boolean): BoutShape => {
  const direction = LYING_DIRECTIONS[LYING_POSTURES[posture]!];
  const jitter = () => random.range(-0.16, 0.16);
  const trunk = normalised([direction[0] + jitter(), direction[1] + jitter(), direction[2] + jitter()]);
  return {
    ...upright(random, asleep ? ACTIVITY.sleeping : ACTIVITY.lying),
    lying: posture,
    asleep,
    trunk,
    thigh: normalised([trunk[0] + jitter() + 0.1, trunk[1] + jitter(), trunk[2] + jitter()]),
  };
};

/** Collects bouts in time order, on whole seconds, clipped to the simulation. */
class BoutBuilder {
  readonly bouts: Bout[] = [];
  readonly #durationSeconds: number;

  constructor(durationSeconds: number) {
    this.#durationSeconds = durationSeconds;
  }

  add(start: number, stop: number, shape: BoutShape): void {
    const from = Math.max(0, Math.round(start));
    const to = Math.min(this.#durationSeconds, Math.round(stop));
    if (to > from) this.bouts.push({ start: from, stop: to, ...shape });
  }
}

const walking = (random: Random, profile: SubjectProfile): BoutShape => ({
  ...upright(random, ACTIVITY.walking),
  cadenceHz: profile.cadenceHz * random.range(0.88, 1.1),
});

const running = (random: Random, profile: SubjectProfile): BoutShape => ({
  ...upright(random, ACTIVITY.running),
  trunk: tilted(random.range(6, 11), 0),
  cadenceHz: profile.cadenceHz * random.range(1.42, 1.52),
});

const cycling = (random: Random): BoutShape => ({
  ...upright(random, ACTIVITY.cycling),
  trunk: tilted(random.range(28, 42), random.range(-3, 3)),
  pedalHz: random.range(1.05, 1.4),
});

/** Fills awake time with sitting, standing, walking and now and then lying; about half of it seated. */
const addFreeTime = (builder: BoutBuilder, random: Random, profile: SubjectProfile, start: number, stop: number) => {
  let cursor = start;
  let last = ACTIVITY.standing as number;
  while (cursor < stop) {
    const draw = random.uniform();
    let minutes: number;
    let shape: BoutShape;
    if (last === ACTIVITY.walking ? draw < 0.2 : last !== ACTIVITY.standing && draw < 0.35) {
      shape = upright(random, ACTIVITY.standing);
      minutes = random.range(0.5, 9);
    } else if (last !== ACTIVITY.walking && (last !== ACTIVITY.standing || draw < 0.4 * profile.restlessness)) {
      shape = walking(random, profile);
      minutes = Math.min(14, 0.4 - Math.log(1 - random.uniform()) * 2.2);
    } else if (draw < 0.96) {
      shape = sitting(random);
      minutes = random.range(5, 28) / profile.restlessness;
    } else {
      shape = lying(random, LYING_POSTURES.indexOf('LYING_BACK'), false);
      minutes = random.range(5, 20);
    }
    // Extend the bout to the end of the span when less than 20 s would remain.
    const end = cursor + minutes * 60 > stop - 20 ? stop : cursor + minutes * 60;
    builder.add(cursor, end, shape);
    cursor = end;
    last = shape.activity;
  }
};

const addNight = (builder: BoutBuilder, random: Random, profile: SubjectProfile, bed: number, wake: number) => {
  const onset = bed + random.range(6, 22) * 60;
  const finalWake = wake - random.range(2, 12) * 60;
  const postures = [1, 1, 3, 3, 4, 4, 2];
  let posture = random.pick(postures);
  builder.add(bed, onset, lying(random, posture, false));
  const awakenings = [random.range(0.2, 0.45), random.range(0.5, 0.85)].map((f) => onset + f * (finalWake - onset));
  let cursor = onset;
  while (cursor < finalWake) {
    const turn = Math.min(cursor + (5 + -Math.log(1 - random.uniform()) * 30) * 60, finalWake);
    const awakening = awakenings[0];
    if (awakening !== undefined && awakening > cursor && awakening < turn) {
      awakenings.shift();
      builder.add(cursor, awakening, lying(random, posture, true));
      cursor = awakening;
      const back = cursor + random.range(2, 6) * 60;
      if (random.chance(profile.nocturiaChance) && back < finalWake - 600) {
        // Getting up at night: two short walks with standing between them.
        const walkSeconds = random.range(15, 35);
        builder.add(cursor, cursor + walkSeconds, walking(random, profile));
        builder.add(cursor + walkSeconds, back - walkSeconds, upright(random, ACTIVITY.standing));
        builder.add(back - walkSeconds, back, walking(random, profile));
        builder.add(back, back + 120, lying(random, posture, false));
        cursor = back + 120;
      } else {
        builder.add(cursor, Math.min(back, finalWake), lying(random, posture, false));
        cursor = Math.min(back, finalWake);
      }
    } else {
      builder.add(cursor, turn, lying(random, posture, true));
      cursor = turn;
      posture = random.pick(postures.filter((p) => p !== posture));
    }
  }
  builder.add(finalWake, wake, lying(random, 1, false));
  return { start: onset, stop: finalWake };
};

/** Short movements: more frequent awake than asleep, and one at every change of posture. */
const burstsOf = (bouts: Bout[], random: Random): Burst[] => {
  const bursts: Burst[] = [];
  let before: Bout | null = null;
  for (const bout of bouts) {
    const still = bout.cadenceHz === 0 && bout.pedalHz === 0;
    const moved = before !== null && (before.activity !== bout.activity || before.lying !== bout.lying);
    before = bout;
    if (!still) continue;
    if (moved) {
      const durationSeconds = random.range(1.5, bout.asleep ? 6 : 3);
      bursts.push({
        start: bout.start,
        durationSeconds,
        chestG: random.range(0.08, 0.2),
        thighG: random.range(0.06, 0.2),
      });
    }
    const perMinute = bout.asleep ? 0.06 : bout.activity === ACTIVITY.lying ? 0.5 : 0.9;
    let at = bout.start + 4 + random.waitSeconds(perMinute / 60);
    while (at < bout.stop - 4) {
      const durationSeconds = Math.min(random.range(0.7, 3.5), bout.stop - at);
      const strength = random.range(0.015, bout.asleep ? 0.06 : 0.12);
      bursts.push({
        start: at,
        durationSeconds,
        chestG: strength * random.range(0.5, 1),
        thighG: strength * random.range(0.2, 1),
      });
      at += durationSeconds + random.waitSeconds(perMinute / 60);
    }
  }
  return bursts;
};

/**
 * Plans `[startMs, stopMs)`. Each local date has its own random stream, so it does not depend on the span around it. Local times
 * use the zone database: a day with a clock change is 23 or 25 hours long.
 */
export const planDays = (
  random: Random,
  profile: SubjectProfile,
  timeZone: string,
  startMs: number,
  stopMs: number,
  dailyCharging: boolean,
): DayPlan => {
  const durationSeconds = (stopMs - startMs) / 1000;
  const builder = new BoutBuilder(durationSeconds);
  const offBody: SecondsSpan[] = [];
  const charging: SecondsSpan[] = [];
  const sleep: SecondsSpan[] = [];
  const firstDate = Temporal.Instant.fromEpochMilliseconds(startMs).toZonedDateTimeISO(timeZone).toPlainDate();
  const lastDate = Temporal.Instant.fromEpochMilliseconds(stopMs).toZonedDateTimeISO(timeZone).toPlainDate();

  /** Seconds after the start of the simulation at a local hour of a date; hours past 24 are the next morning's. */
  const at = (date: Temporal.PlainDate, hour: number): number => {
    const minutes = Math.round(hour * 60);
    const day = date.add({ days: Math.floor(minutes / 1440) });
    const time = new Temporal.PlainTime(Math.floor((minutes % 1440) / 60), minutes % 60);
    return (day.toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds - startMs) / 1000;
  };
  const hoursOf = (date: Temporal.PlainDate) => {
    const stream = random.fork(`hours ${date}`);
    return {
      wake: profile.wakeHour + stream.range(-0.5, 0.5),
      bed: profile.bedHour + stream.range(-0.5, 0.5),
      charge: profile.chargeHour + stream.range(-0.4, 0.4),
      chargeMinutes: stream.range(30, 50),
      cycles: stream.chance(profile.cyclingChance),
      cycleHour: stream.range(8.2, 9),
      cycleMinutes: stream.range(12, 25),
      runs: stream.chance(profile.runningChance),
      runHour: stream.range(17, 17.4),
      runMinutes: stream.range(12, 25),
    };
  };

  for (
    let date = firstDate.subtract({ days: 1 });
    Temporal.PlainDate.compare(date, lastDate) <= 0;
    date = date.add({ days: 1 })
  ) {
    const stream = random.fork(`day ${date}`);
    const hours = hoursOf(date);
    const next = date.add({ days: 1 });
    const wake = at(date, hours.wake);
    const bed = at(date, hours.bed);
    const nextWake = at(next, hoursOf(next).wake);

    const outings: { start: number; stop: number; shape: BoutShape }[] = [];
    if (hours.cycles) {
      const start = at(date, hours.cycleHour);
      outings.push({ start, stop: start + hours.cycleMinutes * 60, shape: cycling(stream) });
    }
    if (hours.runs) {
      const start = at(date, hours.runHour);
      outings.push({ start, stop: start + hours.runMinutes * 60, shape: running(stream, profile) });
    }
    let cursor = wake;
    for (const outing of outings) {
      addFreeTime(builder, stream, profile, cursor, outing.start);
      builder.add(outing.start, outing.stop, outing.shape);
      cursor = outing.stop;
    }
    addFreeTime(builder, stream, profile, cursor, bed);
    const night = addNight(builder, stream, profile, bed, nextWake);
    const clipped = {
      start: Math.max(0, Math.round(night.start)),
      stop: Math.min(durationSeconds, Math.round(night.stop)),
    };
    if (clipped.stop > clipped.start) sleep.push(clipped);

    if (dailyCharging) {
      const start = Math.round(at(date, hours.charge));
      const stop = Math.round(start + hours.chargeMinutes * 60);
      // Sensors come off a few minutes before charging and are worn again a few minutes after.
      const removed = start - stream.integer(120, 420);
      const worn = stop + stream.integer(90, 300);
      if (stop > 0 && start < durationSeconds) charging.push({ start, stop });
      if (start > 0 && removed < durationSeconds) offBody.push({ start: removed, stop: start });
      if (worn > 0 && stop < durationSeconds) offBody.push({ start: stop, stop: worn });
    }
  }
  return {
    durationSeconds,
    bouts: builder.bouts,
    bursts: burstsOf(builder.bouts, random.fork('bursts')),
    offBody,
    charging,
    sleep,
  };
};
