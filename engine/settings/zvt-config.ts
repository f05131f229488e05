/** Configuration of the ZVT listener (specification, "Administration endpoints"); a restart applies it. */
export interface ZvtConfig {
  readonly enabled: boolean;
  readonly port: number;
  readonly timeoutSeconds: number;
  readonly maxConnections: number;
  readonly loggingLevel: "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly logRawBytes: boolean;
}

export interface StoredZvtConfig extends ZvtConfig {
  readonly schema: 1;
  readonly updatedAtMs: number;
}

/** The port is the specification's; the others are what a listener would start with. */
export const ZVT_DEFAULT: ZvtConfig = {
  enabled: false,
  port: 40_007,
  timeoutSeconds: 60,
  maxConnections: 10,
  loggingLevel: "INFO",
  logRawBytes: false,
};

/** The one key in its table. */
export const ZVT_KEY = "zvt";
