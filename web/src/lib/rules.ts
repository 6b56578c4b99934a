/** The rules of the server for names and passwords, to be said before it refuses one. */

/** Fewest characters of a password. */
export const PASSWORD_LEAST = 10;

/** The same, as it stands beside a field. */
export const PASSWORD_RULE = `${PASSWORD_LEAST} characters or more`;

export const NAME_RULE = 'letters, digits, . _ - or @; no spaces';
