import { wrongCallers } from "./wrong-callers.ts";

wrongCallers("production");
