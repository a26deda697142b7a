/** Certificates that browsers of phones trust: the authority of the site, and a certificate of the clinic. */
import { z } from 'zod';
import { diagnostic, timestamp } from '../common.ts';
import { defineRoutes } from '../route.ts';

const authority = z
  .strictObject({
    state: z.enum(['READY', 'ENDED', 'UNREADABLE']).meta({
      description: 'ENDED, UNREADABLE: it signs nothing, and the site has a self-signed certificate. Replace it.',
    }),
    name: z.string().optional().meta({ description: 'The name that phones show.' }),
    fingerprint: z
      .string()
      .optional()
      .meta({ description: 'Lower-case hex of the SHA-256 of its certificate, to compare with what a phone shows.' }),
    notAfterTs: timestamp.optional(),
    hostName: z.string().optional().meta({ description: 'The name that it may certify, besides `localhost`.' }),
    ranges: z.array(z.string()).optional().meta({ description: 'The addresses that it may certify.' }),
  })
  .meta({ id: 'CertificateAuthority' });

const certificates = z
  .strictObject({
    authority,
    current: z
      .strictObject({ hosts: z.array(z.string()), notAfterTs: timestamp, isSigned: z.boolean() })
      .meta({ description: 'The certificate over the key that devices pin; `isSigned`: by the authority.' }),
    uncovered: z.array(z.string()).meta({
      description:
        'Hosts of the site that the authority may not certify, such as public addresses. Browsers warn there.',
    }),
    own: z
      .strictObject({
        hostName: z.string().meta({ description: 'The name that phones use.' }),
        url: z.string(),
        names: z.array(z.string()).meta({ description: 'Names for which the certificate is served (SNI).' }),
        notBeforeTs: timestamp,
        notAfterTs: timestamp,
        warnings: z.array(diagnostic),
      })
      .optional()
      .meta({ description: "The clinic's own certificate, if one is set." }),
    trustPages: z
      .array(z.strictObject({ url: z.string(), qrSvg: z.string() }))
      .meta({ description: 'The page that phones open to install the authority, under each address that has it.' }),
    trustedCalls: z
      .array(z.strictObject({ address: z.string(), system: z.enum(['ANDROID', 'IOS', 'OTHER']), ts: timestamp }))
      .meta({
        description:
          'Phones that showed since the site started to listen that they trust it, the newest first. Unproven: any program on the network can claim it.',
      }),
  })
  .meta({ id: 'Certificates' });
export type Certificates = z.infer<typeof certificates>;

const pem = z.string().max(200_000);

export const certificateRoutes = defineRoutes({
  getCertificates: {
    method: 'GET',
    path: '/network/certificates',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Get the certificates that browsers see',
    description: 'Private keys are never returned. 409 while the site does not listen on the local network.',
    errorStatuses: [409],
    status: 200,
    response: certificates,
  },
  replaceAuthority: {
    method: 'POST',
    path: '/network/certificates/authority',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: 'Replace the authority of the site',
    description:
      'After a theft, or before it ends. Phones that installed the old one must remove it and install the new one; devices that pin the key notice nothing.',
    body: z.object({ reason: z.string().trim().min(1).max(500) }),
    errorStatuses: [409],
    status: 200,
    response: certificates,
  },
  setOwnCertificate: {
    method: 'PUT',
    path: '/network/certificates/own',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: "Set the clinic's own certificate",
    description:
      'PEM or PKCS#12. Key, chain, names, dates, purpose and strength are checked (CERTIFICATE_...), and nothing changes when one of them is wrong. It is served to clients that ask for one of its names; addresses and mDNS names keep the key that devices pin.',
    body: z
      .object({
        certificate: pem
          .optional()
          .meta({ description: 'PEM: the certificate and those of all authorities above it.' }),
        privateKey: pem.optional().meta({ description: 'PEM of the key, unless it is with the certificate.' }),
        pkcs12: z.base64().max(400_000).optional().meta({ description: 'A PKCS#12 file, instead of the two above.' }),
        password: z.string().max(1024).optional().meta({ description: 'Of the key or of the PKCS#12 file.' }),
        hostName: z.string().trim().max(253).optional().meta({
          description: 'The name that phones use; needed when the certificate has only wildcards.',
        }),
      })
      .refine(({ certificate, pkcs12 }) => (certificate === undefined) !== (pkcs12 === undefined), {
        path: ['certificate'],
        error: 'give either `certificate` or `pkcs12`',
      }),
    errorStatuses: [409],
    status: 200,
    response: certificates,
  },
  removeOwnCertificate: {
    method: 'DELETE',
    path: '/network/certificates/own',
    access: 'user',
    operation: 'site.manage',
    tag: 'Service',
    summary: "Remove the clinic's own certificate",
    description: 'Its key is deleted. Phones that use its name can no longer open the site there.',
    errorStatuses: [409],
    status: 204,
  },
});
