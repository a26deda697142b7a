/** An HTTPS listener for devices, with connection limits in total, per address and per network. */
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { networkOf } from '../addresses.ts';
import { portFailure } from '../port-owner.ts';

/** In total: enough for a ward of hubs and phones, and bounded in memory. */
const MAX_CONNECTIONS = 256;
/** Per address, so that one sender cannot use up all connections. A hub uses two. */
const MAX_CONNECTIONS_PER_ADDRESS = 32;
/** Per /64 of IPv6, in which one computer can use any number of addresses, and a whole clinic may be. */
const MAX_CONNECTIONS_PER_NETWORK = 96;

export interface Listener {
  readonly server: Server;
  readonly port: number;
  /** Closes all connections; devices resume once they can reconnect. */
  close(): Promise<void>;
}

/** @throws PORT_TAKEN */
export async function openListener(
  server: Server,
  where: { port: number; host?: string },
  onCall: (address: string) => void,
): Promise<Listener> {
  const sockets = limitConnections(server, onCall);
  const port = await listen(server, where.port, where.host);
  return {
    server,
    port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Limits connections in total, per address and per network. Returns the open sockets, including those still in the TLS handshake. */
function limitConnections(server: Server, onCall: (address: string) => void): Set<Socket> {
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  const perNetwork = new Map<string, number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    if (
      (perAddress.get(address) ?? 0) >= MAX_CONNECTIONS_PER_ADDRESS ||
      (perNetwork.get(network) ?? 0) >= MAX_CONNECTIONS_PER_NETWORK
    ) {
      socket.destroy();
      return;
    }
    onCall(address);
    addTo(perAddress, address, 1);
    addTo(perNetwork, network, 1);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      addTo(perAddress, address, -1);
      addTo(perNetwork, network, -1);
    });
  });
  return sockets;
}

function addTo(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function listen(server: Server, port: number, host: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const advice = 'choose another port under Site, Network or with --lan-port';
    const refused = (error: Error) => {
      portFailure(error, { port, use: ' for the local network', advice }).then(reject, reject);
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
