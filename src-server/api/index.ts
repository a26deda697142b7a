/** What the rest of the site sees of the API. The folder's own account is in create-api.ts. */
export { createApi } from './create-api.ts';
export { type ApiDeps, exportedZipPath, type JobsPort } from './deps.ts';
export { answerClientError } from './framework/guards.ts';
