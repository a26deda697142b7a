/** A host of recordings in memory, for the record screen in tests and pictures. */
import type { LiveView } from '../../shared/sensors/live-set.ts';
import { createStore } from '../../shared/store.ts';
import type { PhoneModel, PhoneSnapshot } from '../model.ts';
import type { HostState } from '../sensors/host.ts';
import type { RecorderHost } from '../sensors/host-context.ts';
import type { MemoryModel } from './memory-model.ts';
import { NOW_MS } from './seed.ts';

export const RECORDED_SERIAL = 'H10-8A31';

/** Three seconds of an electrocardiogram, drawn by hand. */
const SIGNAL: readonly number[] = Array.from({ length: 390 }, (_, index) => {
  const phase = (index % 104) / 104;
  const bump = (at: number, width: number, height: number) => height * Math.exp(-(((phase - at) / width) ** 2));
  return (
    bump(0.2, 0.03, 0.12) -
    bump(0.28, 0.008, 0.1) +
    bump(0.3, 0.01, 1) -
    bump(0.33, 0.01, 0.25) +
    bump(0.52, 0.06, 0.25)
  );
});

const live = (status: Partial<LiveView['status']> = {}): LiveView => ({
  gaps: [],
  serial: RECORDED_SERIAL,
  deviceName: 'Polar H10 8A31',
  startedTs: NOW_MS - 25 * 60_000,
  status: {
    phase: 'RECORDING',
    hasContact: true,
    batteryPercent: 87,
    frames: 21_000,
    lostFrames: 3,
    unreadableFrames: 0,
    connections: 1,
    recordedMs: 24 * 60_000,
    ...status,
  },
  signal: () => SIGNAL,
});

interface Recorded {
  live?: LiveView;
  /** What the model shows after Stop. */
  stopped?: (before: PhoneSnapshot) => Partial<PhoneSnapshot>;
  recordedMs?: number;
  /** What the chooser of the browser brings. */
  pick?: () => ReturnType<RecorderHost['pick']>;
}

const lost = { phase: 'RECONNECTING', problem: { code: 'LINK_LOST' }, hasContact: null } as const;
const nothing = (): never => {
  throw Object.assign(new Error('nothing'), { name: 'NotFoundError' });
};
const otherDevice = { name: 'Polar H10 55C2' } as Awaited<ReturnType<RecorderHost['pick']>>['device'];

export const RECORDERS = {
  none: { pick: nothing },
  other: { pick: async () => ({ device: otherDevice, isThat: false }) },
  recording: { live: live(), stopped: () => ({ waiting: [] }) },
  poor: {
    live: live({ hasContact: false, batteryPercent: 12, silentSinceMs: NOW_MS - 42_000, lostFrames: 118 }),
    stopped: () => ({ waiting: [] }),
    recordedMs: 0,
  },
  failed: {
    live: live({ phase: 'FAILED', problem: { code: 'NO_HEART_RATE' }, hasContact: null } as Partial<
      LiveView['status']
    >),
    stopped: () => ({ waiting: [] }),
  },
  lost: { live: live(lost as Partial<LiveView['status']>) },
  kept: {
    live: live(),
    stopped: ({ waiting }) => ({ waiting: waiting.map((item) => ({ ...item, state: 'WAITING', ...SIZE })) }),
  },
  sending: {
    live: live(),
    stopped: ({ waiting }) => ({
      waiting: waiting.map((item) => ({ ...item, state: 'SENDING', ...SIZE, sentBytes: 131_072 })),
    }),
  },
} as const satisfies Record<string, Recorded>;

export type RecorderName = keyof typeof RECORDERS;
const SIZE = { sentBytes: 0, totalBytes: 412_000 };

export const fakeHost =
  (name: RecorderName) =>
  (model: PhoneModel): RecorderHost => {
    const { live: running, stopped, recordedMs = 24 * 60_000, pick = nothing }: Recorded = RECORDERS[name];
    const state = createStore<HostState>({ live: running ? [running] : [] });
    return {
      state,
      pick,
      start: async () => state.set({ live: [live()] }),
      stop: async () => {
        state.set({ live: [] });
        if (stopped) (model as MemoryModel).change(stopped);
        return { recordedMs };
      },
    };
  };
