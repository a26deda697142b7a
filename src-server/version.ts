/** The version of this program, as its package says it; a test holds the two together. */
export const VERSION = '0.1.0';
