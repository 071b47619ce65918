/** Column kinds that every entity shares. Ids and instants are assigned by services, never by the database. */
import { p } from '@mikro-orm/core';

/** Primary key: a UUIDv7 made by the application. */
export const id = () => p.uuid().primary();

/** An instant with milliseconds, as the wire carries it. */
export const instant = () => p.datetime(3);
