/** Types of rows that were read as a whole. */

/** The columns as the database returns them: a nullable one is null, never undefined. */
export type Present<Row> = { readonly [Name in keyof Row]-?: Exclude<Row[Name], undefined> };
