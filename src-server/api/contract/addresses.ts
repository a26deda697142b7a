/** Method and path of each endpoint without its schemas: what a browser needs to call it. */
import type { RouteId } from './index.ts';
import type { Method, RouteContract } from './route.ts';

export interface Address {
  method: Method;
  /** Below `/api/v1`, parameters in braces. */
  path: string;
  /** False for answers without a body and for files. */
  answersJson: boolean;
}

export type AddressTable = Readonly<Record<RouteId, Address>>;

/** The addresses of a table of routes. */
export function addressesOf(routes: Readonly<Record<RouteId, RouteContract>>): AddressTable {
  const entries = Object.entries(routes).map(([id, { method, path, response }]) => [
    id,
    { method, path, answersJson: response !== undefined } satisfies Address,
  ]);
  return Object.fromEntries(entries) as AddressTable;
}

/** `/studies/{studyId}` with its parameters filled in and escaped. */
export function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}
