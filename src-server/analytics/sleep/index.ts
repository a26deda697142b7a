/** Sleep: sleep periods, the seconds asleep and the lying posture, from motion and, where there is one, heart rate. */
export { detectSleep, holdsRest, type SleepResult, STIR_G } from './detect.ts';
export { NOON_REACH_SECONDS, type NoonSleep, noonSleepIn, settleNoon } from './over-noon.ts';
