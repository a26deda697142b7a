/**
 * The password of the set-up page while the page is replaced by that of another language. Pages are data URLs, which appear in the
 * history of the window and in reports of crashes, so the password is in none: it waits in memory until the new page takes it.
 */
export class TypedPassword {
  #held = '';

  /** Takes the password out of what was typed, and returns the rest for the page. */
  hold<T extends { password?: string }>({ password, ...others }: T): Omit<T, 'password'> {
    this.#held = typeof password === 'string' ? password : '';
    return others;
  }

  /** Hands the password over once. */
  take(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}
