/** Certificates that browsers see, for administrators. */

import type { Certificates } from '../../contract/index.ts';
import type { certificateRoutes } from '../../contract/resources/certificates.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';
import { TRUST_PATH } from '../../trust-pages/paths.ts';

export function certificateHandlers({ lan }: ApiDeps): Handlers<typeof certificateRoutes> {
  const shown = async (): Promise<Certificates> => {
    const { urls, ...state } = lan.certificates.state();
    // Loaded here, as for pairings.
    const { default: QRCode } = await import('qrcode');
    const trustPages = urls.map(async (base) => {
      const url = `${base}${TRUST_PATH}`;
      return { url, qrSvg: await QRCode.toString(url, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 }) };
    });
    return { ...state, trustPages: await Promise.all(trustPages) };
  };
  return {
    getCertificates: shown,
    replaceAuthority: async ({ body, caller }) => {
      await lan.certificates.replaceAuthority(changeBy(caller, body.reason));
      return await shown();
    },
    setOwnCertificate: async ({ body, caller }) => {
      const { hostName, pkcs12, ...texts } = body;
      const files = { ...texts, ...(pkcs12 !== undefined && { pkcs12: Buffer.from(pkcs12, 'base64') }) };
      await lan.certificates.setOwn(files, hostName, changeBy(caller));
      return await shown();
    },
    removeOwnCertificate: async ({ caller }) => {
      await lan.certificates.removeOwn(changeBy(caller));
    },
  };
}
