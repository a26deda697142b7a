/** What the rest of the server sees of the services: the store they make up. */
export type { ListedErasure } from './erasures.ts';
export { openStore, type Repositories, type Store } from './store.ts';
export { senderChange, type UploadSender } from './uploads.ts';
