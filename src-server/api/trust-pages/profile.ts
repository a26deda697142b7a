/** The configuration profile with which iPhones and iPads install a root certificate. */
import { createHash } from 'node:crypto';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A UUID that is the same for the same authority, so that installing the profile again replaces it. */
function stableUuid(fingerprint: string, what: string): string {
  const hex = createHash('sha256').update(`${what} ${fingerprint}`).digest('hex').toUpperCase();
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

export function mobileConfig(
  root: { der: Uint8Array; name: string; fingerprint: string },
  description: string,
): string {
  const { name, fingerprint } = root;
  const identifier = `outpost.authority.${fingerprint.slice(0, 16)}`;
  const strings = (values: Record<string, string>) =>
    Object.entries(values)
      .map(([key, value]) => `<key>${key}</key><string>${escaped(value)}</string>`)
      .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>PayloadContent</key><array><dict>
<key>PayloadContent</key><data>${Buffer.from(root.der).toString('base64')}</data>
${strings({
  PayloadCertificateFileName: 'outpost.cer',
  PayloadDescription: description,
  PayloadDisplayName: `Outpost ${name}`,
  PayloadIdentifier: `${identifier}.root`,
  PayloadType: 'com.apple.security.root',
  PayloadUUID: stableUuid(fingerprint, 'root'),
})}
<key>PayloadVersion</key><integer>1</integer>
</dict></array>
${strings({
  PayloadDescription: description,
  PayloadDisplayName: `Outpost ${name}`,
  PayloadIdentifier: identifier,
  PayloadType: 'Configuration',
  PayloadUUID: stableUuid(fingerprint, 'profile'),
})}
<key>PayloadRemovalDisallowed</key><false/>
<key>PayloadVersion</key><integer>1</integer>
</dict></plist>
`;
}
