import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { RelayError } from "../../engine/kernel/errors.ts";

/** Besides the file a form may have a few small members, which are ignored. */
const LIMITS = { files: 1, fields: 8, fieldSize: 4_096, fieldNameSize: 128, parts: 9, headerPairs: 32, headerSize: 8_192 };

/** Size of everything in the body except the file: boundaries, headers and other members. */
export const MULTIPART_OVERHEAD_BYTES_MAX = 65_536;

export interface MultipartOptions {
  contentType: string;
  /** The name of the member that contains the file. */
  member: string;
  bytesMax: number;
  /** Called with the client's name of the file before its first piece. */
  named?(name: string): void;
}

/**
 * Throws RelayError `unsupported_media_type` or `invalid_request` for a content type that is not a
 * multipart form with a boundary.
 */
export function requireMultipart(contentType: string): void {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    throw new RelayError("unsupported_media_type", "body: the content type must be multipart/form-data");
  }
  if (!/;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})/i.test(contentType)) {
    throw new RelayError("invalid_request", "body: the content type multipart/form-data has no boundary");
  }
}

/**
 * Reads the one file of a multipart form. `next` returns the body chunk by chunk and null after the
 * last; the previous chunk is then no longer valid. After an error it reads and discards the rest
 * before it rejects, because a client that is still writing would not see the response.
 */
export async function readMultipartFile(
  next: () => Promise<Uint8Array | null>,
  { contentType, member, bytesMax, named }: MultipartOptions,
  take: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  const form = readForm(contentType, member, bytesMax, named);
  let problem: unknown = null;
  const attempt = async (work: () => Promise<void>) => {
    if (problem !== null) return;
    try {
      await work();
    } catch (error) {
      problem = error;
    }
  };
  const hand = async () => {
    for (const piece of form.pieces()) await take(piece);
  };
  for (let chunk = await next(); chunk !== null; chunk = await next()) {
    const bytes = chunk;
    await attempt(() => form.write(bytes));
    await attempt(hand);
  }
  await attempt(form.end);
  await attempt(hand);
  if (problem !== null) throw problem;
}

interface Form {
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Returns the parts of the file that were not returned yet. They are views of the last written
   * chunk.
   */
  pieces(): Uint8Array[];
  end(): Promise<void>;
}

function readForm(contentType: string, member: string, bytesMax: number, named: MultipartOptions["named"]): Form {
  const parser = new Busboy({ headers: { "content-type": contentType }, limits: LIMITS });
  let problem: RelayError | null = null;
  let pieces: Uint8Array[] = [];
  let file: BusboyFileStream | null = null;
  let bytes = 0;
  const refuse = (message: string) => {
    problem ??= new RelayError("invalid_request", message);
  };
  parser.on("file", (name, stream, fileName: string | undefined) => {
    file = stream;
    if (fileName !== undefined) named?.(fileName);
    if (name !== member) refuse(`${member}: is required; the file was sent under another name`);
    stream.on("error", () => refuse("body: is not a complete multipart form"));
    stream.on("data", (piece: Uint8Array) => {
      bytes += piece.byteLength;
      if (bytes > bytesMax) problem ??= new RelayError("payload_too_large", `${member}: may have at most ${bytesMax} bytes`);
      if (problem === null) pieces.push(piece);
    });
  });
  parser.on("field", (name) => {
    if (name === member) refuse(`${member}: has to be a file`);
  });
  parser.on("filesLimit", () => refuse(`${member}: must be one file, not several`));
  parser.on("fieldsLimit", () => refuse("body: has too many members"));
  parser.on("partsLimit", () => refuse("body: has too many members"));
  const finished = new Promise<void>((resolve) => {
    parser.on("finish", resolve);
    parser.on("error", () => {
      refuse("body: is not a complete multipart form");
      resolve();
    });
  });
  const settled = () => {
    if (problem !== null) throw problem;
  };
  return {
    write: async (chunk) => {
      await Promise.race([
        finished,
        new Promise<void>((resolve) => {
          parser.write(chunk, () => resolve());
        }),
      ]);
      // A stream emits its data a moment later. Until then it holds views of the chunk.
      while (problem === null && file !== null && file.readableLength > 0) await new Promise((resolve) => setImmediate(resolve));
      settled();
    },
    pieces: () => {
      const handed = pieces;
      pieces = [];
      return handed;
    },
    end: async () => {
      parser.end();
      await finished;
      settled();
      if (file === null) throw new RelayError("invalid_request", `${member}: is required`);
    },
  };
}
