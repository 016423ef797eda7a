import { transportContract } from "../../contracts/transport.ts";
import { grpcClient } from "../../support/transport-clients.ts";

transportContract("gRPC", grpcClient);
