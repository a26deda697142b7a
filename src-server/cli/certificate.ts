/** `outpost certificate`: what the desk's page for certificates does, for a server without a desk. */
import { readFile, stat } from 'node:fs/promises';
import { openReadStore } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { readSiteFile, sitePaths } from '../integrity/site-file.ts';
import { type GivenCertificate, removeOwnCertificate, setOwnCertificate } from '../site/certificates/commands.ts';
import { type CertificateReport, certificateReport } from '../site/certificates/report.ts';
import { answer, say } from './output.ts';
import { readPassphrase } from './passphrase.ts';

interface SiteOptions {
  data: string;
  json: boolean;
}

/** As at the desk: far above any certificate. */
const MAX_FILE_BYTES = 250_000;

/** @throws SITE_MISSING, SITE_CORRUPT */
export async function showCertificates({ data, json }: SiteOptions): Promise<undefined> {
  const site = await readSiteFile(data);
  const store = openReadStore(sitePaths(data).database);
  try {
    const report = await certificateReport(site, store, Date.now);
    answer(json ? report : reportText(report));
  } finally {
    await store.close();
  }
  return undefined;
}

/** @throws CERTIFICATE_..., with nothing changed */
export async function setCertificate(
  options: SiteOptions & { files: string[]; name?: string; passphraseFile?: string },
): Promise<undefined> {
  const files = await readFiles(options.files);
  const { name, passphraseFile } = options;
  const given = { ...files, ...(name !== undefined && { hostName: name }) };
  const attempt = async (passphrase?: string) =>
    await setOwnCertificate(options.data, { ...given, ...(passphrase !== undefined && { password: passphrase }) });
  const ask = async () => await readPassphrase('Passphrase of the certificate or its key', passphraseFile);
  const { own, isServed } =
    passphraseFile === undefined
      ? await attempt().catch(async (thrown: unknown) => {
          // Whether one is needed is known only now.
          const isSecret = thrown instanceof OutpostError && thrown.code === 'CERTIFICATE_PASSWORD';
          if (!isSecret) throw thrown;
          return await attempt(await ask());
        })
      : await attempt(await ask());
  if (options.json) answer({ isServed, own });
  else {
    answer(
      `${isServed ? 'Served from now on' : 'Served as soon as the site listens,'} for ${own.names.join(', ')}, until ${day(own.notAfterTs)}.`,
    );
    answer(`Issued by: ${own.issuer}\nSHA-256:   ${readable(own.certificateFingerprint)}`);
  }
  for (const { message } of own.warnings) say(message);
  return undefined;
}

/** @throws NOT_FOUND when there is none */
export async function removeCertificate({ data, json }: SiteOptions): Promise<undefined> {
  await removeOwnCertificate(data);
  if (json) answer({ isRemoved: true });
  else answer("Removed the clinic's own certificate and its key. Every name now gets the certificate of the site.");
  return undefined;
}

/** @throws NOT_FOUND, INVALID_INPUT */
async function readFiles(paths: readonly string[]): Promise<Pick<GivenCertificate, 'certificate' | 'pkcs12'>> {
  const contents = await Promise.all(paths.map(readCertificateFile));
  if (contents.every(isPem)) return { certificate: contents.map((content) => content.toString('utf8')).join('\n') };
  const [only] = contents;
  if (only && contents.length === 1) return { pkcs12: only.toString('base64') };
  const other = paths[contents.findIndex((content) => !isPem(content))];
  throw new OutpostError(
    'INVALID_INPUT',
    `${other} holds no PEM. Name PEM files only, or a single PKCS#12 file, which holds the certificate, its key and the authorities.`,
  );
}

const isPem = (content: Buffer): boolean => content.includes('-----BEGIN');

async function readCertificateFile(path: string): Promise<Buffer> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new OutpostError('NOT_FOUND', `The file ${path} does not exist. Check the path.`);
  if (found.size > MAX_FILE_BYTES) {
    throw new OutpostError('INVALID_INPUT', `${path} is larger than any certificate. Choose the certificate's file.`);
  }
  return await readFile(path);
}

const day = (ts: number): string => new Date(ts).toISOString().slice(0, 10);

/** As OpenSSL and browsers show it. */
const readable = (hex: string): string => hex.toUpperCase().match(/../g)?.join(':') ?? hex;

function reportText({ listener, site, nextKey, authority, own }: CertificateReport): string {
  const lines: string[] = [];
  if (!listener.isOn) lines.push('The site does not listen on the local network: nothing is served.', '');
  const facts = (rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([name]) => name.length));
    lines.push(...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`), '');
  };
  const served = ({ issuer, notBeforeTs, notAfterTs, fingerprint, pin }: NonNullable<CertificateReport['site']>) =>
    [
      ['issued by', issuer],
      ['valid', `${day(notBeforeTs)} to ${day(notAfterTs)}`],
      ['SHA-256', readable(fingerprint)],
      ['pin', pin],
    ] as const;
  lines.push(`Certificate of the site, on port ${listener.port}`);
  if (site) {
    facts([
      ['names', site.names.join(', ')],
      ...served(site),
      ...(nextKey ? [['next pin', `${nextKey.pin}, from ${day(nextKey.fromTs)}`] as const] : []),
    ]);
  } else lines.push('  None yet: the first start on the local network makes it.', '');
  lines.push('Authority of the site, which phones install');
  if (!authority) lines.push('  None yet: the first start on the local network makes it.', '');
  else if (authority.state === 'UNREADABLE')
    lines.push('  It cannot be read, so the certificate is self-signed. Replace it at the desk.', '');
  else {
    const { name, fingerprint, notAfterTs, state, hostName } = authority;
    facts([
      ['name', name],
      ['may certify', `${hostName}, private addresses`],
      ['valid', `${state === 'ENDED' ? 'ended on' : 'to'} ${day(notAfterTs)}`],
      ['SHA-256', readable(fingerprint)],
    ]);
  }
  lines.push("The clinic's own certificate");
  if (!own) lines.push('  None.');
  else if (own.state === 'UNREADABLE') lines.push('  It cannot be read, so it is not served. Set it again.');
  else {
    facts([
      ['name for phones', own.hostName],
      ['names', own.names.join(', ')],
      ...served({ ...own, isSignedByAuthority: false }),
    ]);
    lines.push(...own.warnings.map(({ message }) => message));
  }
  return lines.join('\n').trimEnd();
}
