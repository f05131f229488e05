import { useState } from "preact/hooks";
import type { ClusterNodeJson } from "../../../../surfaces/admin/cluster.ts";
import { post } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { CheckField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";
import { words } from "../../i18n/texts.ts";

/** Asks before a node is drained. Which node is the last live one the relay decides; it is drained only where that was wanted, too. */
export function DrainDialog({
  node: { nodeId, incarnation },
  onClose,
  onDraining,
}: {
  node: ClusterNodeJson;
  onClose: () => void;
  onDraining: () => void;
}) {
  const { cluster: own } = words();
  const [isLast, setIsLast] = useState(false);
  const [allowLast, setAllowLast] = useState(false);
  const drain = useAction(async () => {
    try {
      // By its incarnation: a node of the same id that was started meanwhile is another one.
      await post(`/cluster/nodes/${encodeURIComponent(incarnation)}/drain`, { allowLast });
    } catch (error) {
      if (!hasCode(error, "conflict")) throw error;
      setIsLast(true);
      return;
    }
    toast(own.drains(nodeId));
    onDraining();
    onClose();
  });
  return (
    <FormDialog title={own.drainTitle(nodeId)} action={drain} onSubmit={drain.run} submit={own.drain} kind="danger" onClose={onClose}>
      <p class="lead">{own.drainText}</p>
      <p class="muted">{own.drainBack}</p>
      {isLast && (
        <>
          <Banner kind="danger" alert>
            {own.lastNode(nodeId)}
          </Banner>
          <CheckField label={own.allowLast} checked={allowLast} onChange={setAllowLast} />
        </>
      )}
    </FormDialog>
  );
}
