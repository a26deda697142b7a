/**
 * Guards webhooks against server-side request forgery. The clinic's network is allowed; loopback and link-local addresses are
 * not, unless an administrator allows them: services there (the site itself, a cloud's metadata) trust local callers.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { carriedIpv4, withoutZone } from '../addresses.ts';
import { type Diagnostic, diagnostic } from '../diagnostics.ts';
import { OutpostError } from '../errors.ts';

/** Never the target of a POST: "this network", multicast, reserved, broadcast (RFC 6890). */
const NOWHERE = blockList(['0.0.0.0/8', '224.0.0.0/4', '240.0.0.0/4'], ['::/128', 'ff00::/8']);
const LOCAL = blockList(['127.0.0.0/8', '169.254.0.0/16'], ['::1/128', 'fe80::/10']);

function blockList(v4: string[], v6: string[]): BlockList {
  const list = new BlockList();
  for (const [ranges, family] of [
    [v4, 'ipv4'],
    [v6, 'ipv6'],
  ] as const) {
    for (const range of ranges) {
      const [network = '', bits] = range.split('/');
      list.addSubnet(network, Number(bits), family);
    }
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

function ownAddresses(): BlockList {
  const list = new BlockList();
  for (const one of Object.values(networkInterfaces()).flat()) {
    if (one) list.addAddress(withoutZone(one.address), one.family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return list;
}

interface Refusal {
  code: 'TARGET_NOWHERE' | 'TARGET_LOCAL';
  address: string;
}

/** Returns why connecting to an address is not allowed, or undefined. */
export function refusalOf(address: string, allowLocal: boolean, own: BlockList = ownAddresses()): Refusal | undefined {
  const inner = carriedIpv4(address);
  // ::1 and :: are in an IPv4-carrying range but are judged as themselves.
  const asked = inner !== undefined && !isIn(LOCAL, address) && !isIn(NOWHERE, address) ? inner : address;
  if (isIn(NOWHERE, asked)) return { code: 'TARGET_NOWHERE', address };
  if (allowLocal) return undefined;
  if (isIn(LOCAL, asked) || isIn(own, asked)) return { code: 'TARGET_LOCAL', address };
  return undefined;
}

/** Thrown before anything is sent: connecting to the address is not allowed. */
export class RefusedTarget extends OutpostError {
  readonly diagnostic: Diagnostic;

  constructor(host: string, { code, address }: Refusal) {
    const found = diagnostic(code, { host, address });
    super('INVALID_INPUT', found.message);
    this.diagnostic = found;
  }
}

type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

const systemResolve: Resolve = (host, done) => lookup(host, { all: true, order: 'verbatim' }, done);

/**
 * A `lookup` for sockets that returns allowed addresses only. The socket connects to exactly the address that was checked,
 * which defeats DNS rebinding.
 */
export function checkedLookup(allowLocal: boolean, resolve: Resolve = systemResolve): LookupFunction {
  return (host, options, done) => {
    resolve(host, (error, addresses) => {
      if (error) return done(error as NodeJS.ErrnoException, []);
      const own = ownAddresses();
      const judged = addresses.map((one) => ({ one, refusal: refusalOf(one.address, allowLocal, own) }));
      const wanted = options.family === 4 || options.family === 6 ? options.family : undefined;
      const usable = judged.filter(({ one, refusal }) => !refusal && (!wanted || one.family === wanted));
      const refusal = judged.find((one) => one.refusal)?.refusal;
      const [first] = usable;
      if (!first) return done(refusal ? new RefusedTarget(host, refusal) : new Error(`No address for ${host}`), []);
      if (options.all) {
        done(
          null,
          usable.map(({ one }) => one),
        );
      } else done(null, first.one.address, first.one.family);
    });
  };
}
