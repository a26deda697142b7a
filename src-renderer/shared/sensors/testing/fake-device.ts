/**
 * A Bluetooth device made in software, behind the interface of Web Bluetooth and with its habits: one operation at a time, objects that die
 * with their connection, a value that the next notification replaces, services that were not asked for out of reach.
 */
import type { BluetoothLike, DeviceRequest, GattCharacteristic, GattDevice, GattServer } from '../bluetooth/gatt.ts';

export interface FakeClock {
  monotonicMs(): number;
  wait(ms: number): Promise<void>;
}

const failure = (name: string, message: string): Error => Object.assign(new Error(message), { name });

export interface CharacteristicBehaviour {
  read?: () => Uint8Array;
  write?: (bytes: Uint8Array) => void;
  canNotify?: boolean;
}

class FakeCharacteristic extends EventTarget implements GattCharacteristic {
  readonly uuid: string;
  value?: DataView;
  isNotifying = false;
  readonly #device: FakeDevice;
  readonly #connection: number;
  readonly #behaviour: CharacteristicBehaviour;

  constructor(uuid: string, device: FakeDevice, connection: number, behaviour: CharacteristicBehaviour) {
    super();
    this.uuid = uuid;
    this.#device = device;
    this.#connection = connection;
    this.#behaviour = behaviour;
  }

  async readValue(): Promise<DataView> {
    return await this.#device.operate(this.#connection, () => {
      if (!this.#behaviour.read) throw failure('NotSupportedError', 'GATT operation not permitted.');
      this.value = new DataView(this.#behaviour.read().slice().buffer);
      return this.value;
    });
  }

  async writeValueWithResponse(value: BufferSource): Promise<void> {
    await this.#device.operate(this.#connection, () => {
      if (!this.#behaviour.write) throw failure('NotSupportedError', 'GATT operation not permitted.');
      const view = ArrayBuffer.isView(value) ? value : new DataView(value);
      this.#behaviour.write(new Uint8Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)));
    });
  }

  async startNotifications(): Promise<unknown> {
    return await this.#device.operate(this.#connection, () => {
      if (!this.#behaviour.canNotify) throw failure('NotSupportedError', 'GATT operation not permitted.');
      this.isNotifying = true;
      return this;
    });
  }

  deliver(bytes: Uint8Array): void {
    if (!this.isNotifying) return;
    const buffer = bytes.slice();
    this.value = new DataView(buffer.buffer);
    this.dispatchEvent(new Event('characteristicvaluechanged'));
    // A caller that kept the view instead of a copy reads this.
    buffer.fill(0xaa);
  }
}

const OPERATION_MS = 15;

export class FakeDevice extends EventTarget implements GattDevice {
  readonly id = 'fake';
  readonly name: string;
  readonly gatt: GattServer;
  /** Another central holds it, or it is out of range. */
  isReachable = true;
  /** Connected, but nothing arrives any more. */
  isDeaf = false;
  connections = 0;
  allowed: ReadonlySet<string> | null = null;
  readonly clock: FakeClock;
  #isConnected = false;
  #isOperating = false;
  #services = new Map<string, Map<string, CharacteristicBehaviour>>();
  #characteristics = new Map<string, FakeCharacteristic>();

  constructor(name: string, clock: FakeClock) {
    super();
    this.name = name;
    this.clock = clock;
    const device = this;
    this.gatt = {
      get connected() {
        return device.#isConnected;
      },
      connect: async () => {
        await clock.wait(OPERATION_MS * 4);
        if (!this.isReachable) throw failure('NetworkError', 'Bluetooth device is not in range or is taken.');
        if (!this.#isConnected) {
          this.#isConnected = true;
          this.connections += 1;
          this.onConnected();
        }
        return this.gatt;
      },
      disconnect: () => this.drop(),
      getPrimaryService: async (uuid) => {
        if (this.allowed && !this.allowed.has(uuid)) throw failure('SecurityError', 'Origin is not allowed to access.');
        return await this.operate(this.connections, () => {
          const service = this.#services.get(uuid);
          if (!service) throw failure('NotFoundError', `No Services matching UUID ${uuid} found in Device.`);
          const connection = this.connections;
          return {
            getCharacteristic: async (id: string) =>
              await this.operate(connection, () => {
                const behaviour = service.get(id);
                if (!behaviour) throw failure('NotFoundError', `No Characteristics matching UUID ${id} found.`);
                const characteristic = new FakeCharacteristic(id, this, connection, behaviour);
                this.#characteristics.set(id, characteristic);
                return characteristic;
              }),
          };
        });
      },
    };
  }

  offer(service: string, characteristic: string, behaviour: CharacteristicBehaviour): void {
    const known = this.#services.get(service) ?? new Map<string, CharacteristicBehaviour>();
    known.set(characteristic, behaviour);
    this.#services.set(service, known);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Ends the connection from either side. */
  drop(): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#isOperating = false;
    this.#characteristics.clear();
    this.onDropped();
    this.dispatchEvent(new Event('gattserverdisconnected'));
  }

  /** Returns false when nobody listens. */
  notify(characteristic: string, bytes: Uint8Array): boolean {
    const target = this.#characteristics.get(characteristic);
    if (!this.#isConnected || this.isDeaf || !target?.isNotifying) return false;
    target.deliver(bytes);
    return true;
  }

  async operate<T>(connection: number, operation: () => T): Promise<T> {
    const isAlive = () => this.#isConnected && connection === this.connections;
    if (!isAlive()) throw failure('NetworkError', 'GATT Server is disconnected. Cannot perform GATT operations.');
    if (this.#isOperating) throw failure('NetworkError', 'GATT operation already in progress.');
    this.#isOperating = true;
    await this.clock.wait(OPERATION_MS);
    if (!isAlive()) throw failure('NetworkError', 'GATT Server is disconnected. Cannot perform GATT operations.');
    this.#isOperating = false;
    return operation();
  }

  protected onConnected(): void {}
  protected onDropped(): void {}
}

/** `navigator.bluetooth` with one device that the person picks. */
export function fakeBluetooth(device: FakeDevice): BluetoothLike & { requests: DeviceRequest[] } {
  const requests: DeviceRequest[] = [];
  return {
    requests,
    getAvailability: async () => true,
    requestDevice: async (request) => {
      requests.push(request);
      const services = request.filters.flatMap((filter) => ('services' in filter ? filter.services : []));
      device.allowed = new Set([...services, ...request.optionalServices]);
      return device;
    },
  };
}
