/**
 * Wall clocks that follow daylight saving, as those of computers do: their times jump where the clocks of the zone were changed, and no time
 * passed. Recorders do not follow, so a jump alone says nothing: it has to be that of the zone, at that instant.
 */
import { Temporal } from 'temporal-polyfill';

/** Clocks are changed by half an hour at least. */
const LEAST_JUMP_US = 25 * 60e6;
/** Across a longer pause, an hour may as well be part of the pause. */
const LONGEST_STEP_US = 60e6;

export class ZoneFollower {
  readonly #timeZone: string;
  /** Offset from UTC now; null before the first time. */
  #offsetUs: number | null = null;
  #lastWallUs = Number.NaN;
  /** Added to wall clocks, so that they count elapsed time from the first. */
  #shiftUs = 0;
  /** Each change that the clock followed, as a sentence. */
  readonly changes: string[] = [];

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  /** Microseconds of the clock of the first time, had it not been changed. */
  follow(wallUs: number): number {
    if (this.#offsetUs === null) this.#offsetUs = wallUs - this.#instantOf(wallUs);
    else if (Math.abs(wallUs - this.#lastWallUs) >= LEAST_JUMP_US) this.#jump(this.#offsetUs, wallUs);
    this.#lastWallUs = wallUs;
    return wallUs + this.#shiftUs;
  }

  #jump(offsetUs: number, wallUs: number): void {
    const lastUs = this.#lastWallUs - offsetUs;
    const change = this.#at(lastUs)?.getTimeZoneTransition('next');
    if (!change) return;
    const changeUs = change.epochMilliseconds * 1000;
    const newOffsetUs = change.offsetNanoseconds / 1000;
    const stepUs = wallUs - newOffsetUs - lastUs;
    if (!(stepUs >= 0 && stepUs <= LONGEST_STEP_US && lastUs < changeUs && changeUs <= lastUs + stepUs)) return;
    const byUs = newOffsetUs - offsetUs;
    this.#offsetUs = newOffsetUs;
    this.#shiftUs -= byUs;
    const at = change.toInstant().toString({ smallestUnit: 'second' });
    this.changes.push(
      `The times of the file follow the clocks in ${this.#timeZone}, which went ${byUs > 0 ? 'forward' : 'back'} by ${Math.abs(byUs) / 3600e6} h at ${at}. They were read so.`,
    );
  }

  #instantOf(wallUs: number): number {
    const wall = this.#at(wallUs, 'UTC')?.toPlainDateTime();
    return wall ? Number(wall.toZonedDateTime(this.#timeZone).epochNanoseconds / 1000n) : wallUs;
  }

  /** Null beyond what a date can hold. */
  #at(us: number, timeZone = this.#timeZone): Temporal.ZonedDateTime | null {
    try {
      return Temporal.Instant.fromEpochNanoseconds(BigInt(Math.round(us)) * 1000n).toZonedDateTimeISO(timeZone);
    } catch {
      return null;
    }
  }
}
