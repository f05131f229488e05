import { useEffect, useRef, useState } from "preact/hooks";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { get } from "../../api/client.ts";
import { hasCode, isAborted, isPassing, PortalError } from "../../api/errors.ts";
import { upload } from "../../api/upload.ts";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import type { EvidenceKind } from "./words.ts";

/** A file on its way from the person's disk to the dispute. */
export interface Upload {
  id: number;
  file: File;
  kind: EvidenceKind;
  state: "waiting" | "sending" | "refused";
  /** The part that the browser has sent, from 0 to 1. */
  share: number;
  problem: string | null;
  /** Whether the relay may accept the same file when it is sent again. */
  mayRetry: boolean;
}

export interface Uploads {
  list: readonly Upload[];
  /** Whether uploads are running. */
  busy: boolean;
  add(files: readonly { file: File; problem: string | null }[], kind: EvidenceKind): void;
  retry(id: number): void;
  /** Stops an upload, or removes a rejected one from the list. */
  drop(id: number): void;
  /** The latest outcome of an upload, for screen readers. */
  said: string;
}

interface Added {
  fileId: string;
  dispute: DisputeJson;
}

/**
 * Uploads files one after the other, because a phone has no room for more at once. Closing the page
 * stops a running upload. If an answer is lost, the dispute is loaded again before anybody can
 * retry, because the file may have arrived.
 */
export function useUploads(
  dispute: DisputeJson,
  { onStored, onReload }: { onStored: (stored: DisputeJson) => void; onReload: () => void },
): Uploads {
  const [list, setList] = useState<readonly Upload[]>([]);
  const [said, setSaid] = useState("");
  const lastId = useRef(0);
  const sending = useRef<{ id: number; controller: AbortController } | null>(null);
  const latest = useRef({ dispute, onStored, onReload });
  latest.current = { dispute, onStored, onReload };
  const path = `/disputes/${encodeURIComponent(dispute.id)}`;
  const change = (id: number, changes: Partial<Upload>) =>
    setList((before) => before.map((one) => (one.id === id ? { ...one, ...changes } : one)));
  const added = ({ id, file }: Upload, stored: DisputeJson): void => {
    setList((before) => before.filter((one) => one.id !== id));
    setSaid(text().disputes.evidence.added(file.name));
    latest.current.onStored(stored);
  };

  const send = async (one: Upload): Promise<void> => {
    const { id, file, kind } = one;
    const controller = new AbortController();
    const { signal } = controller;
    sending.current = { id, controller };
    change(id, { state: "sending", share: 0 });
    const before = new Set(latest.current.dispute.files.map((kept) => kept.id));
    try {
      const { dispute: stored } = await upload<Added>(`${path}/evidence`, file, {
        ...{ query: { category: kind }, signal, onProgress: (share: number) => change(id, { share }) },
      });
      added(one, stored);
    } catch (error) {
      if (isAborted(error)) return;
      const isRefused = error instanceof PortalError && error.status >= 400 && error.status < 500;
      const found = isRefused ? null : await get<DisputeJson>(path, { signal }).catch(() => null);
      if (signal.aborted) return;
      if (found?.files.some((kept) => !before.has(kept.id) && kept.bytes === file.size && kept.category === kind) === true) {
        added(one, found);
        return;
      }
      const problem = problemOf(error);
      change(id, { state: "refused", problem, mayRetry: !isRefused || isPassing(error) });
      setSaid(text().disputes.evidence.refused(file.name, problem));
      if (hasCode(error, "not_open") || hasCode(error, "deadline_passed")) latest.current.onReload();
    } finally {
      if (sending.current?.id === id) sending.current = null;
      // The new list starts the next upload.
      setList((all) => [...all]);
    }
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the list.
  useEffect(() => {
    const next = list.find(({ state }) => state === "waiting");
    if (next !== undefined && sending.current === null) void send(next);
  }, [list]);
  useEffect(() => () => sending.current?.controller.abort(), []);

  return {
    list,
    busy: list.some(({ state }) => state !== "refused"),
    add: (files, kind) => {
      const fresh = files.map(({ file, problem }): Upload => {
        lastId.current += 1;
        return {
          ...{ id: lastId.current, file, kind, share: 0, problem, mayRetry: false },
          state: problem === null ? "waiting" : "refused",
        };
      });
      setList((before) => [...before, ...fresh]);
      const refused = fresh.find(({ problem }) => problem !== null);
      if (refused?.problem != null) setSaid(text().disputes.evidence.refused(refused.file.name, refused.problem));
    },
    retry: (id) => change(id, { state: "waiting", problem: null, share: 0 }),
    drop: (id) => {
      if (sending.current?.id === id) {
        sending.current.controller.abort();
        // The file may have arrived although the answer was lost.
        latest.current.onReload();
      }
      setList((before) => before.filter((one) => one.id !== id));
    },
    said,
  };
}

function problemOf(error: unknown): string {
  const { problems } = text().disputes.evidence;
  if (hasCode(error, "file_type")) return problems.content;
  if (hasCode(error, "too_many_files")) return problems.room;
  return errorText(error);
}
