/** The service itself: its version and its own description. */
import { buildOpenApi } from '../contract/openapi.ts';
import type { siteRoutes } from '../contract/resources/site.ts';
import type { ApiDeps } from '../deps.ts';
import type { Handlers } from '../framework/mount.ts';

export function siteHandlers(deps: ApiDeps): Handlers<typeof siteRoutes> {
  let document: Record<string, unknown> | undefined;
  return {
    getStatus: () => ({ version: deps.version, build: deps.build ?? deps.version }),
    getOpenApi: () => {
      document ??= buildOpenApi(deps.version);
      return document;
    },
  };
}
