import type { Migration } from './types.ts';

/** The role of a signer in the study as it was then; pages of signatures, newest first, of a study, of a kind or of a subject. */
export const signatureLists: Migration = {
  version: 370,
  name: 'signature-lists',
  sql: `
ALTER TABLE signature ADD COLUMN signerRole TEXT;
CREATE INDEX signatureByTime ON signature (studyId, signedTs, id);
CREATE INDEX signatureByKind ON signature (studyId, kind, signedTs, id);
CREATE INDEX signatureBySubject ON signature (subjectId, kind, signedTs, id);
`,
};
