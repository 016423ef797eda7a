/** The schema's steps in order; a new one is a file and a line at the end. */
import type { Knex } from "knex";
import { agentCards } from "./001-agent-cards.ts";
import { agentCapabilities } from "./002-agent-capabilities.ts";
import { agentSkills } from "./003-agent-skills.ts";
import { agentExtensions } from "./004-agent-extensions.ts";
import { agentInterfaces } from "./005-agent-interfaces.ts";
import { agentSecuritySchemes } from "./006-agent-security-schemes.ts";
import { agentSecurityRequirements } from "./007-agent-security-requirements.ts";
import { agentCardSignatures } from "./008-agent-card-signatures.ts";
import { agentMetadata } from "./009-agent-metadata.ts";
import { tasks } from "./010-tasks.ts";
import { taskEvents } from "./011-task-events.ts";
import { taskCounts } from "./012-task-counts.ts";
import { sentMessages } from "./013-sent-messages.ts";
import { pushNotificationConfigs } from "./014-push-notification-configs.ts";
import { pushDeliveries } from "./015-push-deliveries.ts";
import { agentsById } from "./016-agents-by-id.ts";
import { tasksByUpstream } from "./017-tasks-by-upstream.ts";
import { webhooks } from "./018-webhooks.ts";
import { tasksToFollow } from "./019-tasks-to-follow.ts";
import { apiKeys } from "./020-api-keys.ts";
import { taskUsage } from "./021-task-usage.ts";
import type { Migration } from "./migration.ts";

export const migrations: readonly Migration[] = [
  agentCards,
  agentCapabilities,
  agentSkills,
  agentExtensions,
  agentInterfaces,
  agentSecuritySchemes,
  agentSecurityRequirements,
  agentCardSignatures,
  agentMetadata,
  tasks,
  taskEvents,
  taskCounts,
  sentMessages,
  pushNotificationConfigs,
  pushDeliveries,
  agentsById,
  tasksByUpstream,
  webhooks,
  tasksToFollow,
  apiKeys,
  taskUsage,
];

/** The list as Knex reads it. A folder would not do: Knex would record file extensions, which the build changes. */
export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...migrations],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};
