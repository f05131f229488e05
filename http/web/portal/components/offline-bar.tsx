import { text } from "../i18n/texts.ts";
import { isOffline } from "../state/connection.ts";
import { Icon } from "./icon.tsx";

/**
 * Says that the relay cannot be reached. The region is always in the page, because screen readers
 * only announce additions to a region that they know.
 */
export function OfflineBar() {
  return (
    <div role="status">
      {isOffline.value && (
        <div class="offline-bar">
          <Icon name="warning" size={16} />
          {text().app.offline}
        </div>
      )}
    </div>
  );
}
