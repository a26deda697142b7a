/** The clock of a phone at a call: what the site measures itself, and the judgement of what the phone claims. */
import type { DeviceIdentity } from '../../../db/index.ts';
import type { Repositories } from '../../../services/index.ts';
import { type ClaimedClock, judgeClock, type PhoneClock } from '../../../study/phone-clock.ts';
import { MAX_CLOCK_ERROR_MS } from '../../../study/task-reports.ts';

/** When a call arrived and, if it carries it, the time of the phone then. Epoch ms. */
export interface CallTimes {
  receivedTs: number;
  clockTs?: number;
}

/**
 * Stores that the phone called: contact, battery and one reading of its clock. Duration of the transfer is unknown, so the
 * reading counts as exact; a claim is compared with minutes.
 */
export async function recordPhoneContact(
  { devices, equipment, clockReadings }: Repositories,
  { credentialId, equipmentId }: Pick<DeviceIdentity, 'credentialId' | 'equipmentId'>,
  call: CallTimes & {
    clockTs: number;
    address: string;
    batteryPercent?: number | undefined;
    language?: string | undefined;
  },
): Promise<void> {
  const { receivedTs, clockTs, address, batteryPercent, language } = call;
  const battery = batteryPercent === undefined ? {} : { batteryPercent };
  await devices.recordContact(credentialId, {
    address,
    contactTs: receivedTs,
    ...battery,
    ...(language && { language }),
  });
  if (equipmentId !== null) await equipment.recordContact(equipmentId, { contactTs: receivedTs, ...battery });
  const reading = { clockUs: clockTs * 1000, hostUs: receivedTs * 1000, roundTripUs: 0 };
  await clockReadings.add([{ credentialId, clock: 'DEVICE', ...reading }]);
}

/**
 * Returns how to correct the times of an item.
 * @param times by the phone's clock, epoch ms
 * @param enrolledMs nothing can have happened long before the subject was enrolled
 */
export async function clockOfItem(
  { clockReadings }: Pick<Repositories, 'clockReadings'>,
  { credentialId }: Pick<DeviceIdentity, 'credentialId'>,
  item: { claim: ClaimedClock; times: readonly number[] },
  { receivedTs, clockTs, enrolledMs }: CallTimes & { enrolledMs: number },
): Promise<PhoneClock> {
  const own = {
    presentMs: clockTs === undefined ? undefined : receivedTs - clockTs,
    hadNear: async (offsetMs: number, toleranceMs: number) =>
      await clockReadings.hadOffsetNear(credentialId, offsetMs, toleranceMs),
  };
  const span = { fromMs: enrolledMs - MAX_CLOCK_ERROR_MS, nowMs: receivedTs };
  return await judgeClock(item.claim, item.times, own, span);
}
