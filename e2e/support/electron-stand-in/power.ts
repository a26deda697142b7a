/** Power of the computer: always on the mains, always in use, and never really kept awake. */
import { EventEmitter } from 'node:events';

class PowerMonitor extends EventEmitter {
  onBatteryPower = false;

  /** Tests replace it. @throws TypeError for what Electron refuses: anything but whole seconds above zero */
  getSystemIdleState(idleThreshold: number): 'active' | 'idle' | 'locked' | 'unknown' {
    if (!Number.isInteger(idleThreshold) || idleThreshold <= 0)
      throw new TypeError('Invalid idle threshold, must be greater than 0');
    return 'active';
  }
}

export const powerMonitor = new PowerMonitor();

const active = new Set<number>();
let nextId = 1;

export const powerSaveBlocker = {
  start(_type: string): number {
    const id = nextId++;
    active.add(id);
    return id;
  },
  /** False for a blocker that is not active, which is a mistake of the caller. */
  stop: (id: number): boolean => active.delete(id),
  isStarted: (id: number): boolean => active.has(id),
};
