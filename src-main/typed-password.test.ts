import { expect, it } from 'vitest';
import { setUpPage } from './pages/set-up-page.ts';
import { TypedPassword } from './typed-password.ts';

it('keeps the password out of the page and hands it over once', () => {
  const typedPassword = new TypedPassword();
  const others = typedPassword.hold({ account: 'Ward 3', password: 'secret-7310' });
  expect(others).toEqual({ account: 'Ward 3' });
  const page = decodeURIComponent(setUpPage('/data/site', 'ja', others));
  expect(page).toContain('Ward 3');
  expect(page).not.toContain('secret-7310');
  expect([typedPassword.take(), typedPassword.take()]).toEqual(['secret-7310', '']);
});

it('forgets an earlier password when the next form has none', () => {
  const typedPassword = new TypedPassword();
  typedPassword.hold({ password: 'secret-7310' });
  typedPassword.hold({});
  expect(typedPassword.take()).toBe('');
});
