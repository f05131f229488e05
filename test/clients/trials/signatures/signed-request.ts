/** What a signer is asked to sign and to send; the programs get it as JSON on their standard input. */
export interface SignedCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** What is signed; "" of a GET. */
  readonly body: string;
  /** What is sent: the body, unless it is to be changed on its way. */
  readonly sentBody: string;
  readonly salt: string;
  readonly keyId: string;
  readonly secret: string;
  readonly algorithm: SignerAlgorithm | "hs2019";
  /** Names of what is to be signed, in order; empty for the library's own default. */
  readonly headers: readonly string[];
}

export const SIGNER_ALGORITHMS = ["hmac-sha256", "hmac-sha512"] as const;
/** By the names that all three libraries have; what they write into the header is another matter. */
export type SignerAlgorithm = (typeof SIGNER_ALGORITHMS)[number];

export interface SignedAnswer {
  readonly status: number;
  readonly text: string;
  /** As the library wrote it. */
  readonly authorization: string;
}

/** Signs with the client's own library and sends. */
export type Signer = (call: SignedCall) => Promise<SignedAnswer>;
