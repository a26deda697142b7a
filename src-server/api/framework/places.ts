/**
 * Which study the things of devices belong to: the one place that finds it for credentials, equipment, pairings, files and
 * refusals. What belongs to no study belongs to the site, where the role in the account counts.
 */
import type { DeviceRecord, EquipmentRecord, PairingRecord, UploadRecord } from '../../db/index.ts';
import type { Store } from '../../services/index.ts';

/** A study, or without `studyId` the site itself. */
export interface Place {
  studyId?: string;
}

const SITE: Place = Object.freeze({});

/** What an upload has to say for its place to be found. */
export type PlacedUpload = Pick<UploadRecord, 'sensorId' | 'startUs' | 'createdTs' | 'credentialId'> & Place;

/** Finds places and caches what it reads, so make one per request. */
export class Places {
  readonly #store: Store;
  readonly #holdings = new Map<string, ReturnType<Store['equipment']['holdings']>>();
  readonly #devices = new Map<string, Promise<Place>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Where equipment is now: with its holder, or at the site. */
  ofEquipment({ holder }: Pick<EquipmentRecord, 'holder'>): Place {
    return holder ? { studyId: holder.studyId } : SITE;
  }

  /** By serial number; the site's when it is registered nowhere. */
  async ofSerial(serial: string): Promise<Place> {
    const item = await this.#store.equipment.get(serial);
    return item ? this.ofEquipment(item) : SITE;
  }

  /** A phone that signed in for a subject stays with it; a paired device is where its equipment is. */
  async ofDevice({ studyId, equipmentId }: Pick<DeviceRecord, 'studyId' | 'equipmentId'>): Promise<Place> {
    if (studyId !== undefined) return { studyId };
    return equipmentId === undefined ? SITE : await this.ofSerial(equipmentId);
  }

  /** Where a pairing puts its device; the equipment that it would replace is asked about with the confirmation. */
  ofPairing({ subject }: Pick<PairingRecord, 'subject'>): Place {
    return subject ? { studyId: subject.studyId } : SITE;
  }

  /**
   * The study that the check found or a person chose; else that of the subject who held the sensor when the file begins, or, where
   * its times cannot be right, when it arrived; else that of the device which sent it.
   */
  async ofUpload(upload: PlacedUpload): Promise<Place> {
    if (upload.studyId !== undefined) return { studyId: upload.studyId };
    const startTs = Math.floor(upload.startUs / 1000);
    for (const atTs of [startTs, upload.createdTs]) {
      const holder = await this.#holderAt(upload.sensorId, atTs);
      if (holder) return holder;
    }
    return await this.#ofCredential(upload.credentialId);
  }

  /** A recording that a device reports to hold belongs to the subject who held its sensor when it begins. */
  async ofHeldRecording({ sensorId, startTs }: { sensorId: string; startTs: number }): Promise<Place> {
    return (await this.#holderAt(sensorId, startTs)) ?? (await this.ofSerial(sensorId));
  }

  /** A refusal is about a credential or a pairing, or only about the serial number that a stranger gave. */
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
