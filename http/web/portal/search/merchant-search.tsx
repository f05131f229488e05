import { merchantSource } from "./merchant-source.ts";
import { SearchDialog } from "./search-dialog.tsx";
import type { SearchProps } from "./source.ts";

export function MerchantSearch(props: SearchProps) {
  return <SearchDialog source={merchantSource} {...props} />;
}
