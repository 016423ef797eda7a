/** What is served without a configuration file: an agent that says everything back. */
export const ECHO_AGENT = {
  name: "Echo",
  description: "Says every message back",
  skills: [{ id: "echo", name: "Echo", description: "Says every message back", tags: ["echo"] }],
  static: {
    otherwise: {
      script: [
        { status: "working" },
        { artifact: { name: "echo", text: "{{text}}" } },
        { status: "completed" },
      ],
    },
  },
};

/** JSON is YAML too. */
export const DEFAULT_CONFIG = JSON.stringify({ agents: { echo: ECHO_AGENT } });
