/** What a site signs of its audit trail for others to keep: backups, exports and devices. */

export interface AuditReceipt {
  v: 1;
  siteId: string;
  /** The log of anchors changes its branch when the site continues from a backup; see `integrity/anchors/anchor.ts`. */
  branch: string;
  /** The newest row of the trail, and its hash. */
  sequence: number;
  hash: string;
  /** Epoch ms. */
  timeTs: number;
  /** The newest line of the log of anchors, by number and SHA-256. */
  anchor: number;
  anchorHash: string;
  keyId: string;
  /** Ed25519, 32 bytes in base64url. */
  publicKey: string;
  /** Of the members above, 64 bytes in base64url. */
  signature: string;
}
