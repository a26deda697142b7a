/** Sleep: sleep periods, the seconds asleep and the lying posture, from motion and, where there is one, heart rate. */
export { detectSleep, STIR_G } from './detect.ts';
