/** Column types shared by all entities. Services assign ids and instants, never the database. */
import { p } from '@mikro-orm/core';

/** Primary key: a UUIDv7 made by the application. */
export const id = () => p.uuid().primary();

/** An instant with milliseconds, as on the wire. */
export const instant = () => p.datetime(3);
