import { initSite } from '../site/folder.ts';
import { answer } from './output.ts';

export async function init(options: {
  data: string;
  account: string;
  email: string;
  password: string;
  timeZone: string;
}): Promise<undefined> {
  const { data, account, email, password, timeZone } = options;
  answer(await initSite(data, { account, email, password, timeZone }));
  return undefined;
}
