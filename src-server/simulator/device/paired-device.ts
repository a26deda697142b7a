/** The common base of hub and phone: the durable record of the paired site, and calls to it. */
import { Connection } from './connection.ts';
import { type PairingInvitation, type PairingSteps, pair } from './pairing.ts';

/** The paired site, as a device stores it. */
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

/** A call that needs a pairing was made on an unpaired device. */
export class NotPaired extends Error {
  constructor() {
    super('This device is not paired with a site yet.');
    this.name = 'NotPaired';
  }
}

/** A device's connection to its site; `save` persists every change of the pairing. */
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

  /** A second connection, for concurrent calls. @throws NotPaired */
  another(): Connection {
    if (!this.#record) throw new NotPaired();
    return new Connection(this.#record);
  }

  /** Pairs, stores the credential and then uses it for the first time. @throws as `pair` */
  async pair(invitation: PairingInvitation, steps: PairingSteps): Promise<DeviceStatus> {
    const { fingerprint, ...paired } = await pair(invitation, steps);
    await this.enter({ ...paired, pins: [fingerprint] });
    return await this.status();
  }

  /** Stores the site to which the device now belongs. */
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

  /** Stores addresses and keys from a response: the site may move, and announces a change of its key. */
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
