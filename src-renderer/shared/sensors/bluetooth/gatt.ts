/** The part of Web Bluetooth that is used here, so that a strap made in software can stand in for it. */
export interface GattCharacteristic extends EventTarget {
  readonly uuid: string;
  readonly value?: DataView;
  readValue(): Promise<DataView>;
  writeValueWithResponse(value: BufferSource): Promise<void>;
  startNotifications(): Promise<unknown>;
}

export interface GattService {
  getCharacteristic(uuid: string): Promise<GattCharacteristic>;
}

export interface GattServer {
  readonly connected: boolean;
  connect(): Promise<GattServer>;
  disconnect(): void;
  getPrimaryService(uuid: string): Promise<GattService>;
}

export interface GattDevice extends EventTarget {
  readonly id: string;
  readonly name?: string;
  readonly gatt?: GattServer;
}

export interface DeviceRequest {
  filters: ({ services: string[] } | { namePrefix: string })[];
  optionalServices: string[];
}

export interface BluetoothLike {
  requestDevice(request: DeviceRequest): Promise<GattDevice>;
  getAvailability?(): Promise<boolean>;
}

const short = (id: number): string => `0000${id.toString(16).padStart(4, '0')}-0000-1000-8000-00805f9b34fb`;

export const HEART_RATE_SERVICE = short(0x180d);
export const HEART_RATE_MEASUREMENT = short(0x2a37);
export const BATTERY_SERVICE = short(0x180f);
export const BATTERY_LEVEL = short(0x2a19);
export const DEVICE_INFORMATION = short(0x180a);
export const MODEL_NUMBER = short(0x2a24);
export const FIRMWARE_REVISION = short(0x2a26);
export const POLAR_SERVICE = 'fb005c80-02e7-f387-1cad-8acd2d8df0c8';
export const POLAR_CONTROL = 'fb005c81-02e7-f387-1cad-8acd2d8df0c8';
export const POLAR_DATA = 'fb005c82-02e7-f387-1cad-8acd2d8df0c8';
export const MOVESENSE_SERVICE = '34802252-7185-4d5d-b431-630e7050e8f0';
export const MOVESENSE_COMMAND = '34800001-7185-4d5d-b431-630e7050e8f0';
export const MOVESENSE_DATA = '34800002-7185-4d5d-b431-630e7050e8f0';

/** Every service that is touched later must be named here, else the browser refuses it. */
export const DEVICE_REQUEST: DeviceRequest = {
  filters: [{ services: [HEART_RATE_SERVICE] }, { namePrefix: 'Polar ' }, { namePrefix: 'Movesense' }],
  optionalServices: [HEART_RATE_SERVICE, BATTERY_SERVICE, DEVICE_INFORMATION, POLAR_SERVICE, MOVESENSE_SERVICE],
};
