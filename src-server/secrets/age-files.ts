/** Files in the age format (age-encryption.org/v1), which Debian's `age` reads and writes. */
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { OutpostError } from '../errors.ts';

/** A key pair of age: the recipient encrypts, and only the identity decrypts. */
export interface AgeKeys {
  identity: string;
  recipient: string;
}

export async function newAgeKeys(): Promise<AgeKeys> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

function encrypterFor(recipient: string): Encrypter {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter;
}

export async function encryptBytes(recipient: string, bytes: Uint8Array): Promise<Uint8Array> {
  return await encrypterFor(recipient).encrypt(bytes);
}

export async function encryptStream(
  recipient: string,
  source: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  return await encrypterFor(recipient).encrypt(webStream(source));
}

export async function decryptStream(
  identity: string,
  source: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return await decrypter.decrypt(webStream(source));
}

/** The library is written for browsers, whose streams have the same members under other type names. */
function webStream(source: AsyncIterable<Uint8Array>): globalThis.ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream: ReadableStream = Readable.toWeb(Readable.from(source, { objectMode: false }));
  return stream as globalThis.ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Encrypts a short text under a passphrase (scrypt, 2^18 rounds, as the `age` program does). */
export async function encryptWithPassphrase(passphrase: string, text: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return await encrypter.encrypt(text);
}

/** @throws PASSPHRASE_WRONG, FILE_DAMAGED */
export async function decryptWithPassphrase(passphrase: string, bytes: Uint8Array, where: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(bytes, 'text');
  } catch (thrown) {
    // The header is authenticated apart from the key, so only a stanza that does not open means another passphrase.
    if (thrown instanceof Error && thrown.message.includes('no identity matched')) {
      throw new OutpostError(
        'PASSPHRASE_WRONG',
        `This is not the passphrase of ${where}. Nothing was changed. Try again.`,
      );
    }
    throw new OutpostError('FILE_DAMAGED', `${where} is damaged, so its passphrase cannot open it. Use a copy of it.`, {
      cause: thrown,
    });
  }
}
