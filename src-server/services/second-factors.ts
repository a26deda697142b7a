/**
 * Second factors: setting one up, proving it, and removing it. Each change is audited; none of the secrets ever is. A code is accepted
 * inside the transaction of what it permits, so that none counts twice.
 */
import { type Change, hashToken, newReadableSecret, SecondFactorQueries } from '../db/index.ts';
import { OutpostError } from '../errors.ts';
import { matchingStep, stepAt } from '../secrets/totp.ts';
import { typedCode } from '../secrets/typed-code.ts';
import { Users } from './users.ts';

const RECOVERY_CODES = 10;
/** 80 random bits. */
const RECOVERY_CODE_LENGTH = 16;
/** More than the three steps that can be valid at a time. */
const REMEMBERED_STEPS = 8;

/** What a typed code may prove. The sealed secret says for which one, as another may have been set up meanwhile. */
export type FactorProof = { kind: 'STEP'; step: number; sealed: string } | { kind: 'RECOVERY'; codeHash: string };

/** Returns what a typed code proves at a time, in epoch ms; undefined when it is not right now and no recovery code either. */
export function proofOf(
  typed: string,
  factor: { secret: string },
  secret: Uint8Array | undefined,
  nowTs: number,
): FactorProof | undefined {
  const code = typed.replace(/[\s-]/g, '');
  if (/^\d{6}$/.test(code)) {
    const step = secret && matchingStep(secret, code, nowTs);
    return step === undefined ? undefined : { kind: 'STEP', step, sealed: factor.secret };
  }
  return code.length === RECOVERY_CODE_LENGTH ? { kind: 'RECOVERY', codeHash: hashToken(typedCode(code)) } : undefined;
}

function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => newReadableSecret(RECOVERY_CODE_LENGTH));
}

/** The same code as a person reads it. */
const readable = (code: string): string => code.replace(/(.{4})(?!$)/g, '$1-');

export class SecondFactors extends SecondFactorQueries {
  /**
   * Stores a secret that a first code will confirm; an earlier one that was not confirmed is replaced.
   * @throws CONFLICT when a second factor is on
   */
  async start(userId: string, sealed: string): Promise<void> {
    await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      if ((await factors.find(userId))?.confirmedTs !== undefined) throw alreadyOn();
      await factors.insertPending(userId, sealed);
    });
  }

  /**
   * Turns the second factor on, and ends all sessions but `keepToken`: they were opened without it.
   * @returns the recovery codes, which are not shown again
   * @throws CONFLICT when it is on already or another secret was set up meanwhile; INVALID_INPUT when the code was used
   */
  async confirm(userId: string, proof: FactorProof, change: Change, keepToken?: string): Promise<string[]> {
    return await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      const factor = await factors.find(userId);
      if (factor?.confirmedTs !== undefined) throw alreadyOn();
      if (!factor || proof.kind !== 'STEP' || !(await factors.accept(userId, proof))) {
        throw new OutpostError('CONFLICT', 'This setup was replaced by a newer one. Start again.');
      }
      await factors.setConfirmed(userId);
      const codes = newRecoveryCodes();
      await factors.replaceCodes(userId, codes.map(hashToken));
      await new Users(session).endSessions(userId, keepToken);
      await session.audit(change, {
        action: 'user.second-factor',
        entityType: 'user',
        entityId: userId,
        changes: { hasSecondFactor: { old: false, new: true } },
      });
      return codes.map(readable);
    });
  }

  /**
   * Uses a proof up. Each step counts once, and no step before one that counted. Steps that lie ahead were used while the clock of the
   * site was ahead: they must not lock the user out after it was corrected, so then only the same step again is refused.
   */
  async accept(userId: string, proof: FactorProof): Promise<boolean> {
    return await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      if (proof.kind === 'RECOVERY') return await factors.redeemCode(userId, proof.codeHash);
      const factor = await factors.find(userId);
      if (!factor || factor.secret !== proof.sealed || factor.usedSteps.includes(proof.step)) return false;
      const latestNow = stepAt(session.clock()) + 1;
      const last = Math.max(-1, ...factor.usedSteps.filter((step) => step <= latestNow));
      if (proof.step <= last) return false;
      await factors.setUsedSteps(userId, [proof.step, ...factor.usedSteps].slice(0, REMEMBERED_STEPS));
      return true;
    });
  }

  /** Turns it off at the wish of the user, who proved it. @throws CONFLICT when it is off or an administrator requires it */
  async remove(userId: string, proof: FactorProof, change: Change): Promise<boolean> {
    return await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      if ((await factors.find(userId))?.confirmedTs === undefined) throw off();
      if ((await new Users(session).require(userId)).needsSecondFactor) {
        throw new OutpostError(
          'CONFLICT',
          'An administrator requires a second factor for this account. Ask them to make it optional first.',
        );
      }
      if (!(await factors.accept(userId, proof))) return false;
      await factors.#end(userId, change, 'user.second-factor');
      return true;
    });
  }

  /**
   * Removes it without a proof, and ends all sessions: for a user who lost the phone and the recovery codes. One that is required has to
   * be set up again at the next sign-in. @throws NOT_FOUND, CONFLICT when it is off
   */
  async reset(userId: string, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      await new Users(session).require(userId);
      if (!(await factors.find(userId))) throw off();
      await factors.#end(userId, change, 'user.reset-second-factor');
      await new Users(session).endSessions(userId);
    });
  }

  /** Replaces the recovery codes. Returns undefined when the proof does not count. @throws CONFLICT when it is off */
  async renewRecoveryCodes(userId: string, proof: FactorProof, change: Change): Promise<string[] | undefined> {
    return await this.session.write(async (session) => {
      const factors = new SecondFactors(session);
      if ((await factors.find(userId))?.confirmedTs === undefined) throw off();
      if (!(await factors.accept(userId, proof))) return undefined;
      const codes = newRecoveryCodes();
      await factors.replaceCodes(userId, codes.map(hashToken));
      await session.audit(change, { action: 'user.recovery-codes', entityType: 'user', entityId: userId });
      return codes.map(readable);
    });
  }

  /** Whether the user has to set one up at the next sign-in. @throws NOT_FOUND */
  async require(userId: string, isRequired: boolean, change: Change): Promise<void> {
    await this.session.write(async (session) => {
      const old = (await new Users(session).require(userId)).needsSecondFactor;
      if (old === isRequired) return;
      await new SecondFactors(session).setRequirement(userId, isRequired);
      await session.audit(change, {
        action: 'user.update',
        entityType: 'user',
        entityId: userId,
        changes: { needsSecondFactor: { old, new: isRequired } },
      });
    });
  }

  async #end(userId: string, change: Change, action: string): Promise<void> {
    const wasOn = (await this.find(userId))?.confirmedTs !== undefined;
    await this.deleteFactor(userId);
    await this.session.audit(change, {
      action,
      entityType: 'user',
      entityId: userId,
      changes: { hasSecondFactor: { old: wasOn, new: false } },
    });
  }
}

const alreadyOn = () => new OutpostError('CONFLICT', 'A second factor is on. Turn it off before you set up another.');
const off = () =>
  new OutpostError('CONFLICT', 'No second factor is on for this account, so there is nothing to change.');
