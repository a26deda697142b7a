/** What hub and phone have in common: the site they are paired with, kept durably, and their calls to it. */
import { Connection } from './connection.ts';
import { type PairingInvitation, type PairingSteps, pair } from './pairing.ts';

/** Where a device belongs, as it stores it. */
export interface SiteRecord {
  siteId: string;
  siteName: string;
  credentialId: string;
  token: string;
  pins: string[];
  urls: string[];
}

interface Whereabouts {
  pins?: { fingerprint: string; next?: { fingerprint: string } };
  addresses: string[];
}

export interface DeviceStatus extends Whereabouts {
  siteId: string;
  siteName: string;
  serverTs: number;
  device: { credentialId: string; kind: string; serial: string; studyId?: string; subjectId?: string };
}

/** A device was asked for something that needs a pairing first. */
export class NotPaired extends Error {
  constructor() {
    super('This device is not paired with a site yet.');
    this.name = 'NotPaired';
  }
}

/** Connection to the site of a device; `save` is told of everything that must not be forgotten. */
export class SiteLink {
  #record: SiteRecord | undefined;
  #connection: Connection | undefined;
  readonly #save: (record: SiteRecord) => Promise<void>;

  constructor(record: SiteRecord | undefined, save: (record: SiteRecord) => Promise<void>) {
    this.#record = record;
    this.#save = save;
  }

  get record(): SiteRecord | undefined {
    return this.#record;
  }

  /** @throws NotPaired */
  get connection(): Connection {
    if (!this.#record) throw new NotPaired();
    this.#connection ??= new Connection(this.#record);
    return this.#connection;
  }

  /** A second connection, for what goes on at the same time. @throws NotPaired */
  another(): Connection {
    if (!this.#record) throw new NotPaired();
    return new Connection(this.#record);
  }

  /** Pairs, stores what came of it, and uses the credential for the first time. @throws as `pair` */
  async pair(invitation: PairingInvitation, steps: PairingSteps): Promise<DeviceStatus> {
    const { fingerprint, ...paired } = await pair(invitation, steps);
    await this.enter({ ...paired, pins: [fingerprint] });
    return await this.status();
  }

  /** Stores where the device belongs from now on. */
  async enter(record: SiteRecord): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
    this.#record = record;
    await this.#save(record);
  }

  async status(): Promise<DeviceStatus> {
    const status = await this.connection.json<DeviceStatus>('/device/status');
    await this.learn(status);
    return status;
  }

  /** Keeps the addresses and keys of an answer: the site may move, and its key may change after an announcement. */
  async learn({ pins, addresses }: Whereabouts): Promise<void> {
    const record = this.#record;
    if (!record) return;
    const accepted = pins ? [pins.fingerprint, ...(pins.next ? [pins.next.fingerprint] : [])] : record.pins;
    const urls = addresses.length > 0 ? addresses : record.urls;
    if (accepted.join() === record.pins.join() && urls.join() === record.urls.join()) return;
    this.#record = { ...record, pins: accepted, urls };
    this.#connection?.close();
    this.#connection = undefined;
    await this.#save(this.#record);
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}
