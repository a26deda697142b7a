/** Electronic signatures. A signer is signed in already; the password is asked again for each signature. */
import type { PasswordAsked, ShownSignature } from '../../db/index.ts';
import type { SignedKind } from '../../study/signatures.ts';
import type { signatureRoutes } from '../contract/resources/signatures.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import type { Handlers } from '../framework/mount.ts';
import { type PagedList, readListPage } from '../framework/paging.ts';
import { requirePassword } from './access/own-password.ts';

const SIGNATURE_PAGES: PagedList<ShownSignature> = {
  name: 'signatures',
  key: ['number', 'string'],
  keyOf: ({ signedTs, id }) => [signedTs, id],
};

/** In whose history of the audit trail a wrong password belongs. */
const ENTITY_TYPES = {
  'study-definition': 'study',
  'subject-day': 'subject',
  recording: 'recording',
  export: 'export',
  'study-lock': 'study',
} as const satisfies Record<SignedKind, PasswordAsked['entityType']>;

export function signatureHandlers(deps: ApiDeps): Handlers<typeof signatureRoutes> {
  const { signatures } = deps.store;
  return {
    listSignatures: async ({ params: { studyId }, query: { limit, cursor, ...filter }, request }) => {
      const { rows, links } = await readListPage(request, SIGNATURE_PAGES, { limit, cursor }, (keyset) =>
        signatures.shown(studyId, { ...filter, ...(keyset && { keyset }) }),
      );
      return { items: rows, size: rows.length, ...links };
    },
    getSignableContent: async ({ params: { studyId }, query }) => {
      const { version, sha256 } = await signatures.contentOf({ studyId, ...query });
      return { contentVersion: version, contentSha256: sha256 };
    },
    signRecord: async ({ params: { studyId }, body, caller, request }) => {
      const { password, ...signed } = body;
      const { kind, targetId, date } = signed;
      // Before the password, so that what a wrong one is audited for is a record of this study.
      const { subjectId } = await signatures.contentOf({ ...signed, studyId });
      const entityType = ENTITY_TYPES[kind];
      const asked = { for: 'SIGN', entityType, entityId: targetId, studyId, subjectId, date } as const;
      await requirePassword(deps, caller, request, { password, path: 'password', asked });
      const { id } = await signatures.sign({ ...signed, studyId }, caller.user, changeBy(caller, signed.comment));
      return { id };
    },
  };
}
