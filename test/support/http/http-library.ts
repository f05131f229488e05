import { UWS_LIBRARIES } from "../../../http/server/uws.ts";

const WORDS = ["newest", ...UWS_LIBRARIES] as const;

/** The packaging of uWebSockets.js that suites run on: what `TEST_HTTP_LIBRARY` names (test/on-other-http-library.ts), else the newest that loads here. */
export const HTTP_LIBRARY: (typeof WORDS)[number] = WORDS.find((word) => word === process.env["TEST_HTTP_LIBRARY"]) ?? "newest";
