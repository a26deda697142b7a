/** Hashes, keyed hashes, derived keys, ciphers, keys and certificates: OpenSSL under Node, BoringSSL under Electron. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, expectSame, expectThat, REINSTALL } from '../check.ts';
import { PAIRING, PASSWORD, SEALED, SECRET, SITE_KEY, SUBJECT_CODE, WEBHOOK_SIGNATURE } from '../made-under-openssl.ts';
import { checkAuthority, checkCertificateFiles } from './certificate-authority.ts';

/** FIPS 180-2, example B.1. */
const SHA256_OF_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

async function checkHashes({ dir }: { dir: string }): Promise<void> {
  const { contentOf, hashFile, sha256Hex } = await import('../../files/content-hash.ts');
  expectSame('SHA-256 of a text in one call', sha256Hex('abc'), SHA256_OF_ABC);
  const path = join(dir, 'hashed');
  await writeFile(path, 'abc');
  expectSame('SHA-256 of a file', (await hashFile(path)).sha256, SHA256_OF_ABC);
  const stream = (async function* () {
    yield Buffer.from('a');
    yield Buffer.from('bc');
  })();
  expectSame('SHA-256 of a stream', (await contentOf(stream)).sha256, SHA256_OF_ABC);
}

async function checkKeyedHashes(): Promise<void> {
  const { Deidentifier } = await import('../../exporters/study-export/deidentifier.ts');
  expectSame('the code of a de-identified subject', new Deidentifier(SECRET).code('subject', 'x'), SUBJECT_CODE);
  const { signedHeaders } = await import('../../integrations/webhooks/signature.ts');
  const headers = signedHeaders('msg_1', '{}', [`whsec_${SECRET.toString('base64')}`], new Date(1.75e12));
  expectSame('the signature of a webhook', headers['webhook-signature'], WEBHOOK_SIGNATURE);
}

async function checkPairing(): Promise<void> {
  const { checkCodeOf, commitmentOf, keyOfCode, NONCE_BYTES, newCode, proofOf, sameBytes } = await import(
    '../../lan/pairing/codes.ts'
  );
  const key = await keyOfCode(PAIRING.code, PAIRING.siteId);
  expectSame('the key of a pairing code (PBKDF2)', hex(key), PAIRING.key);
  const fingerprint = Buffer.alloc(32, 1);
  const deviceNonce = Buffer.alloc(NONCE_BYTES, 2);
  const proof = proofOf(key, fingerprint, commitmentOf(deviceNonce));
  expectSame('the proof of a pairing device (HMAC)', hex(proof), PAIRING.proof);
  expectThat(sameBytes(proof, Buffer.from(PAIRING.proof, 'hex')), 'equal proofs compare as different');
  const checkCode = checkCodeOf({ key, fingerprint, deviceNonce, serverNonce: Buffer.alloc(NONCE_BYTES, 3) });
  expectSame('the check code of a pairing', checkCode, PAIRING.checkCode);
  const codes = new Set(Array.from({ length: 10 }, newCode));
  expectSame('the number of different codes among ten new ones', codes.size, 10);
}

async function checkSealedText(): Promise<void> {
  const { SecretBox } = await import('../../secrets/sealed-text.ts');
  const box = new SecretBox(SECRET);
  expectSame('a text sealed under OpenSSL (HKDF, AES-256-GCM)', box.open(SEALED.sealed), SEALED.text);
  expectSame('a text sealed and opened here', box.open(box.seal('日本語 ✓')), '日本語 ✓');
  const changed = SEALED.sealed.replace(/.{4}$/, 'AAA=');
  expectSame('a sealed text that was changed', box.open(changed), undefined);
}

async function checkPasswords(): Promise<void> {
  const { hashPassword, newAccessToken, verifyPassword } = await import('../../db/index.ts');
  expectSame('the right password', await verifyPassword(PASSWORD.password, PASSWORD.hash), true);
  expectSame('a wrong password', await verifyPassword('wrong', PASSWORD.hash), false);
  const hash = await hashPassword(PASSWORD.password);
  expectThat(
    hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'),
    `a new password hash begins with ${hash.slice(0, 32)}`,
  );
  expectSame('the length of an access token', newAccessToken().length, 16);
}

async function checkCertificates(): Promise<void> {
  const { fingerprintOfKey, makeCertificate, newPrivateKey, readCertificate } = await import(
    '../../lan/identity/certificate.ts'
  );
  expectSame('the pin of a key made under OpenSSL', fingerprintOfKey(SITE_KEY.privateKeyPem), SITE_KEY.fingerprint);
  const stored = readCertificate(SITE_KEY.certificatePem);
  expectSame('the pin in a certificate made under OpenSSL', stored.fingerprint, SITE_KEY.fingerprint);
  expectSame('the addresses in a certificate', stored.hosts, SITE_KEY.hosts);
  expectSame('the start of a certificate', stored.notBeforeMs, Date.UTC(2025, 11, 31));
  const privateKeyPem = newPrivateKey();
  const nowMs = Date.now();
  const pem = await makeCertificate({ privateKeyPem, commonName: 'Self-test', hosts: SITE_KEY.hosts, nowMs });
  const made = readCertificate(pem);
  expectSame('the pin in a new certificate', made.fingerprint, fingerprintOfKey(privateKeyPem));
  expectSame('the addresses in a new certificate', made.hosts, SITE_KEY.hosts);
  expectThat(made.notBeforeMs < nowMs && made.notAfterMs > nowMs, 'a new certificate is not valid now');
}

const KEEP_SITE = 'Do not open a site with this program: it could not read what the site stored. ';

export const cryptographyChecks: readonly Check[] = [
  { name: 'hashes', subject: 'SHA-256 of texts, files and streams', advice: REINSTALL, run: checkHashes },
  {
    name: 'keyed-hashes',
    subject: 'HMAC-SHA-256 of webhooks and de-identified codes',
    advice: REINSTALL,
    run: checkKeyedHashes,
  },
  {
    name: 'pairing-codes',
    subject: 'Keys, proofs and check codes of pairing',
    advice: `Devices could not pair. ${REINSTALL}`,
    run: checkPairing,
  },
  {
    name: 'sealed-text',
    subject: 'Secrets sealed with HKDF-SHA-256 and AES-256-GCM',
    advice: KEEP_SITE + REINSTALL,
    run: checkSealedText,
  },
  {
    name: 'passwords',
    subject: 'Password hashes (argon2id) and random tokens',
    advice: `Nobody could sign in. ${REINSTALL}`,
    run: checkPasswords,
  },
  {
    name: 'certificates',
    subject: 'The key of the site (P-256, PKCS#8) and its X.509 certificates',
    advice: KEEP_SITE + REINSTALL,
    run: checkCertificates,
  },
  {
    name: 'certificate-authority',
    subject: 'The authority of the site: a chain that browsers verify, within its name constraints',
    advice: `Phones that trust the site would be warned. ${REINSTALL}`,
    run: checkAuthority,
  },
  {
    name: 'certificate-files',
    subject: "Files with a clinic's own certificate: PKCS#12 with AES, 3DES and RC2",
    advice: `A clinic could not set its certificate from such a file; use PEM files. ${REINSTALL}`,
    run: checkCertificateFiles,
  },
];
