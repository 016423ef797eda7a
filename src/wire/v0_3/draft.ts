/**
 * An object while it is put together, member by member: on the paths that every call takes, spreading what may be
 * absent costs more than all the rest.
 */
export type Draft<T> = { -readonly [K in keyof T]: T[K] };
