/**
 * What one endpoint is, as data: the server mounts it, the OpenAPI document describes it, the client calls it, all from
 * the same object. Pure (zod only), so that it can be bundled into the browser.
 */
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call: anyone; a user with Basic credentials; whoever holds a signed address; a paired hub or phone with its own
 * token. Tokens of devices open nothing of the desk, and those of users nothing of the devices.
 */
type Access = 'public' | 'user' | 'signed-url' | 'device';

/** What a body may come as. `json` is application/json or text/json; `form` and `multipart` as named. */
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
  /** It may come more than once. */
  repeated: boolean;
}

/** A further address of the same endpoint, kept for scripts of the original service. */
interface RouteAlias {
  method?: Method;
  path: string;
  /** Mounted at the root of the server, without `/api/v1` or `/v1`. */
  atRoot?: boolean;
  /** Takes these bodies instead of the route's own. */
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
   * A public address that devices need before they have a token: served on the local network too. Those of devices and
   * signed ones always are; all others only when an administrator opened the desk to the network.
   */
  onLan?: boolean;
  /** Name in the table of permissions; absent when every signed-in user may call the route, and on public routes. */
  operation?: string;
  /** A user may do it to their own record whatever their role. */
  ownRecord?: boolean;
  tag: string;
  summary: string;
  description?: string;
  /**
   * Fixed order of the items of a list: members that ascend one after another (`-` before one that descends), or words.
   * It becomes part of the description.
   */
  order?: readonly string[] | string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  /** Default: `json` only. */
  bodyKinds?: readonly BodyKind[];
  /** File parts of a multipart body by name, beside the text parts of `body`. */
  files?: Readonly<Record<string, FilePart>>;
  /** Refusals beside those that follow from access, method and body. */
  errorStatuses?: readonly number[];
  /** Success status; every error has the one shape of `ErrorBody`. */
  status: 200 | 201 | 202 | 204;
  /** Schema of a JSON answer; absent for 204 and for `media`. */
  response?: z.ZodType;
  media?: MediaType;
  /** Other content types of the same answer, which an Accept header asks for, with what they hold. */
  alternatives?: Readonly<Record<string, string>>;
  /**
   * The answer says only what the database holds, whatever the time and the state of files: it is kept until the next
   * write.
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
