/** Reading what an administrator gives as the clinic's own certificate: PEM texts, or a PKCS#12 file. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { OutpostError } from '../../../errors.ts';
import type { OpenedCertificate } from './opened-certificate.ts';

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

const CERTIFICATE_BLOCK =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;
const KEY_BLOCK = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]*?-----END (?:[A-Z]+ )*PRIVATE KEY-----/g;
const IS_ENCRYPTED = /BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/;

/** @throws CERTIFICATE_UNREADABLE, CERTIFICATE_PASSWORD, CERTIFICATE_KEY */
export async function openCertificate(files: CertificateFiles): Promise<OpenedCertificate> {
  const { pkcs12, certificate = '', privateKey = '', password = '' } = files;
  if (pkcs12) {
    // Loaded here: its libraries are large, and a clinic needs them once a year.
    const { openPkcs12 } = await import('./pkcs12.ts');
    return await openPkcs12(pkcs12, password);
  }
  const certificates = (certificate.match(CERTIFICATE_BLOCK) ?? []).map(readPem);
  if (certificates.length === 0) {
    throw new OutpostError(
      'CERTIFICATE_UNREADABLE',
      'There is no certificate in PEM form in this file. It begins with "-----BEGIN CERTIFICATE-----"; other files are read as PKCS#12.',
    );
  }
  const keys = (`${certificate}\n${privateKey}`.match(KEY_BLOCK) ?? []).map((pem) => readKey(pem, password));
  return { certificates, keys };
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

function readKey(pem: string, passphrase: string): KeyObject {
  try {
    return createPrivateKey({ key: pem, passphrase });
  } catch (thrown) {
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
