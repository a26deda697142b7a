/**
 * One step of the schema. Released steps never change: sites record each step's content hash and refuse another text.
 * Numbers rise by ten so that a repair can slip in between.
 */
export interface Migration {
  version: number;
  name: string;
  sql: string;
}
