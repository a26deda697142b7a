/** The longest texts of a definition, in characters. */
export const LONGEST_NAME = 200;
export const LONGEST_QUESTION = 1000;
