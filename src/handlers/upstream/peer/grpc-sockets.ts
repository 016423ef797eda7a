/** Lets a closed channel close its socket: grpc-js leaves one open for ever on which HTTP/2 has not begun. */
import type { Socket } from "node:net";
import type { ChannelCredentials } from "@grpc/grpc-js";

/** The same credentials. A channel that is closed destroys the sockets which it made with them. */
export function closingSockets(credentials: ChannelCredentials): ChannelCredentials {
  const create = credentials._createSecureConnector.bind(credentials);
  credentials._createSecureConnector = (...input) => {
    const connector = create(...input);
    const connect = connector.connect.bind(connector);
    const destroy = connector.destroy.bind(connector);
    const sockets = new Set<Socket>();
    let isClosed = false;
    connector.connect = (socket) => {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      if (isClosed) socket.destroy();
      return connect(socket);
    };
    connector.destroy = () => {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      destroy();
    };
    return connector;
  };
  return credentials;
}
