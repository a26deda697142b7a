/** Battery and identity, which nearly every device of the kind has. */
import type { Timing } from '../timing.ts';
import { BATTERY_LEVEL, BATTERY_SERVICE, DEVICE_INFORMATION, FIRMWARE_REVISION, MODEL_NUMBER } from './gatt.ts';
import type { GattSession } from './session.ts';

const BATTERY_EVERY_MS = 300_000;

/** Reports the battery now, at each notification and, for devices that do not notify, every five minutes. */
export async function watchBattery(
  session: GattSession,
  timing: Timing,
  onPercent: (percent: number) => void,
): Promise<void> {
  const level = await session.find(BATTERY_SERVICE, BATTERY_LEVEL);
  if (!level) return;
  const report = (bytes: Uint8Array) => {
    const percent = bytes[0];
    if (percent !== undefined && percent <= 100) onPercent(percent);
  };
  report(await session.read(level));
  try {
    await session.listen(level, report);
  } catch {
    void pollBattery();
  }
  async function pollBattery(): Promise<void> {
    while (!session.ended.aborted) {
      await timing.wait(BATTERY_EVERY_MS, session.ended);
      if (session.ended.aborted || !level) return;
      await session.read(level).then(report, () => undefined);
    }
  }
}

export interface DeviceFacts {
  model: string;
  firmware: string;
}

export async function readDeviceFacts(session: GattSession): Promise<DeviceFacts> {
  const text = async (characteristic: string): Promise<string> => {
    const found = await session.find(DEVICE_INFORMATION, characteristic).catch(() => null);
    if (!found) return '';
    const bytes = await session.read(found).catch(() => new Uint8Array());
    return new TextDecoder().decode(bytes).replaceAll('\0', '').trim();
  };
  return { model: await text(MODEL_NUMBER), firmware: await text(FIRMWARE_REVISION) };
}
