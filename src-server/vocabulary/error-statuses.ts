/** The HTTP statuses of failures. */

/** Statuses of requests that reach a route. The OpenAPI document describes each of them. */
export type RouteErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 410
  | 412
  | 413
  | 415
  | 416
  | 429
  | 460
  | 500
  | 501
  | 503
  | 507;

/** With those of requests that end before their route is known: an incomplete request head (408), oversized headers (431). */
export type ErrorStatus = RouteErrorStatus | 408 | 431;
