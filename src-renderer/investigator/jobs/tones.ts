import type { Job } from '../../../src-server/api/contract/index.ts';
import type { Tone } from '../../shared/kit/controls.tsx';

export const JOB_TONES: Record<Job['state'], Tone> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  parked: 'bad',
  cancelled: 'neutral',
};
