import { RelayError } from "../../engine/kernel/errors.ts";
import type { IncomingFile } from "../endpoint/endpoint.ts";
import { readMultipartFile } from "../endpoint/multipart.ts";
import { type Awaited, BodyStream } from "./body-stream.ts";
import type { HttpResponse } from "./uws.ts";

export interface UploadOptions {
  contentType: string;
  /** The form's member that holds the file, and how large the file may be. */
  member: string;
  fileBytesMax: number;
  /** Of the whole body: the file and the form around it. */
  bodyBytesMax: number;
  /** A chunk has come or was asked for: who is waited for now, and whether the last one has come. */
  progressed(awaited: Awaited, ended: boolean): void;
}

/** The multipart body of a request, read by the handler as it comes. */
export class Upload {
  readonly file: IncomingFile;
  readonly #stream: BodyStream;
  readonly #bodyBytesMax: number;
  #bytes = 0;

  constructor(res: Pick<HttpResponse, "pause" | "resume">, { contentType, member, fileBytesMax, bodyBytesMax, progressed }: UploadOptions) {
    const stream = new BodyStream(res, (awaited) => progressed(awaited, stream.ended));
    this.#stream = stream;
    this.#bodyBytesMax = bodyBytesMax;
    let fileName: string | null = null;
    const named = (name: string) => {
      fileName = name;
    };
    this.file = {
      read: (take) => readMultipartFile(() => stream.next(), { contentType, member, bytesMax: fileBytesMax, named }, take),
      name: () => fileName,
    };
  }

  get ended(): boolean {
    return this.#stream.ended;
  }

  /** Takes a chunk, which is valid only during the call; "too_large" once the body is: then the rest comes without pause, for nobody. */
  take(chunk: ArrayBuffer, isLast: boolean): "taken" | "too_large" {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#bodyBytesMax) {
      this.#stream.refuse(new RelayError("payload_too_large", "The body is too large."));
      return "too_large";
    }
    this.#stream.push(chunk, isLast);
    return "taken";
  }

  /**
   * Reads the rest and throws it away; resolves when nothing more comes. A client that is still writing would not see its answer, and a body that nobody
   * reads holds up whatever comes next on its connection. Called when nobody else reads.
   */
  async discard(): Promise<void> {
    try {
      while ((await this.#stream.next()) !== null);
    } catch {
      // The reader of the body gets this error.
    }
  }

  /** Nothing more comes; the handler that reads gets the error. */
  fail(error: RelayError): void {
    this.#stream.fail(error);
  }
}
