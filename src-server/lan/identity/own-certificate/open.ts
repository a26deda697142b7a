/** Reading what an administrator gives as the clinic's own certificate: PEM texts, or a PKCS#12 file. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { OutpostError } from '../../../errors.ts';
import { MOST_BLOCKS, type OpenedCertificate, tooMany } from './opened-certificate.ts';

export interface CertificateFiles {
  /** PEM with one certificate or more, and perhaps the key. */
  certificate?: string;
  /** PEM of the key, if it is not with the certificate. */
  privateKey?: string;
  /** Bytes of a PKCS#12 file, instead of the two above. */
  pkcs12?: Uint8Array;
  /** Opens an encrypted key or the PKCS#12 file. */
  password?: string;
}

const BLOCK_LABEL = /^(?:(?<certificate>(?:X509 |TRUSTED )?CERTIFICATE)|(?:[A-Z]+ )*PRIVATE KEY)-----/;
const BEGIN = '-----BEGIN ';
const PKCS8_ENCRYPTED = /BEGIN ENCRYPTED PRIVATE KEY/;
const IS_ENCRYPTED = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/;

/** @throws CERTIFICATE_UNREADABLE, CERTIFICATE_PASSWORD, CERTIFICATE_KEY */
export async function openCertificate(files: CertificateFiles): Promise<OpenedCertificate> {
  const { pkcs12, certificate = '', privateKey = '', password = '' } = files;
  if (pkcs12) {
    // Loaded here: its libraries are large, and a clinic needs them once a year.
    const { openPkcs12 } = await import('./pkcs12.ts');
    return await openPkcs12(pkcs12, password);
  }
  const inFile = blocksOf(certificate);
  const certificates = inFile.certificates.map(readPem);
  if (certificates.length === 0) {
    throw new OutpostError(
      'CERTIFICATE_UNREADABLE',
      'There is no certificate in PEM form in this file. It begins with "-----BEGIN CERTIFICATE-----"; other files are read as PKCS#12.',
    );
  }
  const keys: KeyObject[] = [];
  for (const pem of [...inFile.keys, ...blocksOf(privateKey).keys]) keys.push(await readKey(pem, password));
  return { certificates, keys };
}

/** The PEM blocks of a text, in one pass over it: an expression would search for each missing end to the end of the text. */
function blocksOf(text: string): { certificates: string[]; keys: string[] } {
  const blocks = { certificates: [] as string[], keys: [] as string[] };
  for (let at = text.indexOf(BEGIN); at >= 0; ) {
    const next = text.indexOf(BEGIN, at + BEGIN.length);
    const part = text.slice(at, next < 0 ? undefined : next);
    const found = BLOCK_LABEL.exec(part.slice(BEGIN.length, BEGIN.length + 100));
    const end = found ? part.indexOf(`-----END ${found[0]}`) : -1;
    if (found && end >= 0) {
      const kind = found.groups?.certificate === undefined ? 'keys' : 'certificates';
      blocks[kind].push(part.slice(0, end + '-----END '.length + found[0].length));
    }
    at = next;
  }
  if (blocks.certificates.length + blocks.keys.length > MOST_BLOCKS) throw tooMany();
  return blocks;
}

function readPem(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (thrown) {
    throw new OutpostError(
      'CERTIFICATE_UNREADABLE',
      'A certificate in this file is damaged. Get the file again from the authority that issued it.',
      { cause: thrown },
    );
  }
}

async function readKey(pem: string, passphrase: string): Promise<KeyObject> {
  try {
    if (PKCS8_ENCRYPTED.test(pem)) {
      // OpenSSL would derive the key with any number of rounds, while nothing else runs.
      const { openEncryptedKey } = await import('./pkcs12.ts');
      return await openEncryptedKey(Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'), passphrase);
    }
    return createPrivateKey({ key: pem, passphrase });
  } catch (thrown) {
    if (thrown instanceof OutpostError) throw thrown;
    if (IS_ENCRYPTED.test(pem)) {
      throw new OutpostError(
        'CERTIFICATE_PASSWORD',
        passphrase === ''
          ? 'The private key is encrypted. Enter its password.'
          : 'The password does not open the private key. Check it and try again.',
        { cause: thrown },
      );
    }
    throw new OutpostError('CERTIFICATE_KEY', 'The private key is damaged or of a kind that is not known.', {
      cause: thrown,
    });
  }
}
