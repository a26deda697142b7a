/**
 * What the authority of a site may certify (RFC 5280, 4.2.1.10): the site's own mDNS name, `localhost`, and addresses that no router of
 * the internet forwards to. A stolen authority key is worthless for every other name.
 */
import { BlockList, isIP } from 'node:net';
import { Constructed, Primitive, Sequence } from 'asn1js';

/** The names of a site that the authority never needs to certify more than. */
const LOCAL_NAME = 'localhost';

/** Private (RFC 1918, RFC 4193), loopback and link-local addresses. */
export const PRIVATE_RANGES = [
  { address: '10.0.0.0', prefix: 8 },
  { address: '172.16.0.0', prefix: 12 },
  { address: '192.168.0.0', prefix: 16 },
  { address: '127.0.0.0', prefix: 8 },
  { address: '169.254.0.0', prefix: 16 },
  { address: 'fc00::', prefix: 7 },
  { address: 'fe80::', prefix: 10 },
] as const;

/** A permitted name of a type shuts out all others of that type; nobody can own a name below `.invalid` (RFC 2606). */
const NOBODY = 'outpost.invalid';

/** Numbers of the choices of GeneralName. */
const RFC822_NAME = 1;
const DNS_NAME = 2;
const URI = 6;
const IP_ADDRESS = 7;

const privateAddresses = new BlockList();
for (const { address, prefix } of PRIVATE_RANGES) {
  privateAddresses.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether an authority for `siteHostName` may certify a host: an address as written, or a name. */
export function isPermitted(host: string, siteHostName: string): boolean {
  const family = isIP(host);
  if (family !== 0) return privateAddresses.check(host, family === 6 ? 'ipv6' : 'ipv4');
  const name = host.toLowerCase();
  return [siteHostName.toLowerCase(), LOCAL_NAME].some((own) => name === own || name.endsWith(`.${own}`));
}

/** DER of the extension's value. */
export function nameConstraints(siteHostName: string): ArrayBuffer {
  const ascii = (type: number, text: string) => subtree(type, new TextEncoder().encode(text));
  const permitted = [
    ascii(DNS_NAME, siteHostName),
    ascii(DNS_NAME, LOCAL_NAME),
    ...PRIVATE_RANGES.map(({ address, prefix }) => subtree(IP_ADDRESS, addressAndMask(address, prefix))),
    ascii(RFC822_NAME, NOBODY),
    ascii(URI, NOBODY),
  ];
  const permittedSubtrees = new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value: permitted });
  return new Sequence({ value: [permittedSubtrees] }).toBER();
}

function subtree(type: number, value: Uint8Array): Sequence {
  const base = new Primitive({ idBlock: { tagClass: 3, tagNumber: type }, valueHex: Uint8Array.from(value).buffer });
  return new Sequence({ value: [base] });
}

/** The bytes of an address, then those of its mask. */
function addressAndMask(address: string, prefix: number): Uint8Array {
  const bytes = isIP(address) === 6 ? ipv6Start(address) : Uint8Array.from(address.split('.').map(Number));
  const mask = bytes.map((_, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index));
    return 0xff & ~(0xff >> bits);
  });
  return new Uint8Array([...bytes, ...mask]);
}

/** The ranges above all have the form `xxxx::`. */
function ipv6Start(address: string): Uint8Array {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint16(0, Number.parseInt(address, 16));
  return bytes;
}
