import { transportContract } from "../../contracts/transport.ts";
import { jsonrpcClient } from "../../support/transport-clients.ts";

transportContract("JSON-RPC", jsonrpcClient);
