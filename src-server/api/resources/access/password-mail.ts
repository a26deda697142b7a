/** Email that invites a new user to set a password. */

interface PasswordMail {
  subject: string;
  body: string;
}

interface Recipient {
  firstName: string;
  lastName: string;
  /** `en_US` or `ja_JP`. */
  locale: string;
  timezone: string;
}

export function passwordMail(user: Recipient, clinic: string, code: string, expirationTs: number): PasswordMail {
  const isJapanese = user.locale.toLowerCase() === 'ja_jp';
  const until = new Intl.DateTimeFormat(isJapanese ? 'ja-JP' : 'en-US', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: user.timezone,
  }).format(expirationTs);
  if (isJapanese) {
    return {
      subject: `${clinic}：パスワードの設定`,
      body: `${user.lastName} ${user.firstName} 様\n\n${clinic}のOutpostにユーザーとして追加されました。サインイン画面の「パスワードを設定」を開き、次のパスワード設定コードを入力してください。\n\n${code}\n\nこのコードは一度だけ使用でき、${until}（${user.timezone}）まで有効です。\n`,
    };
  }
  return {
    subject: `Set your password for ${clinic}`,
    body: `Dear ${user.firstName} ${user.lastName},\n\nAn account has been created for you in Outpost at ${clinic}. To set your password, enter this code on the sign-in page:\n\n${code}\n\nThe code can be used once and expires on ${until} (${user.timezone}).\n`,
  };
}
