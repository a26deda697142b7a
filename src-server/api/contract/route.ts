/**
 * One endpoint as data: the server mounts it, the OpenAPI document describes it and the client calls it, all from the same
 * object. Pure (zod only), so that it can be bundled for the browser.
 */
import type { z } from 'zod';
import type { RouteErrorStatus } from '../../vocabulary/error-statuses.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call: anyone, a user with Basic credentials, the holder of a signed address, or a paired hub or phone with its own
 * token. Device tokens give no access to user routes, and user tokens none to device routes.
 */
type Access = 'public' | 'user' | 'signed-url' | 'device';

/** Accepted formats of a body. `json` is application/json or text/json; `form` is URL-encoded. */
export type BodyKind = 'json' | 'form' | 'multipart';

/** Content of a successful answer that is not JSON. */
type MediaType =
  | 'text/csv'
  | 'text/markdown'
  | 'application/zip'
  | 'application/octet-stream'
  | 'image/*'
  | 'text/event-stream';

/** A file part of a multipart body. */
interface FilePart {
  required: boolean;
  /** The part may occur more than once. */
  repeated: boolean;
}

/** Another address of the same endpoint, kept for scripts written for the original service. */
interface RouteAlias {
  method?: Method;
  path: string;
  /** Mounted at the root of the server, without `/api/v1` or `/v1`. */
  atRoot?: boolean;
  /** Accepts these bodies instead of the route's own. */
  bodyKinds?: readonly BodyKind[];
}

export interface RouteContract {
  method: Method;
  /** Below `/api/v1`, parameters in braces: `/studies/{studyId}`. */
  path: string;
  aliases?: readonly RouteAlias[];
  access: Access;
  /** For `device`: only these kinds; default both. */
  deviceKinds?: readonly ('HUB' | 'PHONE')[];
  /**
   * Serves a public route on the local network too, as devices need it before they have a token. Device routes and signed
   * addresses are always served there; all others only when an administrator opened the desk to the network.
   */
  onLan?: boolean;
  /** Name in the table of permissions; absent when every signed-in user may call the route, and on public routes. */
  operation?: string;
  /** A user may call it for their own record regardless of role. */
  ownRecord?: boolean;
  tag: string;
  summary: string;
  description?: string;
  /**
   * Fixed order of the items of a list: sort keys, ascending unless prefixed with `-`, or a phrase. The document appends it
   * to the description.
   */
  order?: readonly string[] | string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Largest body; default: just below 1 MB. */
  bodyLimitBytes?: number;
  /** Default: `json` only. */
  bodyKinds?: readonly BodyKind[];
  /** File parts of a multipart body by name, beside the text parts of `body`. */
  files?: Readonly<Record<string, FilePart>>;
  /** Error statuses in addition to those that follow from access, method and body. */
  errorStatuses?: readonly RouteErrorStatus[];
  /** Success status; every error has the shape of `ErrorBody`. */
  status: 200 | 201 | 202 | 204;
  /** Schema of a JSON answer; absent for 204 and for `media`. */
  response?: z.ZodType;
  media?: MediaType;
  /** Other content types of the same answer, selected by the Accept header, with a description each. */
  alternatives?: Readonly<Record<string, string>>;
  /**
   * The answer depends on queries of the database alone, not on the clock, files or settings in memory, so the server may cache
   * it until something that it was read from is written to.
   */
  isStored?: boolean;
  /** A sample answer for the document. */
  example?: unknown;
}

/** Keeps the literal types of a table of routes. */
export function defineRoutes<const T extends Record<string, RouteContract>>(routes: T): T {
  return routes;
}

type OutputOf<S> = S extends z.ZodType ? z.output<S> : Record<never, never>;
type InputOf<S> = S extends z.ZodType ? z.input<S> : Record<never, never>;

/** Path parameters, query and body as the handler receives them. */
export type ParamsOf<R> = R extends { params: infer S } ? OutputOf<S> : Record<never, never>;
export type QueryOf<R> = R extends { query: infer S } ? OutputOf<S> : Record<never, never>;
export type BodyOf<R> = R extends { body: infer S } ? OutputOf<S> : undefined;
/** What a caller of the client passes. */
export type ParamsInputOf<R> = R extends { params: infer S } ? InputOf<S> : Record<never, never>;
export type QueryInputOf<R> = R extends { query: infer S } ? InputOf<S> : Record<never, never>;
export type BodyInputOf<R> = R extends { body: infer S } ? InputOf<S> : undefined;
/** JSON of a successful answer; undefined for 204 and for media answers. */
export type ResponseOf<R> = R extends { response: infer S } ? OutputOf<S> : undefined;
