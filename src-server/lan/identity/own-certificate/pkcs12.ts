/** Reading a PKCS#12 file (`.p12`, `.pfx`): the certificates and the private key in it (RFC 7292). */
import {
  createHash,
  createHmac,
  createPrivateKey,
  type KeyObject,
  timingSafeEqual,
  X509Certificate,
} from 'node:crypto';
import { OctetString } from 'asn1js';
import {
  AuthenticatedSafe,
  EncryptedData,
  type MacData,
  PFX,
  PKCS8ShroudedKeyBag,
  type SafeBag,
  SafeContents,
} from 'pkijs';
import { OutpostError } from '../../../errors.ts';
import { MOST_BLOCKS, type OpenedCertificate, tooMany } from './opened-certificate.ts';
import {
  checkedSalt,
  decryptWithPassword,
  derivePkcs12,
  Effort,
  MAC_MATERIAL,
  passwordForms,
  UnknownEncryption,
} from './password-encryption.ts';

const DATA = '1.2.840.113549.1.7.1';
const ENCRYPTED_DATA = '1.2.840.113549.1.7.6';
const KEY_BAG = '1.2.840.113549.1.12.10.1.1';
const SHROUDED_KEY_BAG = '1.2.840.113549.1.12.10.1.2';
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3';
const X509_CERTIFICATE = '1.2.840.113549.1.9.22.1';
const MAC_HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** @throws CERTIFICATE_UNREADABLE, CERTIFICATE_PASSWORD, CERTIFICATE_KEY */
export async function openPkcs12(bytes: Uint8Array, password: string): Promise<OpenedCertificate> {
  try {
    return await open(bytes, password);
  } catch (thrown) {
    if (thrown instanceof OutpostError) throw thrown;
    if (thrown instanceof UnknownEncryption) {
      throw new OutpostError(
        'CERTIFICATE_UNREADABLE',
        'The PKCS#12 file is encrypted in a way that Outpost does not know. Export it again with AES-256, or use PEM files.',
        { cause: thrown },
      );
    }
    throw new OutpostError(
      'CERTIFICATE_UNREADABLE',
      'This is not a PKCS#12 file, or it is damaged. Choose a file that ends in .p12 or .pfx, or use PEM files.',
      { cause: thrown },
    );
  }
}

/**
 * Opens a private key in encrypted PKCS#8.
 * @throws CERTIFICATE_UNREADABLE for an encryption that is not known; another error when the password does not open it
 */
export async function openEncryptedKey(pkcs8: Uint8Array, password: string): Promise<KeyObject> {
  const { encryptionAlgorithm, encryptedData } = PKCS8ShroudedKeyBag.fromBER(copyOf(pkcs8));
  try {
    const plain = await decryptWithPassword(encryptionAlgorithm, octets(encryptedData), password, new Effort());
    if (!plain) throw new TypeError('The password does not open the key.');
    return privateKeyOf(plain);
  } catch (thrown) {
    if (!(thrown instanceof UnknownEncryption)) throw thrown;
    throw new OutpostError(
      'CERTIFICATE_UNREADABLE',
      'The private key is encrypted in a way that Outpost does not know. Encrypt it again with AES-256 and at most 1,000,000 rounds.',
      { cause: thrown },
    );
  }
}

async function open(bytes: Uint8Array, password: string): Promise<OpenedCertificate> {
  const pfx = PFX.fromBER(Uint8Array.from(bytes).buffer);
  if (pfx.authSafe.contentType !== DATA) throw new UnknownEncryption(pfx.authSafe.contentType);
  const safes = octets(pfx.authSafe.content);
  const effort = new Effort();
  if (pfx.macData && !(await isMacOf(pfx.macData, safes, password, effort))) throw wrongPassword();
  const bags: SafeBag[] = [];
  for (const { contentType, content } of AuthenticatedSafe.fromBER(copyOf(safes)).safeContents) {
    if (contentType === DATA) bags.push(...SafeContents.fromBER(copyOf(octets(content))).safeBags);
    else if (contentType === ENCRYPTED_DATA) {
      const { encryptedContentInfo } = new EncryptedData({ schema: content });
      const { contentEncryptionAlgorithm: algorithm } = encryptedContentInfo;
      const encrypted = new Uint8Array(encryptedContentInfo.getEncryptedContent());
      const plain = await decryptWithPassword(algorithm, encrypted, password, effort);
      if (!plain) throw wrongPassword();
      bags.push(...SafeContents.fromBER(copyOf(plain)).safeBags);
    } else throw new UnknownEncryption(contentType);
  }
  if (bags.length > MOST_BLOCKS) throw tooMany();
  const certificates: X509Certificate[] = [];
  const keys: KeyObject[] = [];
  for (const { bagId, bagValue } of bags) {
    if (bagId === CERTIFICATE_BAG && 'certId' in bagValue && bagValue.certId === X509_CERTIFICATE) {
      certificates.push(new X509Certificate(octets(bagValue.certValue)));
    } else if (bagId === KEY_BAG) {
      keys.push(privateKeyOf(new Uint8Array(bagValue.toSchema().toBER())));
    } else if (bagId === SHROUDED_KEY_BAG && 'encryptionAlgorithm' in bagValue) {
      const encrypted = octets(bagValue.encryptedData);
      const plain = await decryptWithPassword(bagValue.encryptionAlgorithm, encrypted, password, effort);
      if (!plain) throw wrongPassword();
      keys.push(privateKeyOf(plain));
    }
  }
  return { certificates, keys };
}

async function isMacOf(macData: MacData, content: Uint8Array, password: string, effort: Effort): Promise<boolean> {
  const hash = MAC_HASHES[macData.mac.digestAlgorithm.algorithmId];
  if (hash === undefined) throw new UnknownEncryption(macData.mac.digestAlgorithm.algorithmId);
  const digest = octets(macData.mac.digest);
  const salt = checkedSalt(octets(macData.macSalt));
  if (digest.length !== createHash(hash).digest().length) throw new UnknownEncryption('a digest of another length');
  const iterations = effort.spend(macData.iterations ?? 1);
  for (const form of passwordForms(password)) {
    const length = digest.length;
    const key = await derivePkcs12({ password: form, salt, iterations, hash, purpose: MAC_MATERIAL, length });
    const computed = createHmac(hash, key).update(content).digest();
    if (computed.length === digest.length && timingSafeEqual(computed, digest)) return true;
  }
  return false;
}

function privateKeyOf(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' });
}

/** The content of an octet string, also of one in several parts. */
function octets(node: unknown): Uint8Array {
  if (!(node instanceof OctetString)) throw new TypeError('not an octet string');
  return new Uint8Array(node.getValue());
}

const copyOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

function wrongPassword(): OutpostError {
  return new OutpostError('CERTIFICATE_PASSWORD', 'The password does not open this file. Check it and try again.');
}
