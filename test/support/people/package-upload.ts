import { randomBytes } from "node:crypto";
import type { Answer, HttpClient } from "../http/http-client.ts";

const BOUNDARY = "----relay-test-boundary";
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export interface FormPart {
  name: string;
  fileName?: string;
  content: string | Buffer;
}

/** Returns the bytes of a multipart form. Another `end` makes it a broken one. */
export function formOf(parts: readonly FormPart[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ name, fileName, content }) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`,
    fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: application/vnd.android.package-archive`,
    "\r\n\r\n",
    content,
    "\r\n",
  ]);
  return Buffer.concat([...pieces, end].map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
}

/** Returns bytes that begin like every ZIP file, and differ at each call. */
export function packageBytes(length: number): Buffer {
  const bytes = randomBytes(length);
  bytes.set([0x50, 0x4b, 0x03, 0x04]);
  return bytes;
}

export function uploadForm(caller: HttpClient, versionId: number, form: Buffer, contentType = MULTIPART): Promise<Answer> {
  return caller.post(`/admin/app-versions/${versionId}/upload-apk`, form, { "content-type": contentType });
}

export function upload(caller: HttpClient, versionId: number, content: Buffer, fileName = "app.apk"): Promise<Answer> {
  return uploadForm(caller, versionId, formOf([{ name: "file", fileName, content }]));
}
