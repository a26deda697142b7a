/** Storage of one secret text of the site. */
export interface SecretKeeper {
  /** Undefined if there is none yet; empty if it cannot be read. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}
