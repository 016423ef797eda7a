/** The gRPC channels to one interface, each one connection. */
import { Client, type ChannelOptions } from "@grpc/grpc-js";
import type { GrpcTarget } from "./grpc-target.ts";

/** Below the hundred that servers commonly allow on a connection: what is above would wait without being seen. */
export const CALLS_PER_CHANNEL = 90;

export interface GrpcChannel {
  readonly client: Client;
  calls: number;
  isDiscarded: boolean;
}

export class GrpcChannels {
  readonly #target: GrpcTarget;
  readonly #options: ChannelOptions;
  #channels: readonly GrpcChannel[] = [];

  /** @param maxMessage bytes; 0: without limit */
  constructor(target: GrpcTarget, maxMessage: number) {
    this.#target = target;
    this.#options = { ...OPTIONS, "grpc.max_receive_message_length": maxMessage || -1 };
  }

  /** The first with room, so that those which are not needed become idle. */
  take(): GrpcChannel {
    const channel = this.#channels.find(({ calls }) => calls < CALLS_PER_CHANNEL) ?? this.#open();
    channel.calls++;
    return channel;
  }

  release(channel: GrpcChannel): void {
    channel.calls--;
    if (channel.isDiscarded && channel.calls === 0) channel.client.close();
  }

  /** Of a channel that does not come to connect. Calls may be running on a connection that it had before. */
  discard(channel: GrpcChannel): void {
    channel.isDiscarded = true;
    this.#channels = this.#channels.filter((other) => other !== channel);
  }

  close(): void {
    for (const { client } of this.#channels) client.close();
    this.#channels = [];
  }

  #open(): GrpcChannel {
    const { target, credentials } = this.#target;
    const client = new Client(target, credentials, this.#options);
    const channel = { client, calls: 0, isDiscarded: false };
    this.#channels = [...this.#channels, channel];
    return channel;
  }
}

const OPTIONS: ChannelOptions = {
  // Otherwise channels with the same target share one connection.
  "grpc.use_local_subchannel_pool": 1,
  // Servers count pings that come more often than every 5 minutes as an attack, unless told otherwise.
  "grpc.keepalive_time_ms": 330_000,
  "grpc.keepalive_timeout_ms": 20_000,
  // Calls fail at once until the next attempt, so that it must not be minutes away.
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 5_000,
  "grpc.dns_min_time_between_resolutions_ms": 5_000,
  "grpc.client_idle_timeout_ms": 300_000,
  // As over HTTP: no proxy and no other settings than those of the configuration.
  "grpc.enable_http_proxy": 0,
  "grpc.service_config_disable_resolution": 1,
  "grpc.enable_channelz": 0,
};
