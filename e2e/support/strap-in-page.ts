/** Runs in the page before its scripts: replaces `navigator.bluetooth` by a Polar H10 made in software. */
import { fakeBluetooth } from '../../src-renderer/shared/sensors/testing/fake-device.ts';
import { PolarStrap } from '../../src-renderer/shared/sensors/testing/polar-strap.ts';

const clock = {
  monotonicMs: () => performance.now(),
  wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};
/** A spike every 0.8 s stands for a heart: the picture on the screen needs no more. */
const ecg = Array.from({ length: 104 }, (_, i) => Math.round(900 * Math.exp(-((i - 30) ** 2) / 3)));
const strap = new PolarStrap('Polar H10 ABCD1234', clock, { ecg, batteryPercent: 87 });
Object.defineProperty(navigator, 'bluetooth', { value: fakeBluetooth(strap), configurable: true });
Object.assign(globalThis, { strap });
