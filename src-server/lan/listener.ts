/** An HTTPS listener for devices, with connection limits in total and per address. */
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { portFailure } from '../port-owner.ts';

/** In total: enough for a ward of hubs and phones, and bounded in memory. */
const MAX_CONNECTIONS = 256;
/** Per address, so that one sender cannot use up all connections. A hub uses two. */
const MAX_CONNECTIONS_PER_ADDRESS = 32;

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

/** Limits connections in total and per address. Returns the open sockets, including those still in the TLS handshake. */
function limitConnections(server: Server, onCall: (address: string) => void): Set<Socket> {
  const sockets = new Set<Socket>();
  const perAddress = new Map<string, number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const count = (perAddress.get(address) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    onCall(address);
    perAddress.set(address, count);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  });
  return sockets;
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
