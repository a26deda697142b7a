/** Which device an upload belongs to, across the credentials that the device has had. */
import type { Change, UploadRecord } from '../../db/index.ts';
import type { Store } from '../../services/index.ts';
import type { DeviceIdentity } from '../device-identity.ts';

/** Attributes a change to the credential of the device. */
export function changeOf(device: DeviceIdentity): Change {
  return { actor: { type: 'DEVICE', id: device.credentialId } };
}

/**
 * Returns the id that uploads belong to: the equipment, or the `phoneId` of a subject's own phone. A credential ends when its
 * device is paired again; the uploads it began do not.
 */
export function deviceIdOf({ equipmentId, serial }: DeviceIdentity): string {
  return equipmentId ?? serial;
}

export function isOpen({ state }: UploadRecord): boolean {
  return state === 'RECEIVING' || state === 'RECEIVED';
}

/** Moves an open upload of a device that was paired again to its new credential, which the audit then names. */
export async function adopt(store: Store, device: DeviceIdentity, upload: UploadRecord): Promise<UploadRecord> {
  const { credentialId } = device;
  const isOwn = upload.deviceId === deviceIdOf(device);
  if (upload.credentialId === credentialId || !isOpen(upload) || !isOwn) return upload;
  const moved = await store.uploads.move(upload.id, [upload.state], { credentialId }, changeOf(device));
  return moved ?? (await store.uploads.require(upload.id));
}
