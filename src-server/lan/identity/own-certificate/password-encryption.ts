/**
 * The encryptions that PKCS#12 files use: those of PKCS#12 itself with 3DES and RC2 (RFC 7292, appendix C), which Windows and old
 * OpenSSL write, and PBES2 with AES or 3DES (RFC 8018).
 */
import { createDecipheriv, createHash, pbkdf2 } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type BaseBlock, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import { decryptRc2 } from './rc2.ts';

/** More would let a file keep the computer busy; programs write 2,000 to 600,000. */
const MAX_ITERATIONS = 1_000_000;
/** In all parts of a file together; each part may name a number of its own. */
const MAX_ITERATIONS_OF_FILE = 4_000_000;
/** Programs write 8 to 64. */
const MAX_SALT_BYTES = 1024;
/** Rounds between two turns of the event loop. */
const ROUNDS_AT_ONCE = 2000;

/** What bytes derived from a password are for (RFC 7292, B.3). */
export const KEY_MATERIAL = 1;
const IV_MATERIAL = 2;
export const MAC_MATERIAL = 3;

/** Thrown for an encryption that is not listed here. */
export class UnknownEncryption extends Error {}

/** What the parts of one file may cost to open. */
export class Effort {
  #left = MAX_ITERATIONS_OF_FILE;

  /** @throws UnknownEncryption when the number is out of bounds, alone or with those before */
  spend(iterations: number): number {
    this.#left -= checkedIterations(iterations);
    if (this.#left < 0) throw new UnknownEncryption(`more than ${MAX_ITERATIONS_OF_FILE} iterations`);
    return iterations;
  }
}

interface Pkcs12Cipher {
  keyBytes: number;
  cipher: 'des-ede3-cbc' | 'rc2-cbc';
}

const PKCS12_CIPHERS: Readonly<Record<string, Pkcs12Cipher>> = {
  '1.2.840.113549.1.12.1.3': { keyBytes: 24, cipher: 'des-ede3-cbc' },
  '1.2.840.113549.1.12.1.4': { keyBytes: 16, cipher: 'des-ede3-cbc' },
  '1.2.840.113549.1.12.1.5': { keyBytes: 16, cipher: 'rc2-cbc' },
  '1.2.840.113549.1.12.1.6': { keyBytes: 5, cipher: 'rc2-cbc' },
};
const PBES2 = '1.2.840.113549.1.5.13';
const PBKDF2 = '1.2.840.113549.1.5.12';
const PBKDF2_HASHES: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.7': 'sha1',
  '1.2.840.113549.2.8': 'sha224',
  '1.2.840.113549.2.9': 'sha256',
  '1.2.840.113549.2.10': 'sha384',
  '1.2.840.113549.2.11': 'sha512',
};
const PBES2_CIPHERS: Readonly<Record<string, { cipher: string; keyBytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { cipher: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { cipher: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { cipher: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': { cipher: 'des-ede3-cbc', keyBytes: 24 },
};

/** An algorithm and its parameters as the file names them. */
export interface Algorithm {
  algorithmId: string;
  algorithmParams?: unknown;
}

/** Returns the plain text, or undefined when the password does not open it. @throws UnknownEncryption */
export async function decryptWithPassword(
  algorithm: Algorithm,
  encrypted: Uint8Array,
  password: string,
  effort: Effort,
): Promise<Uint8Array | undefined> {
  const { algorithmId, algorithmParams } = algorithm;
  if (algorithmId === PBES2) return await decryptPbes2(algorithmParams, encrypted, password, effort);
  const found = PKCS12_CIPHERS[algorithmId];
  if (!found) throw new UnknownEncryption(algorithmId);
  const [saltNode, iterationsNode] = membersOf(algorithmParams);
  const from = {
    salt: checkedSalt(octets(saltNode)),
    iterations: effort.spend(iterationsOf(iterationsNode)),
    hash: 'sha1',
  };
  for (const bytes of passwordForms(password)) {
    const key = await derivePkcs12({ ...from, password: bytes, purpose: KEY_MATERIAL, length: found.keyBytes });
    const iv = await derivePkcs12({ ...from, password: bytes, purpose: IV_MATERIAL, length: 8 });
    const plain =
      found.cipher === 'rc2-cbc'
        ? decryptRc2(key, iv, encrypted)
        : decrypt(found.cipher, threeKeys(key), iv, encrypted);
    if (plain) return plain;
  }
  return undefined;
}

/** The password as UTF-16 with its end. An empty one is written in two ways. */
export function passwordForms(password: string): Uint8Array[] {
  const form = Buffer.from(`${password}\0`, 'utf16le').swap16();
  return password === '' ? [form, new Uint8Array(0)] : [form];
}

/** Derives bytes from a password as PKCS#12 does (RFC 7292, B.2). */
export async function derivePkcs12(from: {
  password: Uint8Array;
  salt: Uint8Array;
  iterations: number;
  hash: string;
  purpose: number;
  length: number;
}): Promise<Uint8Array> {
  const blockBytes = ['sha384', 'sha512'].includes(from.hash) ? 128 : 64;
  const filled = (bytes: Uint8Array): Uint8Array => {
    const length = blockBytes * Math.ceil(bytes.length / blockBytes);
    return Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length] ?? 0);
  };
  const diversifier = new Uint8Array(blockBytes).fill(from.purpose);
  const input = Buffer.concat([filled(from.salt), filled(from.password)]);
  const parts: Uint8Array[] = [];
  for (let length = 0; length < from.length; ) {
    let digest = createHash(from.hash).update(diversifier).update(input).digest();
    for (let round = 1; round < from.iterations; round += 1) {
      digest = createHash(from.hash).update(digest).digest();
      if (round % ROUNDS_AT_ONCE === 0) await setImmediate();
    }
    parts.push(digest);
    length += digest.length;
    for (let start = 0; start < input.length; start += blockBytes) {
      let carry = 1;
      for (let i = blockBytes - 1; i >= 0; i -= 1) {
        carry += (input[start + i] ?? 0) + (digest[i % digest.length] ?? 0);
        input[start + i] = carry & 0xff;
        carry >>= 8;
      }
    }
  }
  return Buffer.concat(parts).subarray(0, from.length);
}

/** @throws UnknownEncryption when the number is out of bounds */
function checkedIterations(iterations: number): number {
  if (!Number.isInteger(iterations) || iterations < 1 || iterations > MAX_ITERATIONS) {
    throw new UnknownEncryption(`${iterations} iterations`);
  }
  return iterations;
}

/** @throws UnknownEncryption when it is longer than any program writes: each round would go over all of it */
export function checkedSalt(salt: Uint8Array): Uint8Array {
  if (salt.length > MAX_SALT_BYTES) throw new UnknownEncryption(`a salt of ${salt.length} bytes`);
  return salt;
}

async function decryptPbes2(
  parameters: unknown,
  encrypted: Uint8Array,
  password: string,
  effort: Effort,
): Promise<Uint8Array | undefined> {
  const [kdf, scheme] = membersOf(parameters);
  const [kdfId, kdfParameters] = membersOf(kdf);
  const [schemeId, ivNode] = membersOf(scheme);
  const cipher = PBES2_CIPHERS[idOf(schemeId)];
  if (idOf(kdfId) !== PBKDF2 || !cipher) throw new UnknownEncryption(`${idOf(kdfId)} ${idOf(schemeId)}`);
  const [saltNode, iterationsNode, ...more] = membersOf(kdfParameters);
  const prf = more.find((node) => node instanceof Sequence);
  const hash = prf ? PBKDF2_HASHES[idOf(membersOf(prf)[0])] : 'sha1';
  if (hash === undefined) throw new UnknownEncryption('PBKDF2');
  const iterations = effort.spend(iterationsOf(iterationsNode));
  const key = await promisify(pbkdf2)(password, checkedSalt(octets(saltNode)), iterations, cipher.keyBytes, hash);
  return decrypt(cipher.cipher, key, octets(ivNode), encrypted);
}

function decrypt(cipher: string, key: Uint8Array, iv: Uint8Array, encrypted: Uint8Array): Uint8Array | undefined {
  try {
    const decipher = createDecipheriv(cipher, key, iv);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Two keys of 3DES are three, the first of them twice. */
const threeKeys = (key: Uint8Array): Uint8Array => (key.length === 16 ? Buffer.concat([key, key.subarray(0, 8)]) : key);

function membersOf(node: unknown): BaseBlock[] {
  if (!(node instanceof Sequence)) throw new UnknownEncryption('parameters');
  return node.valueBlock.value as unknown as BaseBlock[];
}

function idOf(node: unknown): string {
  return node instanceof ObjectIdentifier ? node.getValue() : '';
}

function octets(node: unknown): Uint8Array {
  if (!(node instanceof OctetString)) throw new UnknownEncryption('parameters');
  return new Uint8Array(node.getValue());
}

function iterationsOf(node: unknown): number {
  return node instanceof Integer ? node.valueBlock.valueDec : 0;
}
