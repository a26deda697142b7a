/**
 * What Bluetooth asks the user: which device a page may use, and whether to pair with it. The page shows the question; only a device that
 * the user chose is ever paired.
 */
import { randomUUID } from 'node:crypto';
import type { BluetoothChoice, BluetoothPrompt } from './desktop-api.ts';
import { PageNews } from './page-news.ts';

/** Time for the user to put a strap on and to wet it. */
const CHOOSE_MS = 180_000;
/** The other side gives up earlier: Bluetooth ends a pairing after 30 s without an answer. */
const PAIR_MS = 60_000;
/** Sets a limit to what a room full of devices makes the page show. */
const MAX_DEVICES = 200;
const MAX_NAME_LENGTH = 100;
/** Of Bluetooth: up to 16 characters for old devices, six digits for others. */
const PIN = /^[0-9A-Za-z]{1,16}$/;

/** The page that asks, compared by identity. */
type Asker = object;
export interface FoundDevice {
  deviceId: string;
  deviceName: string;
}
export interface PairingRequest {
  deviceId: string;
  pairingKind: 'confirm' | 'confirmPin' | 'providePin';
  pin?: string;
}
type PairingAnswer = (answer: { confirmed: boolean; pin?: string }) => void;

interface Open {
  asker: Asker;
  prompt: BluetoothPrompt;
  /** Ends the request in Electron; null cancels it. */
  answer(value: string | null): void;
  timer: NodeJS.Timeout;
}

/** Names come from radios of strangers, and are shown beside the program's own words. */
const nameOf = ({ deviceName }: FoundDevice): string =>
  deviceName.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').slice(0, MAX_NAME_LENGTH);

export class BluetoothPrompts {
  readonly #news = new PageNews();
  #open: Open | null = null;
  /** Devices that the user gave the page that is there. */
  #chosen: { asker: Asker; device: FoundDevice }[] = [];

  /** Takes the list of a page's request, which comes again, whole, with each device that is found. */
  offer(asker: Asker, devices: readonly FoundDevice[], choose: (deviceId: string) => void): void {
    const found = devices.slice(0, MAX_DEVICES);
    const list = found.map((device): BluetoothChoice => ({ deviceId: device.deviceId, name: nameOf(device) }));
    const open = this.#open;
    // The list of one request only grows; where one is missing, the page has asked again.
    const before = open?.asker === asker && open.prompt.kind === 'choose' ? open.prompt : null;
    const isSame = before?.devices.every(({ deviceId }) => list.some((one) => one.deviceId === deviceId)) ?? false;
    const answer = (value: string | null) => {
      const device = found.find(({ deviceId }) => deviceId === value);
      if (device) this.#chosen.push({ asker, device });
      choose(device?.deviceId ?? '');
    };
    if (open && before && isSame) {
      open.answer = answer;
      open.prompt = { ...before, devices: list };
      this.#news.tell();
    } else {
      this.#show(asker, { id: randomUUID(), kind: 'choose', devices: list }, answer, CHOOSE_MS);
    }
  }

  /** Asks whether to pair, if it is a device that the user chose for the page that is there. */
  pair({ deviceId, pairingKind, pin }: PairingRequest, answer: PairingAnswer): void {
    // Chromium names the device by what it displays, Electron calls that its id.
    const chosen = this.#chosen.findLast(({ device }) => [device.deviceId, device.deviceName].includes(deviceId));
    if (!chosen) {
      answer({ confirmed: false });
      return;
    }
    const prompt: BluetoothPrompt = {
      id: randomUUID(),
      kind: 'pair',
      pairing: pairingKind,
      deviceName: nameOf(chosen.device),
      ...(pin !== undefined && { pin }),
    };
    const reply = (value: string | null) => {
      if (pairingKind !== 'providePin') answer({ confirmed: value !== null });
      else if (value !== null && PIN.test(value)) answer({ confirmed: true, pin: value });
      else answer({ confirmed: false });
    };
    this.#show(chosen.asker, prompt, reply, PAIR_MS);
  }

  /** The page is replaced or gone: what it asked is cancelled, and what it was given is forgotten. */
  leave(asker: Asker): void {
    this.#chosen = this.#chosen.filter((one) => one.asker !== asker);
    if (this.#open?.asker === asker) this.#end(null);
  }

  /** Resolves with the question as soon as it differs from the version that the page has seen. */
  async next(seenVersion: unknown): Promise<{ version: number; prompt: BluetoothPrompt | null }> {
    return { version: await this.#news.next(seenVersion), prompt: this.#open?.prompt ?? null };
  }

  /** @param value a device's id, the PIN, or any text to confirm; anything else cancels */
  answer(id: unknown, value: unknown): void {
    // A click on a question that was replaced meanwhile is not for the next one.
    if (this.#open?.prompt.id === id) this.#end(typeof value === 'string' ? value : null);
  }

  #show(asker: Asker, prompt: BluetoothPrompt, answer: Open['answer'], timeoutMs: number): void {
    this.#end(null);
    const timer = setTimeout(() => this.answer(prompt.id, null), timeoutMs);
    timer.unref();
    this.#open = { asker, prompt, answer, timer };
    this.#news.tell();
  }

  #end(value: string | null): void {
    const open = this.#open;
    if (!open) return;
    this.#open = null;
    clearTimeout(open.timer);
    open.answer(value);
    this.#news.tell();
  }
}
