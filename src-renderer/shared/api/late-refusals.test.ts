import { expect, test } from 'vitest';
import { withoutLateRefusals } from './late-refusals.ts';

test.each([
  { name: 'the token in use', before: 'a', after: 'a', status: 401, isShown: true },
  { name: 'a token of which only a cover is left', before: 'a', after: '', status: 401, isShown: true },
  { name: 'a token after signing out', before: 'a', after: undefined, status: 401, isShown: true },
  { name: 'a wrong password', before: undefined, after: 'b', status: 401, isShown: true },
  { name: 'a token of an earlier session', before: 'a', after: 'b', status: 401, isShown: false },
  { name: 'another refusal of an earlier session', before: 'a', after: 'b', status: 403, isShown: true },
])('a refusal of $name reaches the desk: $isShown', async ({ before, after, status, isShown }) => {
  let token: string | undefined = before;
  const answered = Promise.withResolvers<Response>();
  const send = withoutLateRefusals(
    () => answered.promise,
    () => token,
  );
  const asked = send('/api/v1/site', {});
  token = after;
  answered.resolve(new Response('{}', { status }));
  if (isShown) expect((await asked).status).toBe(status);
  else await expect(asked).rejects.toThrow(TypeError);
});
