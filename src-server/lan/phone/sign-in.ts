/** Phones that sign in with a subject's token; the calls are in `resources/protocol/phone.md`. */
import type { SubjectRecord } from '../../db/index.ts';
import { OutpostError } from '../../errors.ts';
import { typedCode } from '../../secrets/typed-code.ts';
import type { Store } from '../../services/index.ts';
import { deviceToken } from '../device-identity.ts';
import { TryLimits } from '../pairing/try-limits.ts';
import type { RefusedAttempts } from '../refused-attempts.ts';

export interface SignedInPhone {
  credentialId: string;
  /** Shown this once. */
  token: string;
  subject: SubjectRecord;
}

export class PhoneSignIns {
  readonly #store: Store;
  readonly #siteId: string;
  readonly #limits: TryLimits;
  readonly #refused: RefusedAttempts;

  constructor(parts: { store: Store; siteId: string; clock: () => number; refused: RefusedAttempts }) {
    this.#store = parts.store;
    this.#siteId = parts.siteId;
    this.#limits = new TryLimits(parts.clock, 'sign-in codes');
    this.#refused = parts.refused;
  }

  /**
   * Wrong tokens of one address, and of all together, are throttled.
   * @param address where the phone calls from
   * @throws LOGIN_FAILED, THROTTLED, CONFLICT when equipment has the phone's id as its serial number
   */
  async signIn(input: { token: string; serial: string }, address: string): Promise<SignedInPhone> {
    return await this.#refused.orNote(
      async () => {
        const wasRight = this.#limits.begin(address);
        // What a device sends belongs to its serial number: a phone must not come under that of a hub.
        if (await this.#store.equipment.get(input.serial)) {
          throw new OutpostError(
            'CONFLICT',
            'The id of this phone is the serial number of equipment. Make a new UUID.',
          );
        }
        const { device, secret, subject } = await this.#store.phones.signIn(typedCode(input.token), input.serial);
        wasRight();
        return { credentialId: device.id, token: deviceToken(this.#siteId, device.id, secret), subject };
      },
      () => ({ kind: 'SIGN_IN', address }),
    );
  }
}
