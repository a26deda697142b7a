/** Electronic signatures. A signer is signed in already; the password is asked again for each signature. */
import { personName } from '../../study/person-name.ts';
import type { signatureRoutes } from '../contract/resources/signatures.ts';
import type { ApiDeps } from '../deps.ts';
import { changeBy } from '../framework/authenticate.ts';
import type { Handlers } from '../framework/mount.ts';
import { requirePassword } from './access/own-password.ts';

export function signatureHandlers(deps: ApiDeps): Handlers<typeof signatureRoutes> {
  const { signatures } = deps.store;
  return {
    listSignatures: async ({ params: { studyId }, query }) => {
      const items = await signatures.shown(studyId, query);
      return { items, size: items.length };
    },
    getSignableContent: async ({ params: { studyId }, query }) => {
      const { version, sha256 } = await signatures.contentOf({ studyId, ...query });
      return { contentVersion: version, contentSha256: sha256 };
    },
    signRecord: async ({ params: { studyId }, body, caller, request }) => {
      const { password, ...signed } = body;
      await requirePassword(deps, caller, request, { password, path: 'password' });
      const signer = { id: caller.user.id, name: personName(caller.user) };
      const { id } = await signatures.sign({ ...signed, studyId }, signer, changeBy(caller, signed.comment));
      return { id };
    },
  };
}
