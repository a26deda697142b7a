/** Where a file ended, so that the next one loses and doubles nothing at the seam. */
import type { BeatCarry } from './beat-stream.ts';
import type { DeviceClockCarry } from './device-clock.ts';
import type { EvenCarry } from './even-stream.ts';

export interface DecoderCarry {
  clock: DeviceClockCarry | null;
  /** One for each channel; null for channels of the other kind. */
  even: (EvenCarry | null)[];
  beats: (BeatCarry | null)[];
}
