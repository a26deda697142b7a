/**
 * Encrypts secrets that the site must read again (passwords of mail servers, keys of webhooks) with AES-256-GCM. The key is
 * derived from `site.json`, so a copy of the database alone reveals none of them.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1.';

export class SecretBox {
  readonly #key: Uint8Array;

  /** @param siteKey at least 32 random bytes, from which the sealing key is derived (RFC 5869) */
  constructor(siteKey: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync('sha256', siteKey, new Uint8Array(0), 'outpost sealed text', 32));
  }

  seal(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return VERSION + sealed.toString('base64');
  }

  /** Returns the text, or undefined when it was sealed under another key (another site) or was changed. */
  open(sealed: string): string | undefined {
    if (!sealed.startsWith(VERSION)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}
