/** Kinds of equipment, and what a hub or phone says of itself. */

export type EquipmentType = 'LINK_HUB' | 'LINK_PHONE' | 'SENSOR';

/** Devices that call the site. */
export type DeviceKind = 'HUB' | 'PHONE';

/** What a device reports of itself when it calls to pair. */
export interface CallingDevice {
  kind: DeviceKind;
  serial: string;
  displayName: string;
  hardwareId?: string;
  firmwareId?: string;
}
