/**
 * Refusals of a session that is over. A request that was sent before somebody else signed in may be refused after it; that says nothing
 * about the new session, which it would end.
 */
type Send = (url: string, init: RequestInit) => Promise<Response>;

const UNAUTHORIZED = 401;

/**
 * Makes a refused request fail like one without an answer when the token it was sent with is no longer the one in use, so that queries
 * ask again with the new one.
 *
 * @param token the token in use; undefined without a session
 */
export function withoutLateRefusals(send: Send, token: () => string | undefined): Send {
  return async (url, init) => {
    const sentWith = token();
    const response = await send(url, init);
    if (response.status !== UNAUTHORIZED || sentWith === undefined) return response;
    const now = token();
    if (now === undefined || now === '' || now === sentWith) return response;
    await response.body?.cancel();
    throw new TypeError('Refused with the token of an earlier session.');
  };
}
