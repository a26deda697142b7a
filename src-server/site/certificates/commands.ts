/**
 * Setting and removing the clinic's own certificate from the command line. A site that runs does it itself and serves the outcome at once;
 * a closed one is opened for the change.
 */
import { z } from 'zod';
import { SYSTEM } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { atSite } from '../control/at-site.ts';
import type { ControlCommands } from '../control/control-server.ts';
import type { SiteFolder } from '../folder.ts';
import { LanCertificates, type SetAtCommand } from './lan-certificates.ts';

const givenCertificate = z.strictObject({
  /** PEM: certificates and the key. */
  certificate: z.string().optional(),
  /** Base64 of a PKCS#12 file, instead of it. */
  pkcs12: z.base64().optional(),
  password: z.string().optional(),
  hostName: z.string().optional(),
});
export type GivenCertificate = z.infer<typeof givenCertificate>;

const SET = 'setOwnCertificate';
const REMOVE = 'removeOwnCertificate';

/** What a running site does for the commands below. */
export function ownCertificateCommands(certificates: LanCertificates): ControlCommands {
  return {
    [SET]: async (input) => await set(certificates, givenCertificate.parse(input)),
    [REMOVE]: async () => await remove(certificates),
  };
}

/** @throws CERTIFICATE_..., SITE_LOCKED when a site runs that cannot be reached, and the errors of `openSite` */
export async function setOwnCertificate(dir: string, given: GivenCertificate): Promise<SetAtCommand> {
  return await atSite(dir, SET, given, (folder) => set(certificatesOf(folder), given));
}

/** @throws NOT_FOUND when there is none */
export async function removeOwnCertificate(dir: string): Promise<void> {
  await atSite(dir, REMOVE, {}, (folder) => remove(certificatesOf(folder)));
}

/** Of a closed site, which does not listen. */
function certificatesOf(folder: SiteFolder): LanCertificates {
  const none = () => undefined;
  const require = () => {
    throw new Error('A closed site does not listen.');
  };
  return new LanCertificates(folder, Date.now, { service: none, require });
}

async function set(certificates: LanCertificates, given: GivenCertificate): Promise<SetAtCommand> {
  const { hostName, pkcs12, ...texts } = given;
  const files = { ...texts, ...(pkcs12 !== undefined && { pkcs12: Buffer.from(pkcs12, 'base64') }) };
  return await certificates.setOwnAtCommand(files, hostName, SYSTEM);
}

async function remove(certificates: LanCertificates): Promise<void> {
  if (await certificates.removeOwnAtCommand(SYSTEM)) return;
  throw new OutpostError('NOT_FOUND', 'The clinic has set no certificate of its own, so there is none to remove.');
}
