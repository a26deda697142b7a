/** Signatures as defined by Standard Webhooks (standardwebhooks.com): HMAC-SHA256 over id, time and body. */
import { Webhook } from 'standardwebhooks';
import { VERSION } from '../../version.ts';

/**
 * Returns the headers of one attempt. After a rotation both secrets sign, the new one first.
 * @param secrets `whsec_` and base64
 */
export function signedHeaders(id: string, body: string, secrets: readonly string[], now: Date): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `Outpost/${VERSION}`,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  };
}
