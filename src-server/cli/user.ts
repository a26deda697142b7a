/** `outpost user`: lets people in again who are locked out, for people who may read the folder of the site. */
import { createPasswordCode, resetSecondFactor } from '../site/user-commands.ts';
import { answer } from './output.ts';

interface UserOptions {
  data: string;
  email: string;
  json: boolean;
}

export async function resetFactor({ data, email, json }: UserOptions): Promise<undefined> {
  const { isRequired } = await resetSecondFactor(data, email);
  if (json) answer({ email, isRequired });
  else {
    answer(`${email} has no second factor any more, and all sessions of this user have ended.`);
    if (isRequired)
      answer('A second factor is required for this account: the desk sets up a new one at the next sign-in.');
  }
  return undefined;
}

export async function resetPassword({ data, email, json }: UserOptions): Promise<undefined> {
  const { code, expirationTs } = await createPasswordCode(data, email);
  const until = new Date(expirationTs).toISOString();
  if (json) answer({ email, code, expirationTs });
  else {
    answer(`Code for setting a new password of ${email}: ${code}`);
    answer(
      `Enter it under "Set password" on the sign-in page. It works once, until ${until}; until then the old password works.`,
    );
  }
  return undefined;
}
