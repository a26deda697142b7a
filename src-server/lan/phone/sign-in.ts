/** Signs phones in with a subject's token and rate-limits wrong ones. The calls are in `resources/protocol/phone.md`. */
import type { SubjectRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { typedCode } from '../../secrets/typed-code.ts';
import type { Store } from '../../services/index.ts';
import { deviceToken } from '../device-identity.ts';
import { TryLimits } from '../pairing/try-limits.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';

export interface SignedInPhone {
  credentialId: string;
  /** Returned only once. */
  token: string;
  subject: SubjectRecord;
}

export class PhoneSignIns {
  readonly #store: Store;
  readonly #siteId: string;
  readonly #limits: TryLimits;
  readonly #refused: RefusedAttempts;

  constructor(parts: { store: Store; siteId: string; elapsed: () => number; refused: RefusedAttempts }) {
    this.#store = parts.store;
    this.#siteId = parts.siteId;
    this.#limits = new TryLimits(parts.elapsed, 'sign-in codes');
    this.#refused = parts.refused;
  }

  /**
   * Exchanges a subject's token for a credential. Wrong tokens are throttled per network; a right one never is, because nobody can
   * guess its 96 bits.
   * @param address the phone's IP address
   * @throws LOGIN_FAILED, THROTTLED, CONFLICT when equipment has the phone's id as its serial number
   */
  async signIn(input: { token: string; serial: string }, address: string): Promise<SignedInPhone> {
    return await this.#refused.orNote(
      async () => {
        const { device, secret, subject } = await this.#store.phones
          .signIn(typedCode(input.token), input.serial)
          .catch((thrown) => {
            if (thrown instanceof OutpostError && thrown.code === 'LOGIN_FAILED') this.#limits.begin(address);
            throw thrown;
          });
        return { credentialId: device.id, token: deviceToken(this.#siteId, device.id, secret), subject };
      },
      () => ({ kind: 'SIGN_IN', address }),
    );
  }
}
