/** Days in which a sign-in token of a subject has to be used for the first time. Apart, so that the desk loads no schema for it. */
export const SUBJECT_TOKEN_DAYS = 7;
