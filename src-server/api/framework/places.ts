/**
 * Finds the study to which devices, equipment, pairings, uploads and refusals belong. What belongs to no study belongs to the
 * site, where the role in the account counts.
 */
import type { DeviceRecord, EquipmentRecord, PairingRecord, UploadRecord } from '../../db/index.ts';
import type { ShownTransfer } from '../../docks/docks.ts';
import type { Store } from '../../services/index.ts';

/** A study, or without `studyId` the site itself. */
export interface Place {
  studyId?: string;
}

const SITE: Place = Object.freeze({});

/** The members of an upload that determine its place. */
export type PlacedUpload = Pick<UploadRecord, 'sensorId' | 'startUs' | 'createdTs'> &
  Partial<Pick<UploadRecord, 'credentialId'>> &
  Place;

/** The study of the decided subject, else of the presumed one or of the watched folder, else the site. */
export function placeOfTransfer({ row, match, found }: ShownTransfer): Place {
  const studyId = row ? row.studyId : (match?.studyId ?? found?.folder?.studyId);
  return studyId === undefined ? SITE : { studyId };
}

/** Finds places and caches its reads: create one per request. */
export class Places {
  readonly #store: Store;
  readonly #holdings = new Map<string, ReturnType<Store['equipment']['holdings']>>();
  readonly #devices = new Map<string, Promise<Place>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The place of equipment: the study of its holder, or the site. */
  ofEquipment({ holder }: Pick<EquipmentRecord, 'holder'>): Place {
    return holder ? { studyId: holder.studyId } : SITE;
  }

  /** The place of a serial number; the site when it is not registered. */
  async ofSerial(serial: string): Promise<Place> {
    const item = await this.#store.equipment.get(serial);
    return item ? this.ofEquipment(item) : SITE;
  }

  /** A phone that signed in for a subject belongs to the study of that subject; a paired device is where its equipment is. */
  async ofDevice({ studyId, equipmentId }: Pick<DeviceRecord, 'studyId' | 'equipmentId'>): Promise<Place> {
    if (studyId !== undefined) return { studyId };
    return equipmentId === undefined ? SITE : await this.ofSerial(equipmentId);
  }

  /** The place that a pairing gives its device. The confirmation checks the equipment that it would replace. */
  ofPairing({ subject }: Pick<PairingRecord, 'subject'>): Place {
    return subject ? { studyId: subject.studyId } : SITE;
  }

  /**
   * The study that the check found or a person chose; else that of the subject who held the sensor at the start of the file, or,
   * if its times are implausible, at its arrival; else that of the device that sent it.
   */
  async ofUpload(upload: PlacedUpload): Promise<Place> {
    if (upload.studyId !== undefined) return { studyId: upload.studyId };
    const startTs = Math.floor(upload.startUs / 1000);
    for (const atTs of [startTs, upload.createdTs]) {
      const holder = await this.#holderAt(upload.sensorId, atTs);
      if (holder) return holder;
    }
    return upload.credentialId === undefined ? SITE : await this.#ofCredential(upload.credentialId);
  }

  /** A recording reported by a device belongs to the subject who held its sensor at the start of the recording. */
  async ofHeldRecording({ sensorId, startTs }: { sensorId: string; startTs: number }): Promise<Place> {
    return (await this.#holderAt(sensorId, startTs)) ?? (await this.ofSerial(sensorId));
  }

  /** A refusal refers to a credential or a pairing, or only to the serial number that an unknown caller claimed. */
  async ofRefusal({ aboutId, serial }: { aboutId: string; serial?: string }): Promise<Place> {
    if (aboutId !== '') {
      const pairing = await this.#store.pairings.get(aboutId);
      const place = pairing ? this.ofPairing(pairing) : await this.#ofCredential(aboutId);
      if (place.studyId !== undefined) return place;
    }
    return serial === undefined ? SITE : await this.ofSerial(serial);
  }

  async #holderAt(sensorId: string, atTs: number): Promise<Place | undefined> {
    let holdings = this.#holdings.get(sensorId);
    if (!holdings) {
      holdings = this.#store.equipment.holdings(sensorId);
      this.#holdings.set(sensorId, holdings);
    }
    const holder = (await holdings).find(
      ({ assignedTs, unassignedTs }) => assignedTs <= atTs && atTs < (unassignedTs ?? Number.POSITIVE_INFINITY),
    );
    return holder && { studyId: holder.studyId };
  }

  #ofCredential(id: string): Promise<Place> {
    let place = this.#devices.get(id);
    if (!place) {
      place = this.#store.devices.get(id).then((device) => (device ? this.ofDevice(device) : SITE));
      this.#devices.set(id, place);
    }
    return place;
  }
}
