import { UWS_LIBRARIES } from "../../../http/server/uws.ts";

const WORDS = ["newest", ...UWS_LIBRARIES] as const;

/**
 * The packaging of uWebSockets.js on which suites run: the one in `TEST_HTTP_LIBRARY`
 * (test/on-other-http-library.ts), or else the newest that loads here.
 */
export const HTTP_LIBRARY: (typeof WORDS)[number] = WORDS.find((word) => word === process.env["TEST_HTTP_LIBRARY"]) ?? "newest";
