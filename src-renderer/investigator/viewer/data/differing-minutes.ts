/** In how many minutes two results of one time say something else. Pure. */
import type { IntradayChannel } from '../../../../src-server/api/contract/index.ts';

const COMPARED = { activity: 'activity', heart_rate: 'heartRate', hrv: 'variability', steps: 'steps' } as const;

export type Compared = (typeof COMPARED)[keyof typeof COMPARED];

export interface Differing {
  type: Compared;
  count: number;
}

/** Channels that differ, each with its minutes; one that only one of the two has a value for differs too. Empty where nothing does. */
export function differingMinutes(inUse: readonly IntradayChannel[], ofRun: readonly IntradayChannel[]): Differing[] {
  return (Object.keys(COMPARED) as (keyof typeof COMPARED)[]).flatMap((name) => {
    const of = (channels: readonly IntradayChannel[]) => {
      const channel = channels.find(({ type }) => type === name);
      return new Map(channel?.times.map((time, i) => [time, channel.values[i] ?? null]));
    };
    const [first, second] = [of(inUse), of(ofRun)];
    const times = new Set([...first.keys(), ...second.keys()]);
    const count = [...times].filter((time) => (first.get(time) ?? null) !== (second.get(time) ?? null)).length;
    return count > 0 ? [{ type: COMPARED[name], count }] : [];
  });
}

/** States that parameters of a study decide, with the codes of their values. */
export const STATES = ['intensity', 'rate_episode'] as const;
const CODES = [
  'SEDENTARY',
  'LIGHT',
  'BELOW_MODERATE',
  'MODERATE',
  'VIGOROUS',
  'MVPA',
  'BRADYCARDIA',
  'TACHYCARDIA',
] as const;

export interface StateMinutes {
  state: (typeof CODES)[number];
  inUse: number;
  ofRun: number;
}

/** Minutes in each state that one of the two results has. */
export function stateMinutes(inUse: readonly IntradayChannel[], ofRun: readonly IntradayChannel[]): StateMinutes[] {
  const minutesIn = (channels: readonly IntradayChannel[], state: string): number =>
    channels.reduce((sum, { values }) => sum + values.filter((value) => value === state).length, 0);
  return CODES.map((state) => ({ state, inUse: minutesIn(inUse, state), ofRun: minutesIn(ofRun, state) })).filter(
    (one) => one.inUse > 0 || one.ofRun > 0,
  );
}
