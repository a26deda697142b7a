/**
 * Encryption by the system. The key lies in a file of the user, outside of the program's folder, as in a keyring: a copy of that folder
 * alone cannot be decrypted. Tests replace the answers about what the system offers.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const PATH = join(tmpdir(), `outpost-stand-in-keyring-${userInfo().username}`);

const key = (): Buffer => {
  if (!existsSync(PATH)) {
    // Programs start beside each other: the first key that is there whole is everybody's.
    const made = `${PATH}-${process.pid}`;
    writeFileSync(made, randomBytes(32), { mode: 0o600 });
    try {
      linkSync(made, PATH);
    } catch {
      // Another program was first.
    }
    rmSync(made);
  }
  return readFileSync(PATH);
};

/** Chromium's number in front of what is encrypted with a key of a keyring. */
const KEYRING = Buffer.from('v11');

export const safeStorage = {
  getSelectedStorageBackend: (): string => 'gnome_libsecret',
  isAsyncEncryptionAvailable: async (): Promise<boolean> => true,

  async encryptStringAsync(plainText: string): Promise<Buffer> {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key(), iv);
    return Buffer.concat([KEYRING, iv, cipher.update(plainText, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  },

  /** @throws Error when it was encrypted with another key, in the words that Electron uses */
  async decryptStringAsync(encrypted: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
    try {
      const [iv, sealed] = [
        encrypted.subarray(KEYRING.length, KEYRING.length + 12),
        encrypted.subarray(KEYRING.length + 12),
      ];
      const decipher = createDecipheriv('aes-256-gcm', key(), iv);
      decipher.setAuthTag(sealed.subarray(-16));
      const result = decipher.update(sealed.subarray(0, -16), undefined, 'utf8') + decipher.final('utf8');
      return { result, shouldReEncrypt: false };
    } catch {
      throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptStringAsync.');
    }
  },
};
