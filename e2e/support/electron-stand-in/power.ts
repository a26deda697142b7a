/** Power of the computer: always on the mains, and never really kept awake. */
import { EventEmitter } from 'node:events';

class PowerMonitor extends EventEmitter {
  onBatteryPower = false;
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
