import { transportContract } from "../../contracts/transport.ts";
import { restClient } from "../../support/transport-clients.ts";

transportContract("REST", restClient);
