/** What the rest of the server sees of the services: the store they make up. */
export type { ListedErasure } from './erasures.ts';
export { type FactorProof, proofOf } from './second-factors.ts';
export { openStore, type Repositories, type Store } from './store.ts';
export type { NewSession } from './tokens.ts';
export { senderChange, type UploadSender } from './uploads.ts';
