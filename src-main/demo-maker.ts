/** Creates the demo site in a utility process, so that the window stays responsive. */
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type UtilityProcess, utilityProcess } from 'electron';
import { OutpostError } from '../src-server/errors.ts';

/** Credentials of the demo. Not secret: it contains only fictional people. */
export interface DemoCredentials {
  email: string;
  password: string;
}

export class DemoMaker {
  /** Folder of the demo site, once created. */
  readonly dir: string;
  readonly #credentialsPath: string;
  #making: Promise<DemoCredentials> | null = null;
  #child: UtilityProcess | null = null;

  /** @param userData the program's own folder, which also holds the settings */
  constructor(userData: string) {
    this.dir = join(userData, 'demo-site');
    this.#credentialsPath = join(userData, 'demo.json');
  }

  /** Returns the credentials of the existing demo, or creates one. @throws CANCELLED, INTERNAL */
  ensure(): Promise<DemoCredentials> {
    this.#making ??= this.#ensure().finally(() => {
      this.#making = null;
    });
    return this.#making;
  }

  stop(): void {
    this.#child?.kill();
  }

  async #ensure(): Promise<DemoCredentials> {
    if (existsSync(join(this.dir, 'site.json'))) {
      return JSON.parse(await readFile(this.#credentialsPath, 'utf8')) as DemoCredentials;
    }
    const unfinished = `${this.dir}.unfinished`;
    await rm(unfinished, { recursive: true, force: true });
    const credentials = await this.#make(unfinished);
    await writeFile(this.#credentialsPath, JSON.stringify(credentials));
    // Renamed last, so that an incomplete demo is never opened.
    await rename(unfinished, this.dir);
    return credentials;
  }

  #make(dir: string): Promise<DemoCredentials> {
    const child = utilityProcess.fork(fileURLToPath(new URL('./demo.js', import.meta.url)), [dir], {
      serviceName: 'Outpost demo',
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#child = child;
    const made = Promise.withResolvers<DemoCredentials>();
    let credentials: DemoCredentials | undefined;
    child.on('message', (message: DemoCredentials) => {
      credentials = message;
    });
    child.on('exit', (code) => {
      this.#child = null;
      if (credentials && code === 0) made.resolve(credentials);
      else made.reject(new OutpostError('INTERNAL', `The demo could not be created (code ${code}). Try again.`));
    });
    return made.promise;
  }
}
