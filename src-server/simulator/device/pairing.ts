/** The device side of pairing: `resources/protocol/pairing.md`, section 3. */
import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection, Refusal } from './connection.ts';

const PROTOCOL_VERSION = 1;
const CODE_ROUNDS = 200_000;
const COLLECT_EVERY_MS = 2000;

/** The pairing code of the desk: the payload of the QR code, or an address and a typed code. */
export type PairingInvitation = { link: string } | { url: string; code: string };

export interface PairingDevice {
  kind: 'HUB' | 'PHONE';
  serial: string;
  displayName: string;
  hardwareId?: string;
  firmwareId?: string;
}

export interface PairingSteps {
  device: PairingDevice;
  /** The device's clock, epoch ms. */
  clock: () => number;
  /** Called with the check code: a person compares it with the desk's and confirms there. */
  onCheckCode: (checkCode: string) => Promise<void> | void;
  /** Called when the clocks differ too much, with the lead of the site. Returns true when the device has set its clock. */
  onWrongClock?: (aheadMs: number) => boolean;
  /** Polling interval for the credential. */
  collectEveryMs?: number;
}

export interface Paired {
  siteId: string;
  siteName: string;
  credentialId: string;
  token: string;
  fingerprint: string;
  urls: string[];
}

interface QrCode {
  siteId: string;
  pairingId: string;
  secret: Buffer;
  fingerprint: string;
  urls: string[];
}

interface CallAnswer {
  pairingId: string;
  siteId: string;
  siteName: string;
  serverNonce: string;
  serverTs: number;
}

interface Hello {
  siteId: string;
  siteName: string;
  serverTs: number;
}

type Collection =
  | { state: 'WAITING' }
  | { state: 'PAIRED'; credentialId: string; token: string; siteId: string; siteName: string };

/** @throws Error when it is not a pairing code */
function readLink(link: string): QrCode {
  if (!link.startsWith('outpost://pair/1#')) throw new Error('This is not an Outpost pairing code.');
  const members = new URLSearchParams(link.slice(link.indexOf('#') + 1));
  const member = (name: string): string => {
    const value = members.get(name);
    if (value === null) throw new Error(`The pairing code has no \`${name}\`.`);
    return value;
  };
  return {
    siteId: member('s'),
    pairingId: member('p'),
    secret: Buffer.from(member('k'), 'base64url'),
    fingerprint: Buffer.from(member('f'), 'base64url').toString('hex'),
    urls: members.getAll('a'),
  };
}

function keyed(key: Uint8Array, purpose: string, ...parts: Uint8Array[]): Buffer {
  const mac = createHmac('sha256', key).update(`outpost-pairing-1 ${purpose}\0`, 'ascii');
  for (const part of parts) mac.update(part);
  return mac.digest();
}

async function keyOfCode(code: string, siteId: string): Promise<Buffer> {
  const letters = code.toUpperCase().replace(/[^A-Z0-9]/g, '');
  return await promisify(pbkdf2)(letters, `outpost-pairing-1 code\0${siteId}`, CODE_ROUNDS, 32, 'sha256');
}

/**
 * Makes the calls up to the credential. The caller stores it durably and then uses it once, which completes the pairing.
 * @throws Refusal (PAIRING_...), PinMismatch, network errors
 */
export async function pair(invitation: PairingInvitation, steps: PairingSteps): Promise<Paired> {
  const qr = 'link' in invitation ? readLink(invitation.link) : undefined;
  const urls = 'link' in invitation ? (qr?.urls ?? []) : [invitation.url];
  const pins = qr ? [qr.fingerprint] : [];
  const connection = new Connection({ urls, pins });
  try {
    const hello = await connection.json<Hello>('/device/hello');
    const key = 'link' in invitation ? (qr?.secret ?? Buffer.alloc(0)) : await keyOfCode(invitation.code, hello.siteId);
    const [fingerprint = ''] = pins;
    const pin = Buffer.from(fingerprint, 'hex');
    const nonce = randomBytes(32);
    const commitment = createHash('sha256').update(nonce).digest();
    const callIn = () =>
      connection.json<CallAnswer>('/device/pairings', {
        protocolVersion: PROTOCOL_VERSION,
        ...(qr && { siteId: qr.siteId, pairingId: qr.pairingId }),
        commitment: commitment.toString('base64url'),
        proof: keyed(key, 'proof', pin, commitment).toString('base64url'),
        clockTs: steps.clock(),
        device: steps.device,
      });
    let called: CallAnswer;
    try {
      called = await callIn();
    } catch (thrown) {
      const isClock = thrown instanceof Refusal && thrown.code === 'PAIRING_CLOCK';
      if (!isClock || steps.onWrongClock?.(hello.serverTs - steps.clock()) !== true) throw thrown;
      called = await callIn();
    }
    const stepPath = `/device/pairings/${called.pairingId}`;
    const shown = { nonce: nonce.toString('base64url') };
    await connection.json(`${stepPath}/nonce`, shown);
    const check = keyed(key, 'check', pin, nonce, Buffer.from(called.serverNonce, 'base64url')).subarray(0, 4);
    const digits = check.toString('hex').toUpperCase();
    await steps.onCheckCode(`${digits.slice(0, 4)}-${digits.slice(4)}`);
    for (;;) {
      const collected = await connection.json<Collection>(`${stepPath}/credential`, shown);
      if (collected.state === 'PAIRED') {
        const { credentialId, token, siteId, siteName } = collected;
        return { siteId, siteName, credentialId, token, fingerprint, urls };
      }
      await sleep(steps.collectEveryMs ?? COLLECT_EVERY_MS);
    }
  } finally {
    connection.close();
  }
}
