/** Kinds of equipment, and the self-description of a hub or phone. */

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

/** The identity of a calling hub or phone, by its credential. */
export interface DeviceIdentity {
  credentialId: string;
  accountId: string;
  kind: DeviceKind;
  serial: string;
  /** Its entry among the equipment; null for a phone of the subject's own. */
  equipmentId: string | null;
  /** Its present holder: the subject of a phone that signed in, or who holds the equipment. */
  studyId: string | null;
  subjectId: string | null;
}
