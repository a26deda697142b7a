/** Synthetic acceleration for tests: a body that walks, stands, sits and lies, with sensors in any orientation. */
import type { SignalChunk, SignalInput } from '../analytics/types.ts';

type Doing = 'walk' | 'run' | 'stand' | 'sit' | 'lieBack' | 'lieLeft' | 'lieRight' | 'lieChest' | 'off';

export interface Episode {
  doing: Doing;
  seconds: number;
}

export interface SensorOptions {
  site: 'chest' | 'thigh';
  episodes: Episode[];
  startUs?: number;
  rateHz?: number;
  /** Rows are the sensor's axes in the body's front, left, up axes. */
  mounting?: number[][];
  /** Reading of the sensor for 1 g. */
  gain?: number;
  pageSeconds?: number;
  seed?: number;
}

/** The sensor's x up, y right, z to the front: as worn on a chest. */
export const UPRIGHT = [
  [0, 0, 1],
  [0, -1, 0],
  [1, 0, 0],
];
/** Turned by 180 degrees about the front axis. */
export const UPSIDE_DOWN = [
  [0, 0, -1],
  [0, 1, 0],
  [1, 0, 0],
];
/** Turned by 30 degrees in the plane of the skin and tipped by 10. */
export const ASKEW = [
  [0.17365, 0.4924, 0.85287],
  [0, -0.86603, 0.5],
  [0.98481, -0.08682, -0.15038],
];

/** Steps per second of the synthetic gait. */
export const WALKING_STEP_HZ = 1.8;
const RUNNING_STEP_HZ = 2.7;
const COUNTS_PER_G = 8191.875;

const GRAVITY: Record<'chest' | 'thigh', Record<Exclude<Doing, 'off'>, [number, number, number]>> = {
  chest: {
    walk: [0, 0, 1],
    run: [0, 0, 1],
    stand: [0, 0, 1],
    sit: [0.17, 0, 0.985],
    lieBack: [1, 0, 0],
    lieLeft: [0, -1, 0],
    lieRight: [0, 1, 0],
    lieChest: [-1, 0, 0],
  },
  thigh: {
    walk: [0, 0, 1],
    run: [0, 0, 1],
    stand: [0, 0, 1],
    sit: [1, 0, 0.05],
    lieBack: [1, 0, 0],
    lieLeft: [0, -1, 0],
    lieRight: [0, 1, 0],
    lieChest: [-1, 0, 0],
  },
};

/** A heel strike: a smooth hump once per period, harmonics up to the fifth. */
const strike = (phase: number): number => Math.exp(4 * (Math.cos(2 * Math.PI * phase) - 1)) - 0.2;

/** Acceleration in g in the body's front, left, up axes at `t` seconds into an episode of `doing`. */
function bodyAcceleration(site: 'chest' | 'thigh', doing: Doing, t: number): [number, number, number] {
  if (doing === 'off') return [0.6, 0, 0.8];
  const [front, left, up] = GRAVITY[site][doing];
  if (doing === 'walk' || doing === 'run') {
    const hz = doing === 'walk' ? WALKING_STEP_HZ : RUNNING_STEP_HZ;
    const size = (doing === 'walk' ? 1 : 3) * (site === 'thigh' ? 1.6 : 1);
    const step = strike(t * hz);
    const stride = site === 'thigh' ? 0.35 * Math.sin(Math.PI * hz * t) : 0.08 * Math.sin(Math.PI * hz * t);
    const own = site === 'thigh' ? 0.5 * strike((t * hz) / 2) : 0;
    return [
      front + size * (stride + 0.15 * Math.sin(2 * Math.PI * hz * t + 1)),
      left + 0.3 * size * Math.sin(Math.PI * hz * t + 0.5) * (site === 'chest' ? 0.5 : 0.3),
      up + size * (0.45 * step + own),
    ];
  }
  const breath = site === 'chest' ? 0.012 * Math.sin(2 * Math.PI * 0.25 * t) : 0;
  return [front + (front < 0.5 ? breath : 0), left, up + (up < 0.5 ? breath : 0)];
}

/** Returns the pages of one synthetic sensor. */
export function syntheticMotion(options: SensorOptions): SignalInput {
  const { site, episodes, rateHz = 31.25, mounting = UPRIGHT, gain = 1, pageSeconds = 60, seed = 1 } = options;
  const startUs = options.startUs ?? 1_700_000_000_000_000;
  const periodUs = 1e6 / rateHz;
  const total = Math.floor(episodes.reduce((sum, episode) => sum + episode.seconds, 0) * rateHz);
  const perPage = Math.max(1, Math.round(pageSeconds * rateHz));
  const chunks: SignalChunk[] = [];
  let noise = seed;
  const nextNoise = (): number => {
    noise = (noise * 1103515245 + 12345) % 2147483648;
    return (noise / 2147483648 - 0.5) * 0.012;
  };
  let episode = 0;
  let episodeStart = 0;
  for (let first = 0; first < total; first += perPage) {
    const count = Math.min(perPage, total - first);
    const columns = [0, 1, 2].map(() => new Int16Array(count));
    for (let i = 0; i < count; i++) {
      const seconds = (first + i) / rateHz;
      while (episode < episodes.length - 1 && seconds >= episodeStart + episodes[episode]!.seconds) {
        episodeStart += episodes[episode]!.seconds;
        episode++;
      }
      const body = bodyAcceleration(site, episodes[episode]!.doing, seconds - episodeStart);
      for (let axis = 0; axis < 3; axis++) {
        const row = mounting[axis]!;
        const g = gain * (row[0]! * body[0] + row[1]! * body[1] + row[2]! * body[2]) + nextNoise();
        columns[axis]![i] = Math.max(-32768, Math.min(32767, Math.round(g * COUNTS_PER_G)));
      }
    }
    chunks.push({ startUs: startUs + first * periodUs, periodUs, count, columns });
  }
  const scale = 1 / COUNTS_PER_G;
  return {
    type: 'ACCEL',
    location: site === 'chest' ? 'MEDIAL_CHEST' : 'ANTERIOR_THIGH',
    scale: [scale, scale, scale],
    offset: [0, 0, 0],
    nominalRateHz: rateHz,
    chunks,
  };
}
