/** How the ids of agents are written: they stand in paths, in metadata and in page tokens. */
export const AGENT_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
